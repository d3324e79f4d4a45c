//! Content of the partners' profiles.

use super::apps::{Look, Scene};

/// A partner's profile.
pub(in crate::sample) struct PageData {
    /// Slug of the partner.
    pub(in crate::sample) partner: &'static str,
    /// Locale, tagline and description, the default locale first.
    pub(in crate::sample) texts: &'static [[&'static str; 3]],
    /// Languages of the partner's customer support.
    pub(in crate::sample) languages: &'static [&'static str],
    /// Regions of the partner.
    pub(in crate::sample) regions: &'static [&'static str],
    /// Style of its pictures; `None` without pictures. The profile is then unpublished.
    pub(in crate::sample) look: Option<Look>,
    /// Days since the first and since the last publication.
    pub(in crate::sample) days: [u32; 2],
}

/// Returns the alternative texts of the logo and the banner, in the profile's default locale.
pub(in crate::sample) const fn alternatives(locale: &str) -> [&'static str; 2] {
    match locale.as_bytes() {
        b"de" => ["Das Zeichen des Hauses auf farbigem Grund", "Ein Arbeitsbild aus einer der Anwendungen des Hauses"],
        b"fr" => ["Le signe de la maison sur fond coloré", "Une vue de travail de l'une des applications de la maison"],
        _ => ["The company's sign on a coloured ground", "A view of one of the company's apps at work"],
    }
}

/// Scene of the banners.
pub(in crate::sample) const BANNER: Scene = Scene::Board;

/// All profiles. The last one is a draft.
pub(in crate::sample) const PAGES: [PageData; 4] = [
    PageData {
        partner: "elbkontor",
        texts: &[
            [
                "de",
                "Kassen und Schnittstellen aus der Hamburger Speicherstadt.",
                "Elbkontor baut Kassen, die einen vollen Freitag aushalten, und alles, was an ihnen hängt: Belege, Bons, \
                 Abschlüsse und den Draht zum Steuerbüro.\n\nWir kommen selbst aus der Gastronomie, und wer bei uns \
                 anruft, spricht mit jemandem, der schon einmal eine Schicht gemacht hat.",
            ],
            [
                "en",
                "Tills and interfaces from Hamburg's old warehouses.",
                "Elbkontor builds tills that stand a busy Friday, and all that hangs on them: receipts, tickets, closings \
                 and the line to the accountants.\n\nWe come from restaurants ourselves, and whoever calls us talks to \
                 somebody who has worked a shift.",
            ],
        ],
        languages: &["de", "en"],
        regions: &["DE", "AT", "CH"],
        look: Some(Look {
            colours: [0x0b_3954, 0xff_6663],
            words: &["KASSE 1", "BON 214", "ABSCHLUSS", "TERRASSE", "20:45", "48.20"],
            scenes: &[],
        }),
        days: [690, 41],
    },
    PageData {
        partner: "belle-tablee",
        texts: &[
            [
                "fr",
                "Réservations et accueil, pensés en salle.",
                "Belle Tablée s'occupe de ce qui précède le premier verre : le téléphone, la liste d'attente, le plan de \
                 salle et les mots qu'il faut pour dire non sans perdre un client.\n\nNous travaillons à Lyon, à deux \
                 pas des maisons qui nous ont tout appris.",
            ],
            [
                "en",
                "Reservations and welcome, thought out on the floor.",
                "Belle Tablée looks after what comes before the first glass: the phone, the waiting list, the floor plan \
                 and the words to say no without losing a guest.",
            ],
            [
                "de",
                "Reservierung und Empfang, im Saal erdacht.",
                "Belle Tablée kümmert sich um alles vor dem ersten Glas: Telefon, Warteliste, Tischplan und die Worte, mit \
                 denen man absagt, ohne einen Gast zu verlieren.",
            ],
        ],
        languages: &["fr", "en"],
        regions: &["FR", "BE", "CH"],
        look: Some(Look {
            colours: [0x6d_213c, 0xe0_b084],
            words: &["TABLE 7", "20:30", "ATTENTE 4", "TERRASSE", "MIDI", "12.50"],
            scenes: &[],
        }),
        days: [512, 512],
    },
    PageData {
        partner: "voorraadhuis",
        texts: &[[
            "en",
            "Knows your stock, its gaps and its costs.",
            "Voorraadhuis counts, orders and compares prices for kitchens that would rather cook. From the stock take on \
             Sunday evening to the invoice that does not match, it is one list.",
        ]],
        languages: &["en", "nl"],
        regions: &["NL", "BE", "DE"],
        look: Some(Look {
            colours: [0x2d_6a4f, 0xf4_a261],
            words: &["FLOUR 25", "SHELF 3", "ORDER 88", "MISSING 2", "MONDAY", "7.90"],
            scenes: &[],
        }),
        days: [377, 96],
    },
    PageData {
        partner: "murzeit",
        texts: &[["de", "Arbeitszeit, wie sie wirklich war.", ""]],
        languages: &["de"],
        regions: &["AT"],
        look: None,
        days: [0, 0],
    },
];
