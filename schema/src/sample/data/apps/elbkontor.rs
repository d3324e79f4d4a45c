//! Elbkontor of Hamburg: point of sale.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "elbkontor", author: "aylin.demirci", state: "LISTED", ..BEGUN };

pub(super) const APPS: [AppData; 5] = [
    AppData {
        slug: "kontor-till",
        days: 804,
        categories: &["table-service", "tips", "receipts"],
        texts: &[
            text(
                "de",
                "Kontor Kasse",
                "Die Kasse für Häuser mit Bedienung, vom Aperitif bis zur Rechnung.",
                "Kontor Kasse begleitet einen Tisch vom ersten Getränk bis zur letzten Rechnung. Gänge werden einzeln \
                 abgerufen, Plätze getrennt geführt, und was die Küche nicht mehr hat, verschwindet sofort von allen \
                 Geräten.\n\nJeder Vorgang wird signiert und liegt zehn Jahre lang prüfbereit. Fällt das Netz aus, \
                 kassiert das Gerät weiter und trägt die Signaturen nach, sobald die Leitung wieder steht.",
            ),
            text(
                "en",
                "Kontor Till",
                "The till for houses with table service, from aperitif to bill.",
                "Kontor Till follows a table from the first drink to the last bill. Courses are called one by one, \
                 seats are kept apart, and what the kitchen has run out of disappears from every device at \
                 once.\n\nEvery transaction is signed and kept ready for an audit for ten years. When the network \
                 fails the device goes on taking money and hands in its signatures as soon as the line is back.",
            ),
            text(
                "fr",
                "Kontor Caisse",
                "La caisse des maisons avec service à table, de l'apéritif à l'addition.",
                "Kontor Caisse suit une table du premier verre à la dernière addition. Les plats sont envoyés service \
                 par service, chaque couvert a son compte, et ce qui manque en cuisine disparaît aussitôt de tous \
                 les appareils. Chaque opération est signée et conservée dix ans, prête pour un contrôle.",
            ),
        ],
        permissions: &[
            ("orders:write", "Opens, changes and closes the orders of a table."),
            ("payments", "Shows which parts of a bill are paid."),
            ("menu", "Reads dishes, prices and sold-out items."),
        ],
        redirects: &["/till/oauth/callback", "/till/setup/done"],
        look: look(
            [0x0b3c5d, 0x328cc1],
            &["TABLE 12", "LABSKAUS", "PANNFISCH", "RIESLING 0.2", "ROTE GRUETZE", "ESPRESSO"],
            &[
                (Scene::List, "An open bill with its courses"),
                (Scene::Room, "The room with open and free tables"),
                (Scene::Board, "The evening at a glance"),
            ],
        ),
        versions: &[
            version(
                "3.0.0",
                "SUPERSEDED",
                761 * DAY,
                &[
                    ("de", "Die erste Fassung auf dieser Plattform: Tische, Gänge, getrennte Rechnungen."),
                    ("en", "The first version on this platform: tables, courses, separate bills."),
                ],
            ),
            version(
                "3.1.0",
                "SUPERSEDED",
                540 * DAY,
                &[
                    (
                        "de",
                        "Tische lassen sich zusammenlegen und wieder trennen, ohne dass eine Bestellung verloren geht.",
                    ),
                    ("en", "Tables can be joined and parted again without losing an order."),
                ],
            ),
            version(
                "3.2.0",
                "SUPERSEDED",
                233 * DAY,
                &[
                    ("de", "Ausverkaufte Gerichte verschwinden innerhalb einer Sekunde von allen Geräten."),
                    ("en", "Dishes that are sold out disappear from every device within a second."),
                ],
            ),
            version(
                "3.2.1",
                "PUBLISHED",
                41 * DAY,
                &[
                    ("de", "Der Bondruck wartet nicht mehr auf die Signatur. Fehler bei halben Portionen behoben."),
                    ("en", "Printing no longer waits for the signature. Fixes half portions."),
                    ("fr", "L'impression n'attend plus la signature. Corrige les demi-portions."),
                ],
            ),
            version(
                "3.3.0-beta.1",
                "DRAFT",
                6 * DAY,
                &[("de", "Vorabfassung: Bestellung am Tisch mit dem Telefon des Gastes.")],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "kontor-counter",
        author: "piotr.zawadzki",
        days: 590,
        categories: &["counter-service", "receipts"],
        texts: &[
            text(
                "en",
                "Kontor Counter",
                "Eight taps from “good morning” to a paid breakfast.",
                "Made for queues. The twelve things you sell most sit under your thumb, sizes and milks are one tap \
                 more, and the customer pays while you are already reaching for the cup. Counter works on a phone, a \
                 tablet or the old screen you have.\n\nAt the end of the day it counts the drawer with you and keeps \
                 the difference on record, so nobody has to remember it.",
            ),
            text(
                "de",
                "Kontor Theke",
                "Acht Tipper vom „Guten Morgen“ bis zum bezahlten Frühstück.",
                "Für Schlangen gemacht. Die zwölf meistverkauften Artikel liegen unter dem Daumen, Größen und \
                 Milchsorten einen Tipper weiter, und bezahlt wird, während die Tasse schon unter der Maschine steht. \
                 Kontor Theke läuft auf Telefon, Tablet oder dem alten Bildschirm, den Sie haben.",
            ),
        ],
        permissions: &[
            ("orders:write", "Records sales over the counter."),
            ("menu", "Reads products, sizes and prices."),
        ],
        redirects: &["/counter/oauth/callback"],
        look: look(
            [0x7a3b1d, 0xe08e45],
            &["FLAT WHITE", "FRANZBROETCHEN", "OAT MILK", "CHEESE ROLL", "ORANGE JUICE", "TO GO"],
            &[
                (Scene::Cards, "The twelve best sellers under your thumb"),
                (Scene::List, "Counting the drawer at closing time"),
            ],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 566 * DAY, &[("en", "First release.")]),
            version(
                "1.1.0",
                "SUPERSEDED",
                380 * DAY,
                &[("en", "Counting the drawer: coins, notes, difference, reason.")],
            ),
            version(
                "1.2.0",
                "PUBLISHED",
                97 * DAY,
                &[
                    (
                        "en",
                        "The twelve favourites now follow the time of day: croissants leave at eleven, soup arrives.",
                    ),
                    (
                        "de",
                        "Die zwölf Favoriten folgen jetzt der Tageszeit: um elf gehen die Croissants, die Suppe kommt.",
                    ),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "kontor-kitchen-display",
        days: 700,
        categories: &["table-service", "counter-service"],
        texts: &[
            text(
                "en",
                "Kontor Kitchen Display",
                "Tickets that sort themselves, so the pass stays quiet.",
                "Replaces paper tickets at the pass. Orders arrive sorted by the moment at which each dish must be \
                 started, so that a table of six is served together. Cooks mark a dish as done with an elbow; the \
                 tiles are large enough for that.\n\nColours show how long a guest has been waiting. The display \
                 learns your cooking times from what really happened last week.",
            ),
            text(
                "de",
                "Kontor Küchenmonitor",
                "Bons, die sich selbst sortieren, damit es am Pass ruhig bleibt.",
                "Ersetzt Papierbons am Pass. Bestellungen erscheinen in der Reihenfolge, in der die Gerichte begonnen \
                 werden müssen, damit ein Sechsertisch gemeinsam isst. Fertig gemeldet wird mit dem Ellenbogen, die \
                 Kacheln sind groß genug. Farben zeigen, wie lange ein Gast schon wartet.",
            ),
            text(
                "fr",
                "Kontor Écran Cuisine",
                "Des bons qui se rangent seuls, pour un passe silencieux.",
                "Remplace les bons papier. Les commandes apparaissent dans l'ordre où chaque plat doit être lancé, \
                 pour qu'une table de six soit servie ensemble. On valide un plat d'un coup de coude : les tuiles \
                 sont assez grandes. Les couleurs disent depuis combien de temps le client attend.",
            ),
        ],
        permissions: &[
            ("orders:write", "Marks dishes as begun and as done."),
            ("menu", "Reads which station cooks which dish."),
        ],
        redirects: &["/kitchen/oauth/callback"],
        look: look(
            [0x22333b, 0x5e503f],
            &["TABLE 4", "2X SCHNITZEL", "NO ONIONS", "TABLE 9", "COD", "07:40"],
            &[
                (Scene::Cards, "Tickets at the pass, the oldest in red"),
                (Scene::Board, "Cooking times of the last week"),
            ],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 668 * DAY, &[("en", "First release: tickets, stations, colours.")]),
            version("2.0.0", "SUPERSEDED", 320 * DAY, &[("en", "Dishes are started so that a table eats together.")]),
            VersionData {
                findings: &[
                    ("REQ-16", "The second screenshot shows a till, not the kitchen display. Show the display itself."),
                    (
                        "REQ-15",
                        "The listing promises voice control, which we could not find. Remove it, or write where it is.",
                    ),
                ],
                decision: "Thank you for fixing both points so quickly.",
                ..version(
                    "2.1.0",
                    "PUBLISHED",
                    75 * DAY,
                    &[
                        ("en", "Cooking times are learned from the last seven days instead of from settings."),
                        ("de", "Garzeiten werden aus den letzten sieben Tagen gelernt statt eingestellt."),
                    ],
                )
            },
            VersionData {
                word: "Two displays side by side: please try it with the demo house Speicherstadt, PIN 4711.",
                ..version(
                    "2.2.0",
                    "SUBMITTED",
                    31,
                    &[
                        (
                            "en",
                            "Two displays side by side share one queue. Allergens of a guest stand out on the ticket.",
                        ),
                        (
                            "de",
                            "Zwei Monitore nebeneinander teilen sich eine Schlange. Allergene stehen groß auf dem Bon.",
                        ),
                        ("fr", "Deux écrans côte à côte partagent une file. Les allergènes ressortent sur le bon."),
                    ],
                )
            },
        ],
        live_tagline: "Tickets that sort themselves.",
        ..MAKER
    },
    AppData {
        slug: "kontor-receipts",
        days: 640,
        categories: &["receipts", "accounting"],
        texts: &[
            text(
                "de",
                "Belegarchiv",
                "Jeder Beleg signiert, zehn Jahre auffindbar, in Minuten exportiert.",
                "Das Belegarchiv sammelt die signierten Vorgänge aller Kassen eines Hauses und prüft sie jede Nacht auf \
                 Lücken. Kommt eine Kassennachschau, entsteht der vollständige Export in wenigen Minuten, mit einer \
                 Zusammenfassung, die auch die Prüferin versteht.\n\nGäste finden ihren Beleg über den Code auf dem \
                 Kassenbon wieder, ohne sich irgendwo anzumelden.",
            ),
            text(
                "en",
                "Receipt Archive",
                "Every receipt signed, found for ten years, exported in minutes.",
                "Receipt Archive gathers the signed transactions of every till in a house and looks for gaps each \
                 night. When the tax office comes, the complete export is ready within minutes, with a summary that \
                 the auditor understands too. Guests find their receipt again by the code on the slip, without an \
                 account.",
            ),
        ],
        permissions: &[
            ("orders", "Reads closed transactions with their signatures."),
            ("invoices", "Reads invoices that belong to a transaction."),
        ],
        redirects: &["/receipts/oauth/callback"],
        look: look(
            [0x1b4332, 0x74c69d],
            &["RECEIPT 88412", "SIGNED", "NO GAPS", "EXPORT", "19 PERCENT", "7 PERCENT"],
            &[(Scene::List, "The archive of one day"), (Scene::Board, "Nightly check for gaps")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 612 * DAY, &[("de", "Erste Fassung."), ("en", "First release.")]),
            version(
                "1.4.0",
                "SUPERSEDED",
                290 * DAY,
                &[
                    ("de", "Nächtliche Prüfung auf Lücken mit einer Mail, wenn etwas fehlt."),
                    ("en", "A nightly check for gaps, with a mail when something is missing."),
                ],
            ),
            version(
                "1.5.0",
                "PUBLISHED",
                18 * DAY,
                &[
                    ("de", "Export nach der neuen Taxonomie. Belege lassen sich nach Betrag und Tisch suchen."),
                    ("en", "Export in the new taxonomy. Receipts can be found by amount and table."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "tip-jar",
        author: "piotr.zawadzki",
        days: 410,
        categories: &["tips"],
        texts: &[
            text(
                "en",
                "Tip Jar",
                "Shares tips by your own rules, every night, to the cent.",
                "Card tips arrive in one heap and go out in many hands. Tip Jar applies the rule your team agreed on \
                 (by hours, by points, kitchen included or not), shows everyone their own share, and writes the sums \
                 for payroll.\n\nNobody sees what a colleague earned unless the team decided so. Cents that cannot be \
                 shared go to whoever got least last time.",
            ),
            text(
                "de",
                "Trinkgeldkasse",
                "Verteilt Trinkgeld nach euren Regeln, jeden Abend, auf den Cent.",
                "Kartentrinkgeld kommt auf einem Haufen und geht in viele Hände. Die Trinkgeldkasse rechnet nach der \
                 Regel, auf die sich das Team geeinigt hat (nach Stunden, nach Punkten, mit oder ohne Küche), zeigt \
                 allen den eigenen Anteil und schreibt die Summen für die Lohnabrechnung.",
            ),
        ],
        permissions: &[
            ("payments", "Reads the tips that were paid by card."),
            ("staff", "Reads who worked on which evening, and how long."),
        ],
        redirects: &["/tips/oauth/callback"],
        look: look(
            [0x5f0f40, 0xfb8b24],
            &["TONIGHT", "SERVICE", "KITCHEN", "BAR", "YOUR SHARE", "POINTS"],
            &[(Scene::Board, "Tonight's tips and your own share"), (Scene::List, "The rule, and what came of it")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 385 * DAY, &[("en", "First release: shares by hours or by points.")]),
            version(
                "1.1.0",
                "PUBLISHED",
                128 * DAY,
                &[
                    ("en", "Rules can differ by weekday. Leftover cents go to the person who got least last time."),
                    (
                        "de",
                        "Regeln dürfen je Wochentag anders sein. Restcents bekommt, wer zuletzt am wenigsten hatte.",
                    ),
                ],
            ),
        ],
        ..MAKER
    },
];
