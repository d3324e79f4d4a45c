//! Reviews of Belle Tablée's apps for rooms and reservations.

use super::{AppReviews, Fate, answered, judged, of, said, waits};

pub(super) const REVIEWS: [AppReviews; 9] = [
    of(
        "mise-table-planner",
        "5554554453",
        &[
            said(
                5,
                "fr",
                "Vingt couverts de plus le samedi",
                "Sans ajouter une chaise. Elle voit des creux que je ne voyais pas.",
            ),
            said(
                5,
                "en",
                "The pencil is gone",
                "Twelve years with a book and an eraser. My head waiter held out for a week and now defends it against the owner.",
            ),
            said(
                4,
                "de",
                "Kennt unsere Stammgäste besser als ich",
                "Die Verweildauer stimmt erschreckend genau. Die Terrasse müsste man nach Wetter ein- und ausblenden können.",
            ),
            answered(
                3,
                "en",
                "Tablets disagreed once",
                "After a network failure two tablets showed different rooms for a minute. Nothing was lost, but we sweated.",
                "That minute was the merge, and it looked worse than it was. Since 1.4.2 the tablets say so while they are at it.",
            ),
            said(
                5,
                "fr",
                "Le message quand la table est prête",
                "Les clients vont se promener sur les quais au lieu de nous regarder. Tout le monde est plus calme.",
            ),
            said(
                5,
                "en",
                "Screen readers work",
                "One of our hosts is blind. This is the first planner she can use on her own.",
            ),
            waits(5, "de", "Endlich deutsch", "Mit 1.5 auch die letzten Texte. Danke!"),
        ],
    ),
    of(
        "attente",
        "4545",
        &[
            said(
                5,
                "fr",
                "Plus de file sur le trottoir",
                "Le voisin du dessus nous remercie. L'estimation tombe juste à trois minutes près.",
            ),
            answered(
                3,
                "fr",
                "Cinq minutes, c'est court",
                "Les familles avec poussette n'ont pas le temps de revenir. Il faudrait pouvoir choisir.",
                "C'est désormais réglable, de trois à quinze minutes, et par taille de table.",
            ),
            said(
                4,
                "en",
                "Guests love the drink next door",
                "And the bar next door loves us. Numbers abroad sometimes do not get the message.",
            ),
        ],
    ),
    of(
        "no-show-guard",
        "554432",
        &[
            said(
                5,
                "en",
                "From nine per cent to two",
                "And nobody complained, because hardly anybody is asked. That is the clever part.",
            ),
            said(
                4,
                "de",
                "Fair",
                "Die Stammgäste merken nichts davon, und an Silvester bleibt trotzdem kein Tisch leer.",
            ),
            answered(
                2,
                "en",
                "Refund took four days",
                "The guest cancelled in time and called us every day about her twenty euros.",
                "The money leaves us within a minute; her bank took its time. The message to the guest now says so.",
            ),
            said(
                5,
                "fr",
                "Les phrases avant les règles",
                "Les clients lisent, comprennent, acceptent. Plus de discussions au téléphone.",
            ),
        ],
    ),
    of(
        "regulars",
        "55445",
        &[
            said(
                5,
                "fr",
                "Le carnet de ma mère, en mieux",
                "Elle connaissait tout le monde par cœur. Moi j'ai Habitués.",
            ),
            said(
                4,
                "en",
                "Speaking notes is brilliant",
                "On the way to the kitchen, while I still remember. It spells names wrong now and then.",
            ),
            answered(
                3,
                "en",
                "Notes cut off",
                "Long notes end in the middle of a",
                "We noticed the irony. Fixed in 2.0.1, and no text was lost.",
            ),
            judged(
                Fate::Rejected("Describes a guest so that he can be recognised."),
                4,
                "fr",
                "Pratique",
                "On y note que le monsieur de la table sept, le notaire de la place, ne vient jamais deux fois avec la même dame.",
            ),
        ],
    ),
    of(
        "menu-du-jour",
        "4544",
        &[
            said(5, "fr", "Lit l'écriture de mon chef", "Ce que moi je n'arrive pas à faire."),
            said(
                4,
                "de",
                "Mittags online in einer Minute",
                "Einmal hat er aus „Schupfnudeln“ „Schupfrudeln“ gemacht. Die Gäste fanden es lustig.",
            ),
            said(
                5,
                "en",
                "Gone at three",
                "The best part: at three o'clock the menu disappears, and no guest comes too late for lunch.",
            ),
        ],
    ),
    of(
        "concierge-widget",
        "5445543",
        &[
            said(
                5,
                "en",
                "Our site is fast again",
                "We replaced a booking widget of 900 kilobytes. Bookings went up by a fifth in the first month.",
            ),
            said(4, "fr", "Sobre et efficace", "Trois questions, pas une de plus. On aimerait choisir la photo."),
            said(5, "en", "No cookie banner needed", "Our lawyer is happy, our designer is happy, I am happy."),
            answered(
                3,
                "de",
                "Halbe Stunde später",
                "Der Vorschlag ist gut, aber bei uns sind Viertelstunden üblich.",
                "Unter Zeiten lassen sich Viertelstunden einstellen; das steht jetzt auch in der Anleitung.",
            ),
        ],
    ),
    of(
        "table-talk",
        "4453",
        &[
            said(
                5,
                "en",
                "Caught it at the table",
                "A cold soup, a buzz in my pocket, a new soup and a coffee on the house. She came back on Sunday.",
            ),
            said(4, "de", "Montagsübersicht ist gut", "Dass keine Namen darin stehen, hat den Betriebsrat überzeugt."),
            waits(2, "en", "Summaries by table", "We have tables with one seat. Everyone knows who sat there."),
        ],
    ),
    of(
        "group-bookings",
        "443",
        &[
            said(
                4,
                "fr",
                "Du flou au devis signé",
                "Trois messages au lieu de quinze. Dommage que l'agenda ne voie pas les jours fériés.",
            ),
            said(5, "en", "Option dates that end by themselves", "I forgot them all the time. The app does not."),
        ],
    ),
    of(
        "table-auction",
        "51",
        &[
            said(
                2,
                "en",
                "Fun, until it was not",
                "A guest who lost the bid was charged anyway. We gave it back ourselves and switched it off.",
            ),
            judged(
                Fate::Rejected("Advertises another product."),
                1,
                "en",
                "Use something better",
                "There are far better ways to fill a table; look for our own system on the web, first month free.",
            ),
        ],
    ),
];
