//! Belle Tablée of Lyon: reservations and rooms.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "belle-tablee", author: "bastien.faure", state: "LISTED", ..BEGUN };

pub(super) const APPS: [AppData; 5] = [
    AppData {
        slug: "mise-table-planner",
        days: 631,
        categories: &["table-planning", "reservations"],
        texts: &[
            text(
                "en",
                "Mise Table Planner",
                "Seat every party without a pencil.",
                "Mise draws your floor plan, takes reservations from every channel and seats walk-ins in the gaps. It \
                 knows how long a party of six stays on a Friday, because it watched the last hundred of them, and it \
                 warns before two tables turn at the same minute.\n\nGuests on the waiting list get a message when \
                 their table is free. The room is the same on every tablet, also while the network is gone.",
            ),
            text(
                "fr",
                "Mise Plan de Salle",
                "Placez chaque table sans crayon.",
                "Mise dessine votre salle, reçoit les réservations de tous les canaux et place les clients de passage \
                 dans les creux. Elle sait combien de temps reste une table de six le vendredi, car elle a observé les \
                 cent dernières, et prévient avant que deux tables ne tournent à la même minute.\n\nLes clients en \
                 attente reçoivent un message quand leur table se libère.",
            ),
            text(
                "de",
                "Mise Tischplaner",
                "Jede Runde am richtigen Tisch, ganz ohne Bleistift.",
                "Mise zeichnet Ihren Raum, nimmt Reservierungen aus allen Kanälen an und setzt Laufkundschaft in die \
                 Lücken. Der Planer weiß, wie lange sechs Personen am Freitag bleiben, weil er die letzten hundert \
                 beobachtet hat, und warnt, bevor zwei Tische in derselben Minute wechseln.",
            ),
        ],
        permissions: &[
            ("reservations:write", "Takes reservations and moves them between tables."),
            ("orders:write", "Writes the table number on an order when a party is seated."),
            ("guests", "Recognises guests who have been here before."),
        ],
        redirects: &["/mise/oauth/callback", "/mise/oauth/staging"],
        look: look(
            [0x005f73, 0x94d2bd],
            &["TABLE 14", "DUPONT 4", "20:30", "WALK-IN 2", "TERRACE", "FREE AT 21:10"],
            &[
                (Scene::Room, "The room at half past eight"),
                (Scene::Week, "Seatings of an evening, table by table"),
                (Scene::List, "Reservations and the waiting list"),
            ],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 604 * DAY, &[("en", "First release."), ("fr", "Première version.")]),
            version(
                "1.3.0",
                "SUPERSEDED",
                410 * DAY,
                &[
                    ("en", "Learns how long parties stay, by size, weekday and season."),
                    ("fr", "Apprend la durée des repas selon la taille, le jour et la saison."),
                ],
            ),
            version(
                "1.4.2",
                "SUPERSEDED",
                170 * DAY,
                &[
                    ("en", "Continues without a network and merges the work of several tablets later."),
                    ("fr", "Continue sans réseau et réunit ensuite ce que plusieurs tablettes ont fait."),
                ],
            ),
            version(
                "1.5.0",
                "PUBLISHED",
                12 * DAY,
                &[
                    ("en", "Waiting lists now text your guests when their table is free."),
                    ("fr", "Les listes d'attente préviennent vos clients quand leur table se libère."),
                    ("de", "Wartelisten schicken Ihren Gästen eine Nachricht, sobald ihr Tisch frei ist."),
                ],
            ),
            version("1.6.0", "DRAFT", 2 * DAY, &[("en", "Draws the terrace when the weather allows it.")]),
        ],
        ..MAKER
    },
    AppData {
        slug: "attente",
        author: "ines.belkacem",
        days: 288,
        categories: &["waiting-lists"],
        texts: &[
            text(
                "fr",
                "Attente",
                "La file devant la porte devient un message sur le téléphone.",
                "Attente remplace la file par un code à l'entrée. Le client indique combien ils sont, reçoit une heure \
                 estimée et s'en va prendre un verre à côté. Quand la table est prête, le téléphone vibre ; s'il ne \
                 répond pas en cinq minutes, la table va au suivant.\n\nL'estimation se fonde sur la salle telle \
                 qu'elle est, pas sur une moyenne.",
            ),
            text(
                "en",
                "Attente",
                "The queue at the door becomes a message on a phone.",
                "Attente replaces the queue by a code at the door. Guests say how many they are, get an estimate and go \
                 for a drink next door. When the table is ready the phone buzzes; whoever does not answer within five \
                 minutes lets the next party in. The estimate looks at the room as it is, not at an average.",
            ),
        ],
        permissions: &[
            ("reservations:write", "Adds parties to the waiting list and seats them."),
            ("guests", "Sends the message to the number that a guest left."),
        ],
        redirects: &["/attente/oauth/callback"],
        look: look(
            [0x9b2226, 0xee9b00],
            &["EN ATTENTE 7", "TABLE DE 2", "12 MIN", "PRET", "SUIVANT", "MARTIN 4"],
            &[
                (Scene::List, "La file du soir, estimation comprise"),
                (Scene::Cards, "Ce que voit le client sur son téléphone"),
            ],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 262 * DAY, &[("fr", "Première version."), ("en", "First release.")]),
            version(
                "1.1.0",
                "PUBLISHED",
                83 * DAY,
                &[
                    ("fr", "L'estimation tient compte des desserts commandés."),
                    ("en", "The estimate takes into account which tables have ordered dessert."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "no-show-guard",
        days: 455,
        categories: &["reservations"],
        texts: &[
            text(
                "en",
                "No-Show Guard",
                "Asks for a deposit only after a no-show.",
                "Most guests come. No-Show Guard asks for a deposit only where the risk is real: large parties, the \
                 big evenings, guests who failed to come twice. Everyone else books as always. Whoever cancels in time \
                 gets the money back by itself.\n\nYour rules are sentences that guests can read before they book, and \
                 every exception is one tap for the host.",
            ),
            text(
                "fr",
                "Table Promise",
                "Un acompte pour ceux qui ont déjà fait faux bond, pas pour les autres.",
                "La plupart des clients viennent. Table Promise ne demande un acompte que là où le risque est réel : \
                 grandes tables, soirs de fête, deux absences déjà. Les autres réservent comme toujours. Qui annule à \
                 temps est remboursé sans rien demander, et chaque exception se décide d'un geste.",
            ),
            text(
                "de",
                "No-Show-Wächter",
                "Anzahlung nur von denen, die schon einmal nicht kamen.",
                "Die meisten Gäste kommen. Der No-Show-Wächter verlangt nur dort eine Anzahlung, wo das Risiko echt ist: \
                 große Runden, besondere Abende, zweimal nicht erschienen. Alle anderen reservieren wie immer. Wer \
                 rechtzeitig absagt, bekommt sein Geld von selbst zurück.",
            ),
        ],
        permissions: &[
            ("reservations:write", "Holds a table until the deposit has arrived."),
            ("payments:write", "Takes deposits and pays them back."),
            ("guests", "Counts how often a guest did not come."),
        ],
        redirects: &["/guard/oauth/callback"],
        look: look(
            [0x1a1a40, 0x7a0bc0],
            &["PARTY OF 10", "DEPOSIT 20 EUR", "CAME 14 OF 14", "REFUNDED", "NEW YEAR", "NO RULE"],
            &[(Scene::List, "Tonight's bookings and their risk"), (Scene::Board, "No-shows before and since")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 430 * DAY, &[("en", "First release.")]),
            version(
                "1.1.0",
                "SUPERSEDED",
                247 * DAY,
                &[("en", "Refunds leave by themselves when a guest cancels in time.")],
            ),
            VersionData {
                decision: "Approved. Please keep the sentence about refunds where it is, above the button.",
                ..version(
                    "1.2.0",
                    "PUBLISHED",
                    66 * DAY,
                    &[
                        ("en", "Rules are sentences now, and guests see the rule that applies to them."),
                        ("fr", "Les règles sont des phrases, et le client voit celle qui le concerne."),
                    ],
                )
            },
        ],
        ..MAKER
    },
    AppData {
        slug: "regulars",
        author: "ines.belkacem",
        days: 512,
        categories: &["loyalty", "reservations"],
        texts: &[
            text(
                "en",
                "Regulars",
                "Remember that Madame Lefèvre takes the window and no coriander.",
                "Regulars is the little black book of the house, readable by everyone on duty. It shows who comes \
                 tonight, where they like to sit, what they never eat and when they were here last. Notes can be \
                 spoken on the way to the kitchen.\n\nGuests may ask what stands there about them and have it \
                 deleted with one sentence; the app writes that letter for you.",
            ),
            text(
                "fr",
                "Habitués",
                "Se souvenir que Madame Lefèvre veut la fenêtre, sans coriandre.",
                "Habitués est le carnet de la maison, lisible par toute l'équipe en service. Qui vient ce soir, où ils \
                 aiment s'asseoir, ce qu'ils ne mangent jamais, quand ils sont venus. Les notes se dictent en allant \
                 en cuisine. Un client peut demander ce qui est écrit et le faire effacer : l'application rédige la \
                 réponse.",
            ),
        ],
        permissions: &[
            ("guests:write", "Keeps notes about guests who come again."),
            ("reservations", "Shows who comes tonight."),
        ],
        redirects: &["/regulars/oauth/callback"],
        look: look(
            [0x582f0e, 0xb6ad90],
            &["LEFEVRE", "WINDOW", "NO CORIANDER", "14TH VISIT", "BIRTHDAY", "TABLE 3"],
            &[(Scene::Cards, "Tonight's regulars at a glance"), (Scene::List, "The notes about a guest")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 486 * DAY, &[("en", "First release.")]),
            version("2.0.0", "SUPERSEDED", 190 * DAY, &[("en", "Guests can read and delete the notes about them.")]),
            version(
                "2.0.1",
                "PUBLISHED",
                155 * DAY,
                &[
                    ("en", "Fixes notes that were cut off after a hundred letters."),
                    ("fr", "Corrige les notes coupées après cent lettres."),
                ],
            ),
        ],
        live_tagline: "Remember who takes the window.",
        ..MAKER
    },
    AppData {
        slug: "menu-du-jour",
        author: "margaux.tissier",
        days: 344,
        categories: &["online-ordering"],
        texts: &[
            text(
                "fr",
                "Menu du Jour",
                "L'ardoise du midi, en ligne avant que le café ne soit froid.",
                "Photographiez l'ardoise : Menu du Jour lit les plats, les met en page et les publie sur votre site, \
                 votre fiche et l'écran de la vitrine. À quinze heures tout disparaît. Les prix viennent de la caisse, \
                 les allergènes de vos recettes, et une phrase suffit pour dire qu'il n'y a plus de quenelles.",
            ),
            text(
                "en",
                "Menu du Jour",
                "The lunch board, online before the coffee gets cold.",
                "Take a picture of the board: Menu du Jour reads the dishes, sets them and puts them on your website, \
                 your listing and the screen in the window. At three o'clock it all disappears. Prices come from the \
                 till, allergens from your recipes, and one sentence is enough to say that the quenelles are gone.",
            ),
            text(
                "de",
                "Tageskarte",
                "Die Mittagstafel ist online, ehe der Kaffee kalt wird.",
                "Fotografieren Sie die Tafel: Tageskarte liest die Gerichte, setzt sie und stellt sie auf Website, \
                 Eintrag und Schaufensterbildschirm. Um drei Uhr verschwindet alles wieder. Preise kommen aus der \
                 Kasse, Allergene aus Ihren Rezepten, und ein Satz genügt, wenn die Knödel aus sind.",
            ),
        ],
        permissions: &[("menu:write", "Writes today's dishes on the card and takes them off again.")],
        redirects: &["/menu/oauth/callback"],
        look: look(
            [0x2d6a4f, 0xffb703],
            &["QUENELLES", "SALADE LYONNAISE", "ILE FLOTTANTE", "14.50", "JUSQU'A 15 H", "EPUISE"],
            &[
                (Scene::Cards, "L'ardoise du jour sur l'écran de la vitrine"),
                (Scene::List, "Les plats lus sur la photo"),
            ],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 318 * DAY, &[("fr", "Première version."), ("en", "First release.")]),
            version(
                "1.1.0",
                "SUPERSEDED",
                140 * DAY,
                &[("fr", "Lit aussi l'écriture du chef."), ("en", "Reads the chef's handwriting too.")],
            ),
            version(
                "1.2.0",
                "PUBLISHED",
                36 * DAY,
                &[
                    ("fr", "L'écran de la vitrine suit la caisse à la minute."),
                    ("en", "The screen in the window follows the till to the minute."),
                    ("de", "Der Bildschirm im Fenster folgt der Kasse auf die Minute."),
                ],
            ),
        ],
        ..MAKER
    },
];
