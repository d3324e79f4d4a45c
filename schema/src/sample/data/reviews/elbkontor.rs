//! Reviews of Elbkontor's point of sale apps.

use super::{AppReviews, Fate, answered, judged, of, said, waits};

pub(super) const REVIEWS: [AppReviews; 5] = [
    of(
        "kontor-till",
        "5545455354",
        &[
            said(
                5,
                "de",
                "Läuft seit dem ersten Abend",
                "Umgestellt an einem Montag, am Freitag wollte niemand die alte Kasse zurück. Getrennte Rechnungen sind endlich kein Drama mehr.",
            ),
            answered(
                3,
                "de",
                "Gut, aber der Drucker",
                "Die Kasse ist klar und schnell. Der Bon kommt bei uns aber erst nach zwei, drei Sekunden, und an der Bar sind das Ewigkeiten.",
                "Danke für die genaue Beschreibung. Seit 3.2.1 wartet der Druck nicht mehr auf die Signatur. Melden Sie sich bitte, falls es bei Ihnen noch hakt.",
            ),
            said(
                5,
                "en",
                "Survived our wedding season",
                "Six weddings, one broken router, no lost bill. It just kept going and caught up on Sunday morning.",
            ),
            said(
                4,
                "de",
                "Gänge abrufen ist Gold wert",
                "Die Küche weiß jetzt ohne Zuruf, wann Tisch 9 den Hauptgang will. Einen Stern behalte ich, bis es eine Ansicht nur für die Bar gibt.",
            ),
            answered(
                2,
                "fr",
                "Traduction à revoir",
                "L'application est solide, mais en français plusieurs boutons restent en allemand. Nos extras se trompent.",
                "Vous avez raison, et nous en avons honte : vingt-trois textes manquaient. Ils seront dans la prochaine version.",
            ),
            said(
                5,
                "de",
                "Ausverkauft heißt ausverkauft",
                "Kein „Moment, ich frage kurz in der Küche“ mehr. Was aus ist, ist überall aus.",
            ),
            waits(
                4,
                "de",
                "Nach einem Jahr",
                "Immer noch zufrieden. Die Tagesberichte könnten ausführlicher sein, dafür haben wir jetzt aber Tagesschluss dazu genommen.",
            ),
        ],
    ),
    of(
        "kontor-counter",
        "54445",
        &[
            said(
                5,
                "en",
                "My Saturday queue is shorter",
                "I timed it: from 52 seconds a customer to 31. The favourites that change at eleven are a small thing with a large effect.",
            ),
            said(
                4,
                "de",
                "Sehr flott",
                "Unsere Aushilfe konnte es nach zehn Minuten. Mir fehlt nur ein Knopf für Personalverzehr.",
            ),
            answered(
                3,
                "en",
                "Fine, but milks",
                "We have six kinds of milk and the screen shows four. The other two hide behind a menu, which costs a second each time.",
                "You can now choose the four yourself under Sizes and extras, and the row scrolls. Thank you for counting seconds with us.",
            ),
            said(
                5,
                "de",
                "Kassensturz ohne Streit",
                "Die Differenz steht mit Grund im Protokoll. Seitdem diskutiert bei uns keiner mehr um vier Euro.",
            ),
            waits(
                5,
                "en",
                "Works on our old screen",
                "No other app could promise that. It runs on a till from 2014 and is faster than the old software.",
            ),
        ],
    ),
    of(
        "kontor-kitchen-display",
        "4555443",
        &[
            said(
                5,
                "en",
                "The pass is quiet",
                "I did not believe in it. Three weeks later I threw the ticket rail away.",
            ),
            said(
                4,
                "fr",
                "Les couverts partent ensemble",
                "La table de huit est servie d'un coup, ce que nous n'arrivions jamais à faire. L'écran devrait mieux supporter la buée.",
            ),
            answered(
                2,
                "de",
                "Zu schlau am Anfang",
                "In der ersten Woche waren die Garzeiten so falsch, dass wir zurück auf Papier mussten. Jetzt passt es.",
                "Das ist ein berechtigter Punkt. Neue Häuser beginnen inzwischen mit Ihren eigenen Zeiten, und gelernt wird erst nach sieben Tagen.",
            ),
            said(
                5,
                "de",
                "Ellenbogen funktioniert",
                "Klingt albern, ist aber der Grund, warum es bei uns angenommen wurde.",
            ),
            said(
                4,
                "en",
                "Colours should be larger",
                "Red and orange are too close for one of my cooks, who is colour-blind. There is a pattern mode, but it took me a month to find.",
            ),
            said(
                5,
                "en",
                "Better than the one at three times the price",
                "We had the well-known one before. This one starts faster, and support answers in the evening, which is when we cook.",
            ),
        ],
    ),
    of(
        "kontor-receipts",
        "5455",
        &[
            said(
                5,
                "de",
                "Kassennachschau in einer halben Stunde",
                "Die Prüferin hat gefragt, ob sie die Zusammenfassung behalten darf. Mehr muss man nicht sagen.",
            ),
            said(
                4,
                "de",
                "Solide",
                "Macht, was es soll. Die Suche nach Tisch und Betrag hat lange gefehlt, jetzt ist sie da.",
            ),
            said(
                5,
                "en",
                "Finally no shoebox",
                "Guests find their own receipts for their expenses. We used to get three mails a day about that.",
            ),
            answered(
                3,
                "de",
                "Mail jede Nacht",
                "Dass geprüft wird, ist gut. Dass ich jede Nacht eine Mail bekomme, dass nichts fehlt, ist zu viel.",
                "Unter Benachrichtigungen können Sie „nur bei Lücken“ wählen. Für neue Häuser ist das ab sofort die Voreinstellung.",
            ),
        ],
    ),
    of(
        "tip-jar",
        "4543",
        &[
            said(
                5,
                "en",
                "Peace in the team",
                "We used to fight about tips every second Sunday. Now the rule is on the wall and the app does the sums.",
            ),
            said(
                5,
                "de",
                "Die Küche bekommt endlich ihren Teil",
                "Punkte statt Bauchgefühl. Und niemand sieht, was die anderen bekommen, das war uns wichtig.",
            ),
            answered(
                4,
                "en",
                "Almost",
                "Works well with cards. Cash tips have to be typed in, and at two in the morning we forget to.",
                "We are trying out a one-tap entry for cash with a few houses. Write to us if you would like to be one of them.",
            ),
            judged(
                Fate::Rejected("Names a colleague and accuses them of theft."),
                1,
                "de",
                "Finger weg",
                "Bei uns hat jemand mit Namen, den jeder kennt, seit Monaten in die Kasse gegriffen, und die App hat es nicht gemerkt.",
            ),
        ],
    ),
];
