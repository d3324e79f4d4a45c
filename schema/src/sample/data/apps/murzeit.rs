//! Murzeit of Graz: time tracking.

use super::{AppData, BEGUN, DAY, Scene, VersionData, look, text, version};

const MAKER: AppData = AppData { partner: "murzeit", author: "florian.tschernitz", ..BEGUN };

pub(super) const APPS: [AppData; 4] = [
    AppData {
        slug: "murzeit-clock",
        state: "LISTED",
        days: 366,
        categories: &["time-clock"],
        texts: &[
            text(
                "de",
                "Murzeit Stempel",
                "Kommen, Gehen, Pause: ein Griff, auch mit Mehl an den Händen.",
                "Murzeit Stempel hängt als Tablet neben der Küchentür. Ein Chip oder ein Gesicht in der Liste genügt, \
                 Pausen erinnern an sich selbst, und wer das Ausstempeln vergisst, wird am nächsten Tag gefragt statt \
                 bestraft.\n\nAufzeichnungen entsprechen dem Arbeitszeitgesetz; Ruhezeiten unter elf Stunden fallen \
                 auf, bevor sie geschehen.",
            ),
            text(
                "en",
                "Murzeit Clock",
                "Coming, going, breaks: one move, even with flour on your hands.",
                "Murzeit Clock hangs as a tablet beside the kitchen door. A chip or a face in the list is enough, \
                 breaks remind of themselves, and whoever forgets to clock out is asked the next day instead of \
                 punished. Records follow the Austrian working time act, and rest periods under eleven hours show up \
                 before they happen.",
            ),
        ],
        permissions: &[("staff:write", "Records when employees come and go.")],
        redirects: &["/clock/oauth/callback"],
        look: look(
            [0x0f4c5c, 0x9a031e],
            &["KOMMEN", "GEHEN", "PAUSE", "08:02", "RUHEZEIT 11 H", "HEUTE 6"],
            &[(Scene::Cards, "Das Tablet neben der Küchentür"), (Scene::List, "Wer heute da ist, und seit wann")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 340 * DAY, &[("de", "Erste Fassung."), ("en", "First release.")]),
            version(
                "1.1.0",
                "SUPERSEDED",
                150 * DAY,
                &[
                    ("de", "Fragt am nächsten Tag nach vergessenen Stempeln."),
                    ("en", "Asks about forgotten stamps on the next day."),
                ],
            ),
            version(
                "1.1.1",
                "PUBLISHED",
                22 * DAY,
                &[
                    ("de", "Zeitumstellung: die doppelte Stunde im Oktober zählt einmal."),
                    ("en", "Daylight saving: the double hour in October counts once."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "murzeit-shifts",
        state: "LISTED",
        days: 255,
        categories: &["shift-planning", "time-clock"],
        texts: &[
            text(
                "de",
                "Murzeit Dienstplan",
                "Der Plan steht am Donnerstag, und alle haben ihn gelesen.",
                "Wünsche kommen bis Mittwoch, der Plan am Donnerstag. Murzeit Dienstplan achtet auf Ruhezeiten, freie \
                 Sonntage und darauf, wer mit wem eine Küche teilt. Getauscht wird untereinander; die Leitung \
                 bestätigt mit einem Tipper.\n\nDas Wetter und die Reservierungen der Woche schlagen vor, wie viele \
                 Hände gebraucht werden.",
            ),
            text(
                "en",
                "Murzeit Shifts",
                "The rota is out on Thursday, and everyone has read it.",
                "Wishes until Wednesday, the rota on Thursday. Murzeit Shifts minds rest times, free Sundays and who \
                 shares a kitchen with whom. People swap among themselves and the manager confirms with one tap. The \
                 weather and the week's reservations suggest how many hands are needed.",
            ),
        ],
        permissions: &[
            ("staff:write", "Writes the rota and its swaps."),
            ("reservations", "Suggests how many people an evening needs."),
        ],
        redirects: &["/shifts/oauth/callback"],
        look: look(
            [0x31572c, 0x90a955],
            &["MO", "DI", "MI", "DO", "FR", "SA"],
            &[(Scene::Week, "Eine Woche mit Wünschen und Lücken"), (Scene::List, "Offene Tauschanfragen")],
        ),
        versions: &[
            version("1.0.0", "SUPERSEDED", 231 * DAY, &[("de", "Erste Fassung."), ("en", "First release.")]),
            version(
                "1.2.0",
                "PUBLISHED",
                47 * DAY,
                &[("de", "Tauschen ohne Telefonkette."), ("en", "Swapping without a chain of phone calls.")],
            ),
            version(
                "1.3.0",
                "SUBMITTED",
                9,
                &[
                    ("de", "Jugendliche werden nicht mehr nach 22 Uhr eingeteilt."),
                    ("en", "Minors are no longer planned after ten at night."),
                ],
            ),
        ],
        ..MAKER
    },
    AppData {
        slug: "payroll-bridge-austria",
        author: "katharina.hoedl",
        days: 60,
        categories: &["payroll"],
        texts: &[
            text(
                "de",
                "Lohnbrücke Österreich",
                "Stunden, Zuschläge und Trinkgeld, fertig für die Lohnverrechnung.",
                "Die Lohnbrücke rechnet gestempelte Stunden nach dem Kollektivvertrag für Hotellerie und Gastronomie um: \
                 Nacht, Sonntag, Feiertag, Überstunden. Die Lohnverrechnung bekommt am Monatsende eine Datei, die sich \
                 ohne Nacharbeit einlesen lässt, und eine Seite, die erklärt, was sich seit dem Vormonat geändert hat.",
            ),
            text(
                "en",
                "Payroll Bridge Austria",
                "Hours, supplements and tips, ready for the payroll office.",
                "Payroll Bridge turns clocked hours into pay by the collective agreement for hotels and restaurants: \
                 nights, Sundays, holidays, overtime. At the end of the month the payroll office gets a file that \
                 loads without rework and a page that explains what has changed since the month before.",
            ),
        ],
        permissions: &[
            ("staff", "Reads hours to compute the wages."),
            ("payments", "Reads tips that are paid out with the wage."),
        ],
        redirects: &["/payroll/oauth/callback"],
        look: look(
            [0x4a4e69, 0xf2e9e4],
            &["NORMAL 152 H", "NACHT 12 H", "SONNTAG 8 H", "UE 50", "TRINKGELD", "EXPORT"],
            &[(Scene::List, "Ein Monat, aufgeschlüsselt"), (Scene::Board, "Was sich seit dem Vormonat geändert hat")],
        ),
        versions: &[VersionData {
            findings: &[(
                "REQ-15",
                "The file we received could not be read by either of the two payroll programs that the listing names.",
            )],
            decision: "We tested with both programs that you name and neither could read the file.",
            word: "",
            appeal: "The file was made with the month still open, which the app says in its first line. Close the month of \
                     the demo house first; both programs then read it. A recording of that is on our help page.",
            ..version(
                "1.0.0",
                "SUBMITTED",
                38,
                &[
                    ("de", "Die erste Fassung: Stunden, Zuschläge, Trinkgeld."),
                    ("en", "The first version: hours, supplements, tips."),
                ],
            )
        }],
        ..MAKER
    },
    AppData {
        slug: "stempelkarte",
        state: "ARCHIVED",
        reason: "An experiment that went into Murzeit Clock.",
        state_hours: 200 * DAY,
        days: 320,
        categories: &["loyalty"],
        texts: &[text(
            "de",
            "Stempelkarte",
            "Der zehnte Kaffee geht aufs Haus.",
            "Eine Stempelkarte auf dem Telefon des Gastes: zehn Kaffee, der zehnte gratis. Gestempelt wird durch \
             Antippen des Terminals beim Bezahlen, ohne App und ohne Konto. Für kleine Häuser, die eine Karte aus \
             Papier ersetzen wollen und sonst nichts.",
        )],
        permissions: &[],
        redirects: &[],
        look: look(
            [0x6f4518, 0xdeab90],
            &["1", "2", "3", "4", "5", "GRATIS"],
            &[(Scene::Cards, "Zehn Felder, neun gestempelt"), (Scene::Board, "Wie oft die zehnte Tasse geholt wird")],
        ),
        versions: &[version("0.1.0", "WITHDRAWN", 205 * DAY, &[("de", "Ein Versuch.")])],
        ..MAKER
    },
];
