//! Voorraadhuis of Utrecht: inventory and purchasing.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "voorraadhuis", author: "joris.hoekstra", state: "LISTED", ..BEGUN };

pub(super) const APPS: [AppData; 5] = [
    AppData {
        slug: "voorraad-count",
        days: 488,
        categories: &["inventory"],
        texts: &[
            text(
                "en",
                "Voorraad Count",
                "The monthly stocktake, done before the first delivery.",
                "Voorraad Count walks with you through the cold room shelf by shelf, in the order in which things \
                 stand there. Say the number, scan the crate or type; half bottles are a slider. Several people can \
                 count at once and never the same shelf.\n\nWhat differs from the book shows up at once, with the \
                 price of the difference, so that you look again while you are still standing there.",
            ),
            text(
                "de",
                "Voorraad Inventur",
                "Die Monatsinventur, fertig vor der ersten Lieferung.",
                "Voorraad Inventur geht mit Ihnen Regal für Regal durchs Kühlhaus, in der Reihenfolge, in der die Dinge \
                 stehen. Zahl sagen, Kiste scannen oder tippen; halbe Flaschen sind ein Schieber. Mehrere zählen \
                 gleichzeitig, nie dasselbe Regal. Abweichungen zeigen sich sofort, mit ihrem Preis.",
            ),
            text(
                "fr",
                "Voorraad Inventaire",
                "L'inventaire du mois, fini avant la première livraison.",
                "Voorraad Inventaire vous accompagne dans la chambre froide, étagère par étagère, dans l'ordre où tout \
                 est rangé. Dites le chiffre, scannez la caisse ou tapez ; les bouteilles entamées se règlent du \
                 doigt. À plusieurs, jamais la même étagère. L'écart s'affiche aussitôt, avec son prix.",
            ),
        ],
        permissions: &[
            ("stock:write", "Records the counted stock."),
            ("menu", "Computes the expected stock from the sales."),
        ],
        redirects: &["/count/oauth/callback"],
        look: look(
            [0x003d5b, 0x30638e],
            &["COLD ROOM", "SHELF 3", "BUTTER 250", "12 OF 14", "MINUS 8.40", "NEXT"],
            &[
                (Scene::List, "Shelf three of the cold room"),
                (Scene::Board, "Differences and their cost"),
                (Scene::Cards, "Three people counting at once"),
            ],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 461 * DAY, &[("en", "First release.")]),
            version("1.1.0", "SUPERSEDED", 333 * DAY, &[("en", "Several people count at once.")]),
            version("2.0.0", "SUPERSEDED", 118 * DAY, &[("en", "Numbers can be spoken, in five languages.")]),
            version(
                "2.0.1",
                "PUBLISHED",
                69 * DAY,
                &[
                    ("en", "Understands “a dozen” and “half a crate”."),
                    ("de", "Versteht „ein Dutzend“ und „eine halbe Kiste“."),
                    ("fr", "Comprend « une douzaine » et « une demi-caisse »."),
                ],
            ),
            VersionData {
                findings: &[(
                    "REQ-17",
                    "A screenshot shows the mark of a dairy. Use a made-up one, or show us that you may use it.",
                )],
                ..version(
                    "2.1.0",
                    "SUBMITTED",
                    27,
                    &[
                        ("en", "Opened bottles are weighed by a scale that is connected by Bluetooth."),
                        ("de", "Angebrochene Flaschen werden mit einer verbundenen Waage gewogen."),
                    ],
                )
            },
        ],
        ..MAKER
    },
    AppData {
        slug: "order-desk",
        days: 470,
        categories: &["supplier-orders"],
        texts: &[
            text(
                "en",
                "Order Desk",
                "One list in the evening, nine suppliers in the morning.",
                "Write down what you need as it comes to mind; Order Desk sorts it by supplier, adds what has fallen \
                 below its mark and sends every order the way that supplier likes it: portal, mail or the message the \
                 fish market reads at four in the morning.\n\nIt knows closing times and least quantities, and asks \
                 before it orders forty kilos of basil.",
            ),
            text(
                "de",
                "Bestelltisch",
                "Abends eine Liste, morgens neun Lieferanten.",
                "Schreiben Sie auf, was Ihnen einfällt; der Bestelltisch sortiert nach Lieferant, ergänzt, was unter die \
                 Marke gefallen ist, und schickt jede Bestellung so, wie der Lieferant sie mag: Portal, Mail oder die \
                 Nachricht, die der Fischmarkt um vier Uhr liest. Bei vierzig Kilo Basilikum fragt er nach.",
            ),
        ],
        permissions: &[
            ("stock", "Finds items below their minimum stock."),
            ("suppliers:write", "Sends orders to your suppliers in your name."),
        ],
        redirects: &["/desk/oauth/callback"],
        look: look(
            [0x5a189a, 0xff9e00],
            &["FISH MARKET", "DAIRY", "BASIL 40 KG", "CLOSES 22:00", "MINIMUM 75", "SEND ALL"],
            &[
                (Scene::List, "The evening list, sorted by supplier"),
                (Scene::Cards, "Nine suppliers, nine closing times"),
            ],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 440 * DAY, &[("en", "First release.")]),
            version("1.2.0", "SUPERSEDED", 225 * DAY, &[("en", "Asks before unlikely quantities.")]),
            version(
                "1.3.0",
                "PUBLISHED",
                58 * DAY,
                &[
                    ("en", "Standing orders, with pauses for holidays."),
                    ("de", "Daueraufträge, mit Pausen für Ferien."),
                ],
            ),
        ],
        live_tagline: "One list, nine suppliers.",
        ..MAKER
    },
    AppData {
        slug: "recipe-book",
        author: "lieke.vermeulen",
        days: 390,
        categories: &["recipes"],
        texts: &[
            text(
                "en",
                "Recipe Book",
                "The cost of the dish with today's price of butter.",
                "Recipe Book keeps recipes as cooks write them, by gram and by pan, and costs them with the prices of \
                 your last deliveries. When butter goes up you see which eleven dishes feel it and by how much. Scale \
                 a recipe to 7 or to 70 and it rounds as a cook would.\n\nOld versions stay, so that the sauce of \
                 2019 can come back.",
            ),
            text(
                "fr",
                "Carnet de Recettes",
                "Ce que coûte le plat aujourd'hui, au prix du beurre d'aujourd'hui.",
                "Le Carnet garde les recettes comme les cuisiniers les écrivent, au gramme et à la casserole, et les \
                 chiffre au prix de vos dernières livraisons. Quand le beurre monte, vous voyez quels onze plats le \
                 sentent. Pour 7 ou pour 70, il arrondit comme un cuisinier. Les anciennes versions restent.",
            ),
            text(
                "de",
                "Rezeptbuch",
                "Was das Gericht heute kostet, beim heutigen Butterpreis.",
                "Das Rezeptbuch hält Rezepte, wie Köche sie schreiben, nach Gramm und nach Pfanne, und rechnet mit den \
                 Preisen der letzten Lieferungen. Steigt die Butter, sehen Sie, welche elf Gerichte es spüren. Auf 7 \
                 oder 70 Portionen umgerechnet rundet es wie ein Koch.",
            ),
        ],
        permissions: &[
            ("stock", "Reads the prices of your last deliveries."),
            ("menu:write", "Writes portion costs next to your dishes."),
        ],
        redirects: &["/recipes/oauth/callback"],
        look: look(
            [0x7f4f24, 0xc2c5aa],
            &["HOLLANDAISE", "BUTTER 180 G", "YOLK 4", "COST 2.85", "X 70", "SINCE 2019"],
            &[(Scene::List, "A sauce and its cost today"), (Scene::Board, "Eleven dishes that feel the butter")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 362 * DAY, &[("en", "First release.")]),
            version(
                "1.1.0",
                "SUPERSEDED",
                210 * DAY,
                &[("en", "Old versions of a recipe can be read and brought back.")],
            ),
            version(
                "1.2.0",
                "PUBLISHED",
                30 * DAY,
                &[
                    ("en", "Rounds like a cook: no more 3.7 eggs."),
                    ("fr", "Arrondit comme un cuisinier : fini les 3,7 œufs."),
                    ("de", "Rundet wie ein Koch: keine 3,7 Eier mehr."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "allergen-cards",
        author: "lieke.vermeulen",
        days: 276,
        categories: &["allergens", "recipes"],
        texts: &[
            text(
                "en",
                "Allergen Cards",
                "Fourteen allergens, right on every menu, also after the chef changed the sauce.",
                "Allergen Cards reads your recipes and writes the declaration: on the menu, on the shelf, on the card \
                 that the waiter shows. When an ingredient changes, everything that contains it is marked until \
                 somebody has looked.\n\nGuests choose what they must avoid on their phone and see what is left of \
                 the menu, never only what is forbidden.",
            ),
            text(
                "de",
                "Allergenkarten",
                "Vierzehn Allergene, richtig auf jeder Karte, auch nach der neuen Soße.",
                "Die Allergenkarten lesen Ihre Rezepte und schreiben die Kennzeichnung: auf die Speisekarte, ans Regal, \
                 auf die Karte für die Bedienung. Ändert sich eine Zutat, ist alles markiert, was sie enthält, bis \
                 jemand hingesehen hat. Gäste sehen auf dem Telefon, was sie essen können.",
            ),
            text(
                "fr",
                "Cartes Allergènes",
                "Quatorze allergènes, justes sur chaque carte, même si la sauce change.",
                "Cartes Allergènes lit vos recettes et rédige la déclaration : sur la carte, en rayon, sur la fiche du \
                 serveur. Si un ingrédient change, tout ce qui le contient reste marqué jusqu'à vérification. Les \
                 clients voient sur leur téléphone ce qu'ils peuvent manger, pas seulement ce qui est interdit.",
            ),
        ],
        permissions: &[
            ("menu:write", "Writes the declaration on the menu."),
            ("stock", "Reads what your products contain."),
        ],
        redirects: &["/allergens/oauth/callback"],
        look: look(
            [0x386641, 0xbc4749],
            &["GLUTEN", "CELERY", "MUSTARD", "LUPIN", "TO CHECK 3", "FREE OF NUTS"],
            &[(Scene::Cards, "Fourteen allergens and one dish"), (Scene::List, "What must be looked at again")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 250 * DAY, &[("en", "First release.")]),
            version(
                "1.0.1",
                "PUBLISHED",
                174 * DAY,
                &[
                    ("en", "Lupin and lupine flowers are not confused any more."),
                    ("de", "Lupine wird nicht mehr mit der Blume verwechselt."),
                    ("fr", "Le lupin n'est plus confondu avec la fleur."),
                ],
            ),
            VersionData {
                decision: "Approved. A careful piece of work.",
                ..version(
                    "1.1.0",
                    "APPROVED",
                    2 * DAY,
                    &[
                        ("en", "Guests filter the menu on their own phone."),
                        ("de", "Gäste filtern die Karte auf dem eigenen Telefon."),
                        ("fr", "Les clients filtrent la carte sur leur téléphone."),
                    ],
                )
            },
        ],
        ..MAKER
    },
    AppData {
        slug: "waste-log",
        days: 199,
        categories: &["inventory", "reports"],
        texts: &[
            text(
                "en",
                "Waste Log",
                "Throw it away once, with a reason, and less of it next week.",
                "A scale under the bin and one tap for the reason: overproduction, plate, spoilt, mishap. Waste Log \
                 turns that into euros by Friday and names the three things worth changing. Kitchens that use it \
                 argue less about guilt, because nobody's name is in it.",
            ),
            text(
                "de",
                "Abfallbuch",
                "Einmal wegwerfen, mit Grund, und nächste Woche weniger davon.",
                "Eine Waage unter der Tonne und ein Tipper für den Grund: zu viel gekocht, Teller, verdorben, \
                 Missgeschick. Das Abfallbuch macht daraus bis Freitag Euro und nennt die drei Dinge, die sich zu \
                 ändern lohnen. Namen stehen keine darin, darum wird weniger gestritten.",
            ),
        ],
        permissions: &[("stock:write", "Removes thrown-away goods from the stock.")],
        redirects: &["/waste/oauth/callback"],
        look: look(
            [0x606c38, 0xbc6c25],
            &["PLATE 4.2 KG", "SPOILT 1.1 KG", "BREAD", "RICE", "THIS WEEK", "62 EUR"],
            &[(Scene::Board, "A week of waste in euros"), (Scene::Cards, "One tap for the reason")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 176 * DAY, &[("en", "First release.")]),
            version(
                "1.1.0",
                "PUBLISHED",
                92 * DAY,
                &[
                    ("en", "Three proposals a week instead of a table."),
                    ("de", "Drei Vorschläge je Woche statt einer Tabelle."),
                ],
            ),
        ],
        ..MAKER
    },
];
