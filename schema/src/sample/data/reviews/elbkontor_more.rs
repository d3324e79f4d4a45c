//! Reviews of Elbkontor's accessory apps and of removed apps.

use super::{AppReviews, Fate, answered, judged, of, said, waits};

pub(super) const REVIEWS: [AppReviews; 8] = [
    of(
        "split-the-bill",
        "554435",
        &[
            said(
                5,
                "en",
                "No more table maths",
                "A hen party of fourteen paid in six minutes. I have never seen my waiters smile at that before.",
            ),
            said(
                4,
                "de",
                "Gäste verstehen es sofort",
                "Auch ohne Erklärung. Nur die Ältesten am Tisch geben das Telefon lieber weiter.",
            ),
            said(
                5,
                "fr",
                "Le dessert de chacun",
                "On gagne un quart d'heure par grande table. Les clients laissent même plus de pourboire.",
            ),
            answered(
                2,
                "en",
                "Rounding",
                "A bottle of wine for three: 11.33, 11.33, 11.33, and one cent stayed open. The till would not close the table.",
                "Fixed in 1.0.1: the last guest to pay gets the cent. We are sorry for the evening.",
            ),
            waits(3, "de", "Code am Tisch", "Die Aufkleber lösen sich beim Wischen. Gibt es andere?"),
        ],
    ),
    of(
        "pocket-terminal",
        "4554",
        &[
            said(
                5,
                "de",
                "Ein Gerät weniger",
                "Auf 140 Plätzen läuft keiner mehr zum Terminal. Das spart Kilometer, im Wortsinn.",
            ),
            said(
                4,
                "en",
                "Fast with watches",
                "Cards are fine, watches are faster. Battery is the only thing to keep an eye on.",
            ),
            answered(
                3,
                "de",
                "Terrasse",
                "Drinnen top, auf der Terrasse bricht die Zahlung manchmal ab, weil das WLAN endet.",
                "Genau dafür ist der Offline-Betrieb gedacht, der gerade geprüft wird. Er kommt mit 1.1.0.",
            ),
        ],
    ),
    of(
        "kontor-ledger",
        "555",
        &[
            said(
                5,
                "de",
                "Unser Steuerbüro hat angerufen",
                "Um sich zu bedanken. Das ist in zwanzig Jahren noch nicht vorgekommen.",
            ),
            said(
                4,
                "en",
                "Vouchers are right now",
                "They were booked as revenue twice before 2.1. Since then the books and the drawer agree.",
            ),
            said(
                5,
                "de",
                "Einmal die Woche statt jeden Abend",
                "Die gesammelten Fragen am Montag sind in fünf Minuten beantwortet.",
            ),
        ],
    ),
    of(
        "day-close",
        "45455",
        &[
            said(
                5,
                "en",
                "The only report I read",
                "On the tram, at one in the morning. It told me about the cancelled steaks, and it was right to.",
            ),
            said(5, "fr", "Une page, pas dix", "Enfin un rapport qui dit ce qui sort de l'ordinaire, au lieu de tout."),
            said(
                4,
                "de",
                "Gut für mehrere Häuser",
                "Mit 1.3 stehen unsere drei Standorte auf einer Seite. Ich hätte gern noch den Vergleich zum Vorjahr.",
            ),
            judged(
                Fate::Flagged("It is about another app: Day Close has no shift plan."),
                2,
                "en",
                "Shift plan missing",
                "The shift plan never loads and I cannot swap with my colleague.",
            ),
        ],
    ),
    of(
        "voucher-press",
        "4435",
        &[
            said(5, "de", "Heiligabend gerettet", "Um 15 Uhr noch elf Gutscheine verkauft, alle gedruckt, alle schön."),
            answered(
                4,
                "de",
                "Hübsch",
                "Drei Vorlagen sind wenig, aber die sind gut. Teileinlösung klappt.",
                "Eine vierte für den Sommer ist in Arbeit. Wünsche nehmen wir gern.",
            ),
            said(
                3,
                "en",
                "Good at the till, slow on the web",
                "The page for buying a voucher takes a few seconds on a phone. At the till it is perfect.",
            ),
        ],
    ),
    of(
        "beer-garden-mode",
        "5544",
        &[
            said(
                5,
                "de",
                "Vierhundert Plätze, zwei Schlangen",
                "Das Regenradar hat uns zweimal gerettet. Alle wollten zahlen, und wir waren vorbereitet.",
            ),
            said(4, "de", "Pfand im Griff", "Endlich stimmen Krüge und Marken. Im Winter nehmen wir es raus."),
        ],
    ),
    of(
        "coat-check",
        "41",
        &[
            said(4, "en", "Handy for prams", "We never know where to put them. Now at least we know where they are."),
            answered(
                1,
                "de",
                "Fremde Nummer",
                "Auf meinem Telefon stand die Nummer eines anderen Gastes, mit dessen Namen. Das darf nicht sein.",
                "Das darf es nicht. Wir haben den Fehler gefunden und eine berichtigte Fassung zur Prüfung gegeben.",
            ),
        ],
    ),
    of(
        "till-bridge-classic",
        "34",
        &[
            said(
                4,
                "de",
                "Hat uns drei Jahre geholfen",
                "Ohne die Brücke hätten wir die Kassen früher tauschen müssen. Läuft einfach.",
            ),
            said(3, "en", "Does its one job", "Ugly box, honest work."),
        ],
    ),
];
