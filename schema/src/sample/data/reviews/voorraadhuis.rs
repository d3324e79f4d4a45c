//! Reviews of Voorraadhuis's apps for inventory and purchasing.

use super::{AppReviews, Fate, answered, judged, of, said, waits};

pub(super) const REVIEWS: [AppReviews; 8] = [
    of(
        "voorraad-count",
        "55455445",
        &[
            said(
                5,
                "en",
                "Ninety minutes instead of four hours",
                "Two people, one cold room, done before the dairy van came.",
            ),
            said(
                5,
                "fr",
                "En parlant, dans la chambre froide",
                "Avec des gants, on ne tape pas. On parle, et elle comprend même mon accent.",
            ),
            answered(
                3,
                "de",
                "Dutzend",
                "Bei „ein Dutzend“ hat sie eine 1 notiert. Sonst sehr gut.",
                "Seit 2.0.1 kennt sie Dutzend, Schock und halbe Kiste. Danke für den Hinweis.",
            ),
            said(
                4,
                "en",
                "Order of the shelves matters",
                "It follows our shelves and not the alphabet. Its author has counted crates before.",
            ),
            said(
                5,
                "de",
                "Der Preis der Differenz",
                "Wenn da steht, dass 40 Euro fehlen, sucht man noch einmal. Und findet.",
            ),
            waits(4, "en", "Waiting for the scale", "Half bottles by slider are a guess. I hear a scale is coming."),
        ],
    ),
    of(
        "order-desk",
        "544554",
        &[
            said(
                5,
                "en",
                "My evening is mine again",
                "Nine suppliers used to take an hour. Now it is the length of one beer.",
            ),
            said(4, "de", "Fragt bei Unsinn nach", "40 Kilo Basilikum. Es waren 4. Danke."),
            answered(
                3,
                "en",
                "Portal of our butcher",
                "Everything goes out fine but the butcher's portal, which wants a captcha every other day.",
                "We talk to that portal's maker. Until then Order Desk sends your butcher a mail, which he confirms faster anyway.",
            ),
            said(5, "en", "Standing orders with holidays", "Small thing, no mouldy bread after Easter."),
        ],
    ),
    of(
        "recipe-book",
        "554545",
        &[
            said(
                5,
                "fr",
                "Le beurre, enfin visible",
                "J'ai changé quatre prix le jour même. Le carnet est payé pour dix ans.",
            ),
            said(
                5,
                "en",
                "Scales like a human",
                "No more 3.7 eggs. It sounds silly until you have cooked from a spreadsheet.",
            ),
            said(
                4,
                "de",
                "Alte Fassungen",
                "Die Soße von vor drei Jahren ist zurück auf der Karte. Import aus unserem alten Programm war Handarbeit.",
            ),
            waits(
                5,
                "fr",
                "Pour l'école aussi",
                "Je l'utilise avec mes apprentis. Ils apprennent à compter sans le savoir.",
            ),
        ],
    ),
    of(
        "allergen-cards",
        "55545",
        &[
            said(5, "en", "I sleep better", "The chef changes a sauce, the card changes with it. Before, we hoped."),
            said(5, "de", "Lebensmittelkontrolle ohne Beanstandung", "Zum ersten Mal, seit es die Verordnung gibt."),
            said(
                4,
                "fr",
                "Très complet",
                "Le tri par ce que l'on peut manger change tout. Il manque une impression pour le buffet.",
            ),
            judged(
                Fate::Flagged("The guest speaks about our kitchen, not about the app."),
                1,
                "en",
                "Still got ill",
                "The card said no celery and I had a reaction. It turned out that the kitchen had used another stock.",
            ),
        ],
    ),
    of(
        "waste-log",
        "4454",
        &[
            said(5, "en", "62 euros of bread", "A week. We bake less on Tuesdays now, and only the bin has noticed."),
            said(
                4,
                "de",
                "Ohne Namen",
                "Das war die Bedingung des Teams, und es stimmt. Die Waage könnte stabiler sein.",
            ),
            said(3, "en", "Three proposals are enough", "I liked the table too. Could I have both?"),
        ],
    ),
    of(
        "fresh-forecast",
        "45543",
        &[
            said(
                5,
                "en",
                "It knew about the marathon",
                "Twice the pasta, none of the steaks. I would not have thought of it.",
            ),
            said(4, "de", "Ehrlich", "Sie sagt, wie sicher sie ist, und worin sie falsch lag. Das schafft Vertrauen."),
            answered(
                2,
                "en",
                "First month",
                "For the first four weeks the figures were no better than mine.",
                "They cannot be: it learns your business from those weeks. We now say so before you begin, and show \
                 your own estimate next to ours.",
            ),
            waits(
                4,
                "en",
                "School holidays abroad",
                "We live from guests across the border. Could it know their holidays too?",
            ),
        ],
    ),
    of(
        "cellar",
        "445",
        &[
            said(4, "fr", "La carte s'imprime juste", "Plus jamais « désolé, la dernière est partie hier »."),
            said(5, "en", "Notes travel along", "My sommelier left, her notes did not."),
        ],
    ),
    of(
        "van-round",
        "3242",
        &[
            said(4, "en", "Eighty doors in a morning", "We did sixty before. The neighbour idea saves a second trip."),
            said(
                2,
                "en",
                "Where is the privacy policy?",
                "The link is dead, and my customers ask what happens to their addresses.",
            ),
        ],
    ),
];
