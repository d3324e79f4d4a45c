//! Elbkontor of Hamburg: apps that are not, or not any more, on the storefront.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "elbkontor", author: "piotr.zawadzki", ..BEGUN };

pub(super) const APPS: [AppData; 5] = [
    AppData {
        slug: "beer-garden-mode",
        state: "UNLISTED",
        reason: "Back in April, when the gardens open.",
        state_hours: 52 * DAY,
        days: 470,
        categories: &["counter-service", "mobile-terminals"],
        texts: &[
            text(
                "de",
                "Biergartenmodus",
                "Selbstbedienung, Pfandmarken und vierhundert Plätze im Griff.",
                "Der Biergartenmodus stellt die Kasse auf Ausschank um: große Tasten, Pfand für Krug und Marke, \
                 Schlange nach Schank und Küche getrennt. Wird es kühl, schaltet er zurück und nimmt die offenen \
                 Tische mit hinein.\n\nEin Regenradar am Rand sagt eine halbe Stunde vorher, wann alle auf einmal \
                 zahlen wollen.",
            ),
            text(
                "en",
                "Beer Garden Mode",
                "Self-service, deposit tokens and four hundred seats in hand.",
                "Beer Garden Mode turns the till into a tap: large keys, deposits for mug and token, one queue for beer \
                 and one for food. When it gets cold it switches back and takes the open tables inside. A rain radar \
                 at the edge says half an hour ahead when everyone will want to pay.",
            ),
        ],
        permissions: &[
            ("orders:write", "Records sales at the tap."),
            ("menu:write", "Switches the card between garden and house."),
        ],
        redirects: &["/garden/oauth/callback"],
        look: look(
            [0x386641, 0xf2e8cf],
            &["MASS HELL", "BREZEN", "PFAND", "OBATZDA", "RADLER", "RAIN 18:30"],
            &[(Scene::Cards, "Large keys for the tap"), (Scene::Board, "The queue and the rain")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 441 * DAY, &[("de", "Erste Fassung zur Saison."), ("en", "First release.")]),
            version(
                "1.1.0",
                "PUBLISHED",
                262 * DAY,
                &[("de", "Pfandmarken und Regenradar."), ("en", "Deposit tokens and the rain radar.")],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "kontor-kiosk",
        author: "aylin.demirci",
        days: 61,
        categories: &["counter-service"],
        texts: &[
            text(
                "en",
                "Kontor Kiosk",
                "An order screen that grandparents manage without help.",
                "A self-order screen for the hall of a canteen or a motorway services. Four large steps, pictures of \
                 every dish, allergens where they belong, and a button that calls a person. Orders go straight to the \
                 kitchen display, with the number of the tray.\n\nKiosk speaks eleven languages and goes back to the \
                 first page when somebody walks away.",
            ),
            text(
                "de",
                "Kontor Bestellsäule",
                "Ein Bestellbildschirm, mit dem auch Großeltern zurechtkommen.",
                "Eine Bestellsäule für Kantine oder Raststätte. Vier große Schritte, Bilder von jedem Gericht, \
                 Allergene an ihrem Platz und ein Knopf, der einen Menschen ruft. Bestellungen gehen mit der Nummer \
                 des Tabletts direkt in die Küche.",
            ),
        ],
        permissions: &[
            ("orders:write", "Writes down what guests order at the screen."),
            ("menu", "Shows dishes, pictures and allergens."),
        ],
        redirects: &["/kiosk/oauth/callback"],
        look: look(
            [0x1d3557, 0xe63946],
            &["SOUP", "PASTA", "CALL A PERSON", "TRAY 31", "EN DE FR", "PAY HERE"],
            &[(Scene::Cards, "Step two of four: the main dish"), (Scene::List, "Your tray, before you pay")],
        ),
        versions: &[VersionData {
            word: "A recording of the whole way through is on our help page, under Kiosk.",
            ..version(
                "1.0.0",
                "SUBMITTED",
                53,
                &[
                    ("en", "The first version: four steps, eleven languages, a button that calls a person."),
                    ("de", "Die erste Fassung: vier Schritte, elf Sprachen, ein Knopf, der einen Menschen ruft."),
                ],
            )
        }],
        ..MAKER
    },
    AppData {
        slug: "happy-hour-planner",
        author: "aylin.demirci",
        days: 88,
        categories: &["counter-service", "reports"],
        texts: &[text(
            "en",
            "Happy Hour Planner",
            "Prices that change by the clock, and change back.",
            "Plan price changes for a week and forget about them: cocktails from five to seven, cake after four, \
             the lunch menu only at lunch. Every price goes back by itself, and bills that were opened before keep the \
             price the guest saw. A preview shows what a drink costs at any minute of the week.",
        )],
        permissions: &[("menu:write", "Changes prices at the planned time and back again.")],
        redirects: &["/happy-hour/oauth/callback"],
        look: look(
            [0x7209b7, 0xf72585],
            &["17:00", "19:00", "NEGRONI", "SPRITZ", "CAKE", "BACK TO 9.50"],
            &[(Scene::Week, "A week of planned prices"), (Scene::List, "The price of a Negroni from hour to hour")],
        ),
        versions: &[VersionData {
            findings: &[
                ("REQ-16", "The second screenshot is too small to read on a phone. Show fewer rows, or larger ones."),
                (
                    "REQ-14",
                    "menu:write changes prices of every site. Say so in the description, or limit it to chosen sites.",
                ),
            ],
            decision: "A useful idea. Two points before customers may have it; we look at it again within two days.",
            ..version("0.9.0", "CHANGES_REQUESTED", 3 * DAY, &[("en", "The first version for the marketplace.")])
        }],
        ..MAKER
    },
    AppData {
        slug: "coat-check",
        state: "SUSPENDED",
        reason: "Tags of one guest were shown to another. Withdrawn until a fixed version has been reviewed.",
        state_hours: 9 * DAY,
        days: 190,
        categories: &["waiting-lists"],
        texts: &[
            text(
                "en",
                "Coat Check",
                "Numbers for coats, prams and umbrellas, on the guest's phone.",
                "Coat Check hands out numbers for what guests leave at the door. The number is a code on the guest's \
                 phone, the hook is a number on a peg, and the shelf plan shows where the pram went. At closing time \
                 it lists what is still hanging there, and reminds its owners in the morning.",
            ),
            text(
                "de",
                "Garderobe",
                "Nummern für Mäntel, Kinderwagen und Schirme, auf dem Telefon.",
                "Garderobe vergibt Nummern für alles, was Gäste an der Tür lassen. Die Nummer ist ein Code auf dem \
                 Telefon, der Haken eine Zahl am Brett, und der Plan zeigt, wo der Kinderwagen steht. Zum Schluss \
                 listet sie auf, was noch hängt, und erinnert am Morgen daran.",
            ),
        ],
        permissions: &[("guests", "Links a number to a reservation, when there is one.")],
        redirects: &["/coats/oauth/callback"],
        look: look(
            [0x495057, 0xadb5bd],
            &["HOOK 41", "PRAM", "UMBRELLA", "HOOK 42", "HOOK 43", "LEFT BEHIND 2"],
            &[(Scene::Room, "The shelf plan"), (Scene::List, "What still hangs there at one in the morning")],
        ),
        versions: &[
            version("1.0.0", "PUBLISHED", 166 * DAY, &[("en", "First release.")]),
            version(
                "1.0.1",
                "SUBMITTED",
                20,
                &[("en", "A number is shown on the phone that asked for it, and on no other.")],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "till-bridge-classic",
        author: "jonas.thielemann",
        state: "ARCHIVED",
        reason: "The last house has moved to Kontor Till.",
        state_hours: 112 * DAY,
        days: 806,
        categories: &["accounting", "fax-orders"],
        texts: &[
            text(
                "de",
                "Kassenbrücke Classic",
                "Verbindet serielle Kassen der alten Reihe mit der Plattform.",
                "Die Kassenbrücke liest die Journale serieller Kassen der Baujahre 2009 bis 2016 und übergibt sie an die \
             Plattform. Sie läuft auf einem kleinen Rechner neben der Kasse, puffert drei Tage und braucht nur eine \
             Leitung nach außen. Für neue Installationen empfehlen wir Kontor Kasse.",
            ),
            text(
                "en",
                "Till Bridge Classic",
                "Connects serial tills of the old series with the platform.",
                "Till Bridge reads the journals of serial tills built from 2009 to 2016 and hands them to the platform. It \
             runs on a small computer beside the till, buffers three days and needs one line to the outside. For new \
             installations we recommend Kontor Till.",
            ),
        ],
        permissions: &[("orders:write", "Sends the sales of the old till.")],
        redirects: &["/bridge/oauth/callback"],
        look: look(
            [0x3a3a3a, 0x8d99ae],
            &["COM 1", "JOURNAL", "BUFFER 0", "SENT", "9600 BAUD", "OK"],
            &[(Scene::List, "The journal of a serial till"), (Scene::Board, "Three days of buffer")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 780 * DAY, &[("de", "Erste Fassung."), ("en", "First release.")]),
            version(
                "1.0.7",
                "PUBLISHED",
                430 * DAY,
                &[("de", "Letzte Wartung dieser Reihe."), ("en", "The last upkeep of this series.")],
            ),
        ],
        ..MAKER
    },
];
