//! Voorraadhuis of Utrecht: forecasts, cellars and apps in development.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "voorraadhuis", author: "joris.hoekstra", ..BEGUN };

pub(super) const APPS: [AppData; 5] = [
    AppData {
        slug: "fresh-forecast",
        state: "LISTED",
        days: 310,
        categories: &["reports", "supplier-orders"],
        texts: &[
            text(
                "en",
                "Fresh Forecast",
                "How many soups on a rainy Tuesday in the school holidays.",
                "Fresh Forecast looks at what you sold, at the weather, at holidays and at what is going on around the \
                 corner, and says how much of each dish the next seven days will want. It shows how sure it is and \
                 what it got wrong last week.\n\nOrder Desk and Recipe Book can take the figures over; nothing is \
                 ordered without you.",
            ),
            text(
                "de",
                "Frischeprognose",
                "Wie viele Suppen an einem verregneten Dienstag in den Ferien.",
                "Die Frischeprognose betrachtet Verkäufe, Wetter, Ferien und was um die Ecke los ist, und sagt, wie viel \
                 von jedem Gericht die nächsten sieben Tage wollen. Sie zeigt, wie sicher sie ist und worin sie letzte \
                 Woche falsch lag. Bestellt wird nichts ohne Sie.",
            ),
        ],
        permissions: &[
            ("reports", "Reads sales by dish and hour."),
            ("reservations", "Counts the guests who have booked."),
        ],
        redirects: &["/forecast/oauth/callback"],
        look: look(
            [0x0077b6, 0xffd166],
            &["TUESDAY", "SOUP 64", "RAIN", "HOLIDAYS", "SURE 82", "LAST WEEK"],
            &[(Scene::Board, "Seven days, dish by dish"), (Scene::Week, "What happens around the corner")],
        ),
        versions: &[
            version("0.9.0", "SUPERSEDED", 282 * DAY, &[("en", "A first version for a few houses.")]),
            version("1.0.0", "SUPERSEDED", 180 * DAY, &[("en", "Says how sure it is.")]),
            version(
                "1.1.0",
                "PUBLISHED",
                15 * DAY,
                &[
                    ("en", "Events within a kilometre count."),
                    ("de", "Veranstaltungen im Umkreis von einem Kilometer zählen mit."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "cellar",
        state: "UNLISTED",
        reason: "Being rebuilt on Voorraad Count.",
        state_hours: 80 * DAY,
        days: 420,
        categories: &["inventory"],
        texts: &[
            text(
                "en",
                "Cellar",
                "Every bottle by bin, vintage and the day it is ready.",
                "Cellar keeps wine lists honest: bins, vintages, what is left and when it should be drunk. The list on \
                 the table prints itself without the bottle that went last night, and the sommelier's notes travel \
                 along. Allocations, gifts and breakage have their own reasons, so that the year-end count is a \
                 formality.",
            ),
            text(
                "fr",
                "Cave",
                "Chaque bouteille par casier, millésime et date d'apogée.",
                "Cave garde la carte des vins honnête : casiers, millésimes, ce qui reste et quand le boire. La carte \
                 s'imprime sans la bouteille partie hier soir, et les notes du sommelier suivent. Allocations, cadeaux \
                 et casse ont chacun leur motif ; l'inventaire de fin d'année devient une formalité.",
            ),
        ],
        permissions: &[
            ("stock:write", "Takes bottles out of their bin when they are sold."),
            ("menu:write", "Takes the last bottle off the list."),
        ],
        redirects: &["/cellar/oauth/callback"],
        look: look(
            [0x4a0e0e, 0xc9ada7],
            &["BIN 114", "MORGON 2018", "3 LEFT", "DRINK NOW", "BROKEN 1", "PRINT LIST"],
            &[(Scene::List, "Bin by bin"), (Scene::Cards, "Three bottles that want to be drunk")],
        ),
        versions: &[version("1.0.0", "PUBLISHED", 395 * DAY, &[("en", "First release."), ("fr", "Première version.")])],
        ..MAKER
    },
    AppData {
        slug: "delivery-dock",
        days: 75,
        categories: &["supplier-orders"],
        texts: &[
            text(
                "en",
                "Delivery Dock",
                "Check a delivery in four minutes, with the driver still there.",
                "Delivery Dock shows what was ordered, crate by crate, and takes what really came: counted, weighed, \
                 photographed, with the temperature of the fish. The driver signs on the screen and the credit note is \
                 asked for before the lorry has left the yard.",
            ),
            text(
                "de",
                "Laderampe",
                "Eine Lieferung in vier Minuten geprüft, solange der Fahrer da ist.",
                "Laderampe zeigt, was bestellt war, Kiste für Kiste, und nimmt auf, was wirklich kam: gezählt, gewogen, \
                 fotografiert, mit der Temperatur des Fischs. Der Fahrer unterschreibt am Bildschirm, und die \
                 Gutschrift ist angefordert, bevor der Wagen vom Hof ist.",
            ),
        ],
        permissions: &[("stock:write", "Adds delivered goods to the stock."), ("suppliers", "Reads orders.")],
        redirects: &["/dock/oauth/callback"],
        look: look(
            [0x274c77, 0xa3cef1],
            &["COD 12 KG", "2.1 C", "SHORT 1", "SIGN", "CREDIT NOTE", "LORRY 3"],
            &[(Scene::List, "Ordered and delivered goods"), (Scene::Cards, "Weight, picture, temperature")],
        ),
        versions: &[VersionData {
            decision: "Approved. Publish whenever you like.",
            ..version(
                "1.0.0",
                "APPROVED",
                20,
                &[
                    ("en", "The first version: count, weigh, photograph, sign."),
                    ("de", "Die erste Fassung: zählen, wiegen, fotografieren, unterschreiben."),
                ],
            )
        }],
        ..MAKER
    },
    AppData {
        slug: "van-round",
        state: "SUSPENDED",
        reason: "The privacy policy is gone: its address answers 404. Put it back and write to us.",
        state_hours: 30 * DAY,
        days: 240,
        categories: &["online-ordering"],
        texts: &[text(
            "en",
            "Van Round",
            "Sunday bread and Monday vegetables, one van, eighty doors.",
            "Van Round plans delivery rounds for kitchens that also deliver: boxes, time windows, the one-way street \
             behind the church. Drivers see the next door, guests see the van, and a box that was not taken in is \
             offered to the neighbours who said they would.",
        )],
        permissions: &[("orders", "Reads which boxes go out."), ("guests", "Shows the driver names and doors.")],
        redirects: &["/van/oauth/callback"],
        look: look(
            [0x283d3b, 0xedddd4],
            &["DOOR 12", "BOX 4", "09:40", "NEIGHBOUR", "80 STOPS", "NEXT LEFT"],
            &[(Scene::List, "The next doors of a round"), (Scene::Board, "Four rounds compared")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 215 * DAY, &[("en", "First release.")]),
            version("1.0.4", "PUBLISHED", 109 * DAY, &[("en", "The one-way street behind the church is known now.")]),
        ],
        ..MAKER
    },
    AppData {
        slug: "invoice-match",
        author: "sanne.dewit",
        days: 44,
        categories: &["accounting"],
        texts: &[text(
            "en",
            "Invoice Match",
            "Puts order, delivery note and invoice side by side.",
            "Invoice Match reads supplier invoices and lays them beside the order and what was taken in. What fits is \
             ticked off, what does not is shown with the amount in question, and one tap asks the supplier about it. \
             The books get one entry and three papers that belong together.",
        )],
        permissions: &[("invoices", "Reads the invoices of your suppliers.")],
        redirects: &[],
        look: look(
            [0x2f3e46, 0x84a98c],
            &["INVOICE 7731", "ORDER", "NOTE", "OFF BY 3.20", "MATCHED", "ASK"],
            &[(Scene::List, "Three papers, one line"), (Scene::Board, "Invoices matched this month")],
        ),
        versions: &[
            version("0.1.0", "WITHDRAWN", 6 * DAY, &[("en", "Tried out with two suppliers.")]),
            version("0.2.0", "DRAFT", 30, &[("en", "Credit notes are matched too.")]),
        ],
        ..MAKER
    },
];
