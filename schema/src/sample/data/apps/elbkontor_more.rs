//! Elbkontor of Hamburg: accessories of a point of sale.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "elbkontor", author: "aylin.demirci", state: "LISTED", ..BEGUN };

pub(super) const APPS: [AppData; 5] = [
    AppData {
        slug: "split-the-bill",
        author: "jonas.thielemann",
        days: 355,
        categories: &["tips", "table-service"],
        texts: &[
            text(
                "en",
                "Split the Bill",
                "Eleven guests, one table, everyone pays for their own dessert.",
                "Guests scan the code on the table, tick what was theirs and pay. What nobody ticks stays visible until \
                 somebody does, or is shared among all by one tap. The waiter sees on the till who has paid and who is \
                 still counting.\n\nNo app to install and no account: the page opens in the browser and forgets the \
                 guest when the table is closed.",
            ),
            text(
                "de",
                "Getrennt bitte",
                "Elf Gäste, ein Tisch, und jeder zahlt sein eigenes Dessert.",
                "Gäste scannen den Code am Tisch, haken ab, was ihres war, und bezahlen. Was niemand abhakt, bleibt \
                 stehen, bis es jemand tut, oder wird mit einem Tipper auf alle verteilt. Die Bedienung sieht an der \
                 Kasse, wer bezahlt hat und wer noch rechnet. Nichts zu installieren, kein Konto.",
            ),
            text(
                "fr",
                "Chacun sa part",
                "Onze convives, une table, chacun paie son dessert.",
                "Les convives scannent le code posé sur la table, cochent ce qu'ils ont pris et paient. Ce que personne \
                 ne coche reste affiché, ou se partage entre tous d'un seul geste. Le serveur voit en caisse qui a \
                 payé et qui calcule encore. Rien à installer, aucun compte à créer.",
            ),
        ],
        permissions: &[
            ("orders", "Shows guests what stands on the bill of their table."),
            ("payments:write", "Takes a payment for a part of a bill."),
        ],
        redirects: &["/split/oauth/callback"],
        look: look(
            [0x3d348b, 0xf18701],
            &["YOUR PART", "2 OF 11 PAID", "CREME BRULEE", "WATER 0.7", "SHARE THE REST", "PAY"],
            &[(Scene::List, "Your share of a common bill"), (Scene::Cards, "Who has paid, as the waiter sees it")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 331 * DAY, &[("en", "First release.")]),
            version("1.0.1", "SUPERSEDED", 322 * DAY, &[("en", "Fixes rounding when three guests share a bottle.")]),
            version(
                "1.1.0",
                "PUBLISHED",
                54 * DAY,
                &[
                    ("en", "Unticked items can be shared among all guests. French added."),
                    ("de", "Was niemand abhakt, lässt sich auf alle verteilen. Französisch ist dazugekommen."),
                    ("fr", "Ce que personne n'a coché peut être partagé. L'application parle français."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "pocket-terminal",
        author: "jonas.thielemann",
        days: 268,
        categories: &["mobile-terminals"],
        texts: &[
            text(
                "de",
                "Taschenterminal",
                "Kartenzahlung auf dem Telefon, das die Bedienung ohnehin trägt.",
                "Das Taschenterminal macht aus dem Diensttelefon ein Kartenterminal. Betrag und Tisch kommen von der \
                 Kasse, der Gast hält Karte oder Uhr ans Gerät, der Beleg geht auf Wunsch per Code. Zweite Wege zum \
                 Terminal entfallen.\n\nAuf der Terrasse ohne Netz nimmt es Zahlungen bis 50 Euro entgegen und reicht \
                 sie nach, sobald es wieder Empfang hat.",
            ),
            text(
                "en",
                "Pocket Terminal",
                "Card payments on the phone that your waiters carry anyway.",
                "Pocket Terminal turns the work phone into a card terminal. Amount and table come from the till, the \
                 guest holds a card or a watch against it, and the receipt is a code if the guest wants one. On a \
                 terrace without a network it takes payments up to 50 euros and hands them in later.",
            ),
        ],
        permissions: &[
            ("payments:write", "Takes card payments for a table."),
            ("orders", "Reads the amount that is still open."),
        ],
        redirects: &["/pocket/oauth/callback", "/pocket/paired"],
        look: look(
            [0x14213d, 0xfca311],
            &["TABLE 7", "64.20 EUR", "HOLD CARD HERE", "APPROVED", "RECEIPT", "OFFLINE 2"],
            &[(Scene::Cards, "Paying at the table in three steps"), (Scene::List, "Payments of this shift")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 240 * DAY, &[("de", "Erste Fassung."), ("en", "First release.")]),
            version(
                "1.0.2",
                "PUBLISHED",
                152 * DAY,
                &[
                    ("de", "Uhren werden schneller erkannt; der Beleg-Code bleibt zwei Minuten stehen."),
                    ("en", "Watches are recognised faster; the receipt code stays for two minutes."),
                ],
            ),
            VersionData {
                word: "Offline mode is new. A test card and a phone in flight mode are enough to try it.",
                ..version(
                    "1.1.0",
                    "IN_REVIEW",
                    5,
                    &[
                        ("de", "Zahlungen ohne Netz bis 50 Euro, höchstens zehn auf einmal."),
                        ("en", "Payments without a network up to 50 euros, ten at most at a time."),
                    ],
                )
            },
        ],
        ..MAKER
    },
    AppData {
        slug: "kontor-ledger",
        author: "piotr.zawadzki",
        days: 520,
        categories: &["accounting"],
        texts: &[
            text(
                "de",
                "Kontor Buchung",
                "Der Kassenabschluss liegt gebucht beim Steuerbüro, ehe Sie schlafen.",
                "Kontor Buchung übersetzt den Tagesabschluss in Buchungssätze: Erlöse nach Steuersatz, Gutscheine als \
                 Verbindlichkeit, Trinkgeld als durchlaufender Posten, Kartenzahlungen gegen das Verrechnungskonto. \
                 Das Steuerbüro bekommt sie in seinem Format und muss nichts abtippen. Unklares wird gesammelt und \
                 einmal in der Woche gefragt, nicht jeden Abend.",
            ),
            text(
                "en",
                "Kontor Ledger",
                "Your day's takings are booked at the tax adviser before you sleep.",
                "Kontor Ledger turns the end-of-day report into journal entries: revenue by tax rate, vouchers as a \
                 liability, tips passed through, card payments against the clearing account. Your adviser receives \
                 them in the format they use and types nothing. Doubtful items are gathered and asked about once a \
                 week, not every night.",
            ),
        ],
        permissions: &[
            ("reports", "Reads the end-of-day report of every till."),
            ("invoices", "Reads invoices to book them by their number."),
        ],
        redirects: &["/ledger/oauth/callback"],
        look: look(
            [0x283618, 0xdda15e],
            &["8400 REVENUE 19", "8300 REVENUE 7", "1360 TRANSIT", "1371 VOUCHERS", "TO CLARIFY", "SENT 02:14"],
            &[(Scene::List, "The journal of one evening"), (Scene::Board, "Journals sent this month")],
        ),
        versions: &[
            version(
                "1.0.0",
                "SUPERSEDED",
                488 * DAY,
                &[("de", "Erste Fassung mit zwei Kontenrahmen."), ("en", "First release.")],
            ),
            version(
                "2.0.0",
                "SUPERSEDED",
                204 * DAY,
                &[
                    ("de", "Eigene Kontenrahmen, getrennt nach Standort."),
                    ("en", "Charts of accounts of your own, one for each site."),
                ],
            ),
            version(
                "2.1.0",
                "PUBLISHED",
                63 * DAY,
                &[
                    ("de", "Gutscheine werden beim Verkauf und beim Einlösen richtig gebucht."),
                    ("en", "Vouchers are booked correctly when sold and when redeemed."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "day-close",
        author: "wiebke.lorenzen",
        days: 301,
        categories: &["reports"],
        texts: &[
            text(
                "en",
                "Day Close",
                "One page at midnight: best sellers, slow sellers, oddities.",
                "Day Close sends one page when the last till is closed. It says what sold, compares the evening with \
                 the same weekday of the last four weeks, and names what stands out: three cancelled steaks, a table \
                 that stayed four hours, a discount without a reason.\n\nIt fits on a phone and takes a minute to \
                 read. Whoever wants more can follow each figure down to the single order.",
            ),
            text(
                "de",
                "Tagesschluss",
                "Eine Seite um Mitternacht: was lief, was nicht, was auffiel.",
                "Tagesschluss schickt eine Seite, sobald die letzte Kasse geschlossen ist: was sich verkauft hat, im \
                 Vergleich mit demselben Wochentag der letzten vier Wochen, und was auffällt: drei stornierte Steaks, \
                 ein Tisch, der vier Stunden blieb, ein Rabatt ohne Grund. In einer Minute gelesen.",
            ),
            text(
                "fr",
                "Clôture du Jour",
                "Une page à minuit : ce qui s'est vendu, ou pas, et l'inattendu.",
                "Clôture du Jour envoie une page dès que la dernière caisse est fermée : les ventes, comparées au même \
                 jour des quatre dernières semaines, et ce qui sort de l'ordinaire : trois steaks annulés, une table \
                 restée quatre heures, une remise sans motif. Une minute suffit pour la lire.",
            ),
        ],
        permissions: &[("reports", "Reads sales, cancellations and discounts of the day.")],
        redirects: &["/day-close/oauth/callback"],
        look: look(
            [0x2b2d42, 0xef233c],
            &["FRIDAY", "REVENUE", "COVERS", "CANCELLED", "PER GUEST", "VS LAST 4"],
            &[(Scene::Board, "The page that comes at midnight")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 274 * DAY, &[("en", "First release.")]),
            version("1.2.0", "SUPERSEDED", 160 * DAY, &[("en", "Names only the oddities.")]),
            version(
                "1.3.0",
                "PUBLISHED",
                27 * DAY,
                &[
                    ("en", "Several sites on one page, the best one first."),
                    ("de", "Mehrere Standorte auf einer Seite, der beste zuerst."),
                    ("fr", "Plusieurs établissements sur une page, le meilleur d'abord."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "voucher-press",
        author: "wiebke.lorenzen",
        days: 233,
        categories: &["loyalty"],
        texts: &[
            text(
                "de",
                "Gutscheinpresse",
                "Gutscheine, die an Heiligabend noch schnell gedruckt sind.",
                "Die Gutscheinpresse verkauft Gutscheine an der Kasse und auf Ihrer Website, druckt sie auf schönes \
                 Papier oder schickt sie als PDF. Jeder Gutschein kennt seinen Rest, lässt sich in Teilen einlösen und \
                 verfällt so, wie das Gesetz es erlaubt, nicht früher.\n\nDie Gestaltung übernimmt Ihr Logo und Ihre \
                 Farben; drei Vorlagen liegen bei.",
            ),
            text(
                "en",
                "Voucher Press",
                "Gift vouchers that can still be printed on Christmas Eve.",
                "Voucher Press sells vouchers at the till and on your website, prints them on good paper or sends them \
                 as a PDF. Each knows what is left on it, can be redeemed in parts and expires when the law allows, no \
                 sooner. The design takes your logo and colours; three templates come with it.",
            ),
        ],
        permissions: &[
            ("payments:write", "Accepts vouchers as payment and records the remaining value."),
            ("guests", "Greets the buyer by name on the voucher."),
        ],
        redirects: &["/vouchers/oauth/callback"],
        look: look(
            [0x6d2e46, 0xd5b9b2],
            &["50 EUR", "DINNER FOR TWO", "REST 18.40", "XMAS", "PRINT", "CODE 7F2K"],
            &[(Scene::Cards, "Three templates in your colours"), (Scene::List, "Vouchers and their remaining value")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 209 * DAY, &[("de", "Erste Fassung."), ("en", "First release.")]),
            VersionData {
                findings: &[("REQ-14", "The app asks for guests:write but only reads names. Ask for guests instead.")],
                ..version(
                    "1.1.0",
                    "PUBLISHED",
                    33 * DAY,
                    &[
                        ("de", "Verkauf auf der eigenen Website, mit Druck oder PDF."),
                        ("en", "Sold on your own website too, printed or as a PDF."),
                    ],
                )
            },
        ],
        ..MAKER
    },
];
