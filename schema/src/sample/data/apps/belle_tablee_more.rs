//! Belle Tablée of Lyon: additional services for restaurants.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "belle-tablee", author: "ines.belkacem", ..BEGUN };

pub(super) const APPS: [AppData; 6] = [
    AppData {
        slug: "concierge-widget",
        state: "LISTED",
        author: "bastien.faure",
        days: 560,
        categories: &["reservations"],
        texts: &[
            text(
                "en",
                "Concierge Widget",
                "A booking button that loads before the guest has changed their mind.",
                "Concierge puts a booking button on your website: 14 kilobytes, no cookies, three questions. It offers \
                 what your room really has left, suggests half an hour later when eight o'clock is full, and hands the \
                 booking to whatever planner you use here.\n\nColours and words are yours. A screen reader gets \
                 through it as quickly as a mouse.",
            ),
            text(
                "fr",
                "Bouton Concierge",
                "Un bouton de réservation qui s'affiche avant que le client ne change d'avis.",
                "Concierge pose un bouton de réservation sur votre site : 14 kilo-octets, aucun cookie, trois \
                 questions. Il propose ce qui reste vraiment en salle, suggère une demi-heure plus tard quand vingt \
                 heures est complet, et transmet la réservation au plan de salle de votre choix.",
            ),
        ],
        permissions: &[("reservations:write", "Hands in bookings made on your website.")],
        redirects: &["/concierge/oauth/callback"],
        look: look(
            [0x003049, 0xd62828],
            &["FRIDAY", "2 GUESTS", "19:30", "20:00 FULL", "20:30", "BOOK"],
            &[(Scene::Cards, "Three questions, one booking"), (Scene::Board, "Bookings by hour and page")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 533 * DAY, &[("en", "First release.")]),
            version("2.0.0", "SUPERSEDED", 280 * DAY, &[("en", "No cookies, and a fifth of its former size.")]),
            version(
                "2.1.0",
                "PUBLISHED",
                120 * DAY,
                &[("en", "Suggests the next free half hour."), ("fr", "Propose la prochaine demi-heure libre.")],
            ),
            VersionData {
                decision: "Fine as it is.",
                ..version(
                    "2.2.0",
                    "SCHEDULED",
                    30,
                    &[
                        ("en", "Children's chairs and prams can be booked along."),
                        ("fr", "Chaises hautes et poussettes se réservent aussi."),
                    ],
                )
            },
        ],
        ..MAKER
    },
    AppData {
        slug: "table-talk",
        state: "LISTED",
        author: "margaux.tissier",
        days: 221,
        categories: &["guest-feedback"],
        texts: &[
            text(
                "en",
                "Table Talk",
                "Two questions with the bill, answered while the card is read.",
                "Table Talk asks two questions, and only guests who have paid can answer. A low mark rings in the \
                 manager's pocket before the guest has found their coat, so that things can be put right on the \
                 spot. A high one asks politely for a review elsewhere.\n\nEvery Monday it sums up the week by dish, \
                 by table and by shift, never by waiter.",
            ),
            text(
                "de",
                "Tischgespräch",
                "Zwei Fragen mit der Rechnung, beantwortet beim Bezahlen.",
                "Tischgespräch stellt zwei Fragen, und nur wer bezahlt hat, kann antworten. Eine schlechte Note \
                 klingelt in der Tasche der Leitung, ehe der Gast seinen Mantel gefunden hat, und lässt sich noch am \
                 Tisch ausräumen. Montags kommt die Woche nach Gericht, Tisch und Schicht, nie nach Person.",
            ),
            text(
                "fr",
                "À Table, Dites",
                "Deux questions avec l'addition, le temps de lire la carte.",
                "À Table, Dites pose deux questions, et seuls ceux qui ont payé peuvent répondre. Une mauvaise note \
                 sonne chez le responsable avant que le client n'ait retrouvé son manteau. Le lundi, le bilan de la \
                 semaine arrive par plat, par table et par service, jamais par serveur.",
            ),
        ],
        permissions: &[
            ("payments", "Knows that the guest has paid."),
            ("orders", "Knows which dishes the answer is about."),
        ],
        redirects: &["/talk/oauth/callback"],
        look: look(
            [0x264653, 0xe9c46a],
            &["HOW WAS IT", "FOOD", "SERVICE", "4.6", "THIS WEEK", "CALL MANAGER"],
            &[(Scene::Board, "The week by dish and by shift"), (Scene::Cards, "Two questions next to the bill")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 197 * DAY, &[("en", "First release.")]),
            version(
                "1.0.3",
                "PUBLISHED",
                88 * DAY,
                &[
                    ("en", "The weekly summary groups dishes that were renamed."),
                    ("de", "Die Wochenübersicht fasst umbenannte Gerichte zusammen."),
                ],
            ),
            VersionData {
                findings: &[(
                    "REQ-15",
                    "The listing says that answers are anonymous, but the summary names tables of one guest. Fix one \
                     of the two.",
                )],
                decision: "We cannot let this version go to customers while text and behaviour differ.",
                ..version("1.1.0", "REJECTED", 8 * DAY, &[("en", "Summaries by table, updated every hour.")])
            },
        ],
        ..MAKER
    },
    AppData {
        slug: "soiree",
        days: 70,
        categories: &["reservations", "loyalty"],
        texts: &[
            text(
                "fr",
                "Soirée",
                "Des billets pour le dîner œnologique, le brunch et le réveillon.",
                "Soirée vend des places au lieu de tables : un menu, une heure, un prix, payé d'avance. Les allergies se \
                 demandent à l'achat, la cuisine reçoit la liste la veille, et les places rendues repartent en vente \
                 aussitôt.\n\nUne page par soirée, avec votre photo et votre ton ; l'accueil pointe les billets sur un \
                 téléphone.",
            ),
            text(
                "en",
                "Soirée",
                "Tickets for the wine dinner, the brunch and New Year's Eve.",
                "Soirée sells seats instead of tables: one menu, one hour, one price, paid ahead. It asks for allergies \
                 with the purchase, gives the kitchen its list the day before and sells returned seats again at once. \
                 One page for each evening, with your picture and your tone.",
            ),
        ],
        permissions: &[
            ("reservations:write", "Turns a sold ticket into a seat in the room."),
            ("payments:write", "Takes payment for tickets and pays returned ones back."),
        ],
        redirects: &["/soiree/oauth/callback"],
        look: look(
            [0x10002b, 0xe0aaff],
            &["ACCORDS METS VINS", "24 PLACES", "89 EUR", "COMPLET", "LISTE CUISINE", "BILLET 017"],
            &[(Scene::Cards, "Trois soirées en vente"), (Scene::List, "La liste pour la cuisine, la veille")],
        ),
        versions: &[VersionData {
            word: "Un compte d'essai : maison « Quai des Lumières ». Le paiement y est factice.",
            ..version(
                "1.0.0",
                "IN_REVIEW",
                16,
                &[
                    ("fr", "Première version : billets, liste pour la cuisine, pointage à l'entrée."),
                    ("en", "The first version: tickets, a list for the kitchen, check-in at the door."),
                ],
            )
        }],
        ..MAKER
    },
    AppData {
        slug: "group-bookings",
        state: "UNLISTED",
        reason: "No new customers until the new calendar is ready.",
        state_hours: 23 * DAY,
        days: 397,
        categories: &["reservations"],
        texts: &[
            text(
                "en",
                "Group Bookings",
                "From “we are about thirty” to a signed menu in three messages.",
                "Enquiries for groups arrive vague and late. Group Bookings answers with two menus that fit the season \
                 and the room, asks for what is missing, keeps the option until the date you set and makes an offer \
                 that can be signed on a phone. Kitchen and service see the same sheet, also when the thirty become \
                 twenty-two on the day before.",
            ),
            text(
                "fr",
                "Groupes",
                "De « nous serons une trentaine » au menu signé, en trois messages.",
                "Les demandes de groupe arrivent vagues et tard. Groupes répond avec deux menus de saison, demande ce \
                 qui manque, garde l'option jusqu'à la date fixée et prépare un devis à signer sur le téléphone. \
                 Cuisine et salle lisent la même fiche, même quand les trente deviennent vingt-deux la veille.",
            ),
        ],
        permissions: &[
            ("reservations:write", "Holds rooms for groups until an option ends."),
            ("menu", "Proposes menus from your card."),
        ],
        redirects: &["/groups/oauth/callback"],
        look: look(
            [0x344e41, 0xa3b18a],
            &["30 GUESTS", "OPTION FRI", "MENU A", "MENU B", "SIGNED", "22 NOW"],
            &[(Scene::List, "Open enquiries and their options"), (Scene::Week, "Rooms and groups of a week")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 372 * DAY, &[("en", "First release.")]),
            version(
                "1.1.0",
                "PUBLISHED",
                199 * DAY,
                &[("en", "Offers can be signed on a phone."), ("fr", "Le devis se signe sur le téléphone.")],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "table-auction",
        state: "SUSPENDED",
        reason: "Customers report charges after a lost bid. Suspended while the vendor looks into it.",
        state_hours: 4 * DAY,
        days: 130,
        categories: &["reservations"],
        texts: &[text(
            "en",
            "Table Auction",
            "The last table of the evening goes to the highest bidder.",
            "Table Auction offers your last free table to guests on the waiting list and lets them bid for it. The \
             winner pays the bid with the bill; everyone else pays nothing. You set the least price, the end and the \
             evenings, and may give the money to a good cause with a note on the receipt.",
        )],
        permissions: &[
            ("reservations:write", "Gives the table to the winner."),
            ("payments:write", "Charges the winning bid with the bill."),
        ],
        redirects: &["/auction/oauth/callback"],
        look: look(
            [0x6a040f, 0xffba08],
            &["TABLE 1", "BID 25", "BID 30", "04:59", "WINNER", "YOUR BID"],
            &[(Scene::Cards, "A table with five minutes to go"), (Scene::List, "Bids of the last weeks")],
        ),
        versions: &[version("1.0.0", "PUBLISHED", 101 * DAY, &[("en", "First release.")])],
        ..MAKER
    },
    AppData {
        slug: "brunch-bell",
        author: "margaux.tissier",
        days: 3,
        categories: &[],
        linked: false,
        texts: &[text("fr", "Brunch Bell", "", "")],
        ..MAKER
    },
];
