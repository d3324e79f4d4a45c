//! Reviews of Murzeit's apps for time tracking and rotas.

use super::{AppReviews, answered, of, said, waits};

pub(super) const REVIEWS: [AppReviews; 2] = [
    of(
        "murzeit-clock",
        "554545",
        &[
            said(
                5,
                "de",
                "Mit Mehl an den Händen getestet",
                "Bäckerei, zwei Uhr früh, neun Leute. Der Chip am Schlüsselbund war die beste Idee.",
            ),
            said(5, "de", "Das Arbeitsinspektorat war da", "Aufzeichnungen ausgedruckt, Tee getrunken, fertig."),
            answered(
                3,
                "de",
                "Zeitumstellung",
                "Im Oktober hatten alle Nachtdienste eine Stunde zu viel. Ließ sich von Hand richten, war aber mühsam.",
                "Mit 1.1.1 zählt die doppelte Stunde einmal, und der vergangene Oktober wurde für alle Betriebe neu gerechnet.",
            ),
            said(
                4,
                "en",
                "Asks instead of punishing",
                "People forget to clock out. Being asked kindly the next day changed how the team sees it.",
            ),
            waits(
                5,
                "de",
                "Endlich ohne Zettel",
                "Seit drei Wochen keine Stundenzettel mehr. Die Lohnverrechnung hat Blumen geschickt.",
            ),
        ],
    ),
    of(
        "murzeit-shifts",
        "4454",
        &[
            said(
                5,
                "de",
                "Donnerstag ist wirklich Donnerstag",
                "Früher stand der Plan am Sonntagabend. Jetzt haben alle ein Wochenende.",
            ),
            said(
                4,
                "de",
                "Tauschen klappt",
                "Unter sich ausgemacht, von mir bestätigt, fertig. Wünsche per Sprache wären noch fein.",
            ),
            answered(
                2,
                "de",
                "Lehrlinge nach 22 Uhr",
                "Der Plan hat unseren Lehrling bis Mitternacht eingeteilt. Das ist nicht erlaubt.",
                "Das hätte nicht passieren dürfen. Version 1.3.0 verhindert es und liegt zur Prüfung vor.",
            ),
            said(4, "en", "Weather helps", "It suggested one person less for a rainy Sunday and was right."),
        ],
    ),
];
