//! Feature requests of partners, their comments, and the answers by staff.

/// Mark of a feature request in addition to its status.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::sample) enum Mark {
    Plain,
    Pinned,
    Locked,
    /// Suspended, with this reason.
    Suspended(&'static str),
    /// Merged into the feature request with this title.
    Merged(&'static str),
}

/// A feature request.
pub(in crate::sample) struct FeatureRequestData {
    pub(in crate::sample) title: &'static str,
    pub(in crate::sample) body: &'static str,
    /// Local part of the author's e-mail address.
    pub(in crate::sample) by: &'static str,
    /// English name of its topic.
    pub(in crate::sample) topic: &'static str,
    /// Successive statuses, each with the note of staff.
    pub(in crate::sample) path: &'static [(&'static str, &'static str)],
    /// Number of votes, except the author's.
    pub(in crate::sample) votes: u32,
    /// Days since it was proposed.
    pub(in crate::sample) days: u32,
    pub(in crate::sample) mark: Mark,
    /// Comments, each with the local part of the author's address; an empty one marks an answer by staff.
    pub(in crate::sample) comments: &'static [(&'static str, &'static str)],
}

/// Topics in English and German, in their order.
pub(in crate::sample) const TOPICS: [(&str, &str); 8] = [
    ("API", "API"),
    ("Webhooks", "Webhooks"),
    ("Sandbox", "Testumgebung"),
    ("Marketplace", "Marktplatz"),
    ("Payments", "Zahlungen"),
    ("Kitchen", "Küche"),
    ("Reservations", "Reservierungen"),
    ("Staff planning", "Personalplanung"),
];

/// Changelog entry that describes the shipped feature requests.
pub(in crate::sample) const SHIPPED_IN: &str = "1-0-0-the-search-forgives-misspellings";

const fn one(
    title: &'static str,
    body: &'static str,
    (by, topic): (&'static str, &'static str),
    (votes, days): (u32, u32),
    path: &'static [(&'static str, &'static str)],
    comments: &'static [(&'static str, &'static str)],
) -> FeatureRequestData {
    FeatureRequestData { title, body, by, topic, path, votes, days, mark: Mark::Plain, comments }
}

const fn marked(mark: Mark, proposal: FeatureRequestData) -> FeatureRequestData {
    FeatureRequestData { mark, ..proposal }
}

const REVIEW: (&str, &str) = ("UNDER_REVIEW", "");
const ARE: &str = "aylin.demirci";
const PIO: &str = "piotr.zawadzki";
const MAR: &str = "mareike.petersen";
const BAS: &str = "bastien.faure";
const INE: &str = "ines.belkacem";
const CAM: &str = "camille.roussel";
const FLO: &str = "florian.tschernitz";
const KAT: &str = "katharina.hoedl";
const STAFF: &str = "";

/// All feature requests.
pub(in crate::sample) const PROPOSALS: [FeatureRequestData; 40] = [
    marked(
        Mark::Pinned,
        one(
            "Split a bill between guests",
            "Guests at one table want to pay apart. Today we type every bill in twice.\n\n- equal parts\n- by seat\n- by dish",
            (INE, "Payments"),
            (46, 170),
            &[
                REVIEW,
                ("PLANNED", "We begin with equal parts, then by seat."),
                ("IN_PROGRESS", "Equal parts are being tested with six venues."),
            ],
            &[
                (ARE, "By seat matters most to us: our tills know the seats already."),
                (STAFF, "Seats will be part of the first version. We ask you for examples in March."),
                (FLO, "Please keep tips apart from the parts."),
                (INE, "Agreed, one tip for each part."),
            ],
        ),
    ),
    marked(
        Mark::Merged("Split a bill between guests"),
        one(
            "Rechnungen nach Gästen teilen",
            "Jeder Gast zahlt, was er bestellt hat.",
            (MAR, "Payments"),
            (9, 150),
            &[],
            &[(KAT, "Bei uns fragt jeder zweite Tisch danach.")],
        ),
    ),
    marked(
        Mark::Merged("Rechnungen nach Gästen teilen"),
        one(
            "Partager l'addition entre les clients",
            "Chaque client paie sa part, avec ou sans pourboire.",
            (BAS, "Payments"),
            (6, 162),
            &[],
            &[],
        ),
    ),
    marked(
        Mark::Pinned,
        one(
            "A sandbox with sample venues",
            "A place to try writes without touching a real venue, with orders that come in by themselves.",
            (PIO, "Sandbox"),
            (61, 176),
            &[REVIEW, ("PLANNED", "Every partner gets one, with three venues in it.")],
            &[
                (BAS, "Could it be reset by a call?"),
                (STAFF, "Yes: a reset is planned from the start."),
                (PIO, "Then our tests can begin with it."),
            ],
        ),
    ),
    one(
        "Webhooks for cancelled orders",
        "We poll every minute to notice cancellations. A webhook would be enough.",
        (ARE, "Webhooks"),
        (38, 140),
        &[REVIEW, ("PLANNED", "Cancellations come with the first set of webhooks.")],
        &[(FLO, "With the reason, please."), (STAFF, "The reason is in the body.")],
    ),
    one(
        "Signed webhooks",
        "An HMAC over the body, so that we know who calls.",
        (BAS, "Webhooks"),
        (33, 139),
        &[("PLANNED", "Signed from the first day, by Standard Webhooks.")],
        &[(ARE, "With two keys at a time, to change them without a gap.")],
    ),
    one(
        "Retry failed webhooks with backoff",
        "And a list of what failed, to send it again by hand.",
        (PIO, "Webhooks"),
        (19, 118),
        &[REVIEW],
        &[],
    ),
    one(
        "Search that forgives misspellings",
        "`reservatoin` should find reservations.",
        (INE, "Marketplace"),
        (27, 160),
        &[REVIEW, ("PLANNED", ""), ("IN_PROGRESS", ""), ("SHIPPED", "A word may differ by a letter or two.")],
        &[(CAM, "It works well with accents, too."), (STAFF, "Thank you for trying it.")],
    ),
    one(
        "Find listings by the vendor's name",
        "Customers look for us, not for our apps.",
        (MAR, "Marketplace"),
        (15, 158),
        &[("SHIPPED", "The vendor's name is searched, too.")],
        &[],
    ),
    one(
        "Facets next to the search",
        "How many listings there are in each category.",
        (BAS, "Marketplace"),
        (12, 155),
        &[("PLANNED", ""), ("SHIPPED", "Categories and vendors have counts.")],
        &[],
    ),
    one(
        "Idempotency keys for every write",
        "A retry must not order twice.",
        (ARE, "API"),
        (22, 130),
        &[("IN_PROGRESS", "Every POST takes a key by the end of the quarter.")],
        &[(PIO, "And say for how long a key is known.")],
    ),
    one(
        "Cursor pagination everywhere",
        "Pages by number miss rows while orders come in.",
        (PIO, "API"),
        (14, 128),
        &[("IN_PROGRESS", "The last two lists are being changed.")],
        &[],
    ),
    one(
        "Testdaten per Knopfdruck zurücksetzen",
        "Jeder Testlauf soll gleich beginnen.",
        (FLO, "Sandbox"),
        (17, 101),
        &[],
        &[(ARE, "Am besten als Aufruf.")],
    ),
    one(
        "Dienstpläne als Kalender abonnieren",
        "Ein iCal-Link je Person, der sich von selbst erneuert.",
        (KAT, "Staff planning"),
        (24, 96),
        &[REVIEW],
        &[
            (MAR, "Mit Ort und Station im Text."),
            (STAFF, "Welche Felder brauchen Sie außerdem?"),
            (KAT, "Beginn, Ende, Station und wer vertritt."),
        ],
    ),
    one(
        "Vertretungsplan für das Serviceteam",
        "Wer einspringen kann, soll es mit einem Tipp sagen können.",
        (KAT, "Staff planning"),
        (13, 92),
        &[],
        &[],
    ),
    one(
        "Trinkgeld auf die Schicht verteilen",
        "Nach Stunden, nicht nach Köpfen.",
        (MAR, "Payments"),
        (29, 88),
        &[REVIEW],
        &[(KAT, "Beides sollte gehen.")],
    ),
    one(
        "Shift swaps with approval",
        "Two people agree, a manager confirms.",
        (PIO, "Staff planning"),
        (11, 81),
        &[],
        &[],
    ),
    one(
        "Allergene auf dem Küchenbon",
        "Fett gedruckt, und nur wenn der Gast eines nennt.",
        (FLO, "Kitchen"),
        (35, 79),
        &[REVIEW, ("PLANNED", "Als Hinweiszeile über dem Gericht.")],
        &[(INE, "Chez nous aussi, c'est une obligation."), (STAFF, "It comes in all languages of the till.")],
    ),
    one(
        "Küchenbons nach Gängen trennen",
        "Ein Bon je Gang, damit die Küche nicht reißen muss.",
        (FLO, "Kitchen"),
        (18, 77),
        &[],
        &[],
    ),
    one(
        "Sold-out button on the kitchen display",
        "One touch, and no till sells it any more.",
        (CAM, "Kitchen"),
        (21, 74),
        &[REVIEW],
        &[],
    ),
    one(
        "Liste d'attente avec SMS",
        "Le client reçoit un message quand sa table est prête.",
        (CAM, "Reservations"),
        (26, 70),
        &[],
        &[(INE, "Avec une estimation du temps d'attente."), (BAS, "Et la possibilité d'annuler par SMS.")],
    ),
    one(
        "Acompte pour les réservations de groupe",
        "À partir de huit personnes.",
        (INE, "Reservations"),
        (16, 66),
        &[("DECLINED", "Deposits belong to the payment providers, and three of them offer this in the marketplace.")],
        &[(CAM, "Dommage : nos clients changeraient de caisse pour cela.")],
    ),
    one(
        "No-show fees charged to the card",
        "With the terms shown when the table is booked.",
        (BAS, "Reservations"),
        (20, 64),
        &[],
        &[],
    ),
    one(
        "Higher rate limits for nightly imports",
        "Five a second takes two hours for our catalogue.",
        (ARE, "API"),
        (23, 60),
        &[("DECLINED", "The tiers above FREE have more, and one call now takes a hundred rows.")],
        &[(FLO, "We are on FREE and will stay there.")],
    ),
    one(
        "GraphQL for partners",
        "The playground is great; may we use it as well?",
        (PIO, "API"),
        (31, 58),
        &[("DECLINED", "The contract is what we promise, and each operation of it is one fixed query.")],
        &[],
    ),
    one(
        "An official Python SDK",
        "Generated is fine, if it is released with each version.",
        (BAS, "API"),
        (28, 55),
        &[REVIEW],
        &[(ARE, "And one for Rust.")],
    ),
    marked(
        Mark::Locked,
        one(
            "Lower fees for small venues",
            "Fees take more than rent does.",
            (MAR, "Payments"),
            (44, 52),
            &[REVIEW],
            &[
                (KAT, "Auch wir zahlen mehr als erwartet."),
                (STAFF, "Prices are not decided here. We have passed this on, and close the comments."),
            ],
        ),
    ),
    marked(
        Mark::Suspended("It names guests of a venue."),
        one(
            "Block these guests",
            "These people did not show up: ...",
            (CAM, "Reservations"),
            (2, 50),
            &[],
            &[(INE, "Ce n'est pas l'endroit pour cela.")],
        ),
    ),
    one("Webhook deliveries in the console", "To see requests and responses.", (INE, "Webhooks"), (9, 47), &[], &[]),
    one("Release notes by locale", "Our customers read German.", (ARE, "Marketplace"), (8, 45), &[], &[]),
    one(
        "Badges for verified vendors",
        "A mark that customers can trust.",
        (MAR, "Marketplace"),
        (12, 42),
        &[],
        &[(CAM, "And a page that says what it means.")],
    ),
    one(
        "Statistics of installs by country",
        "Where should we translate next?",
        (BAS, "Marketplace"),
        (10, 38),
        &[REVIEW],
        &[],
    ),
    one(
        "Carte en plusieurs langues par code QR",
        "La langue du téléphone du client.",
        (CAM, "Kitchen"),
        (14, 33),
        &[],
        &[],
    ),
    one("Pfand getrennt ausweisen", "Auf Rechnung und im Export.", (KAT, "Payments"), (5, 27), &[], &[]),
    one(
        "Tables joined for large groups",
        "And parted again when they leave.",
        (PIO, "Reservations"),
        (7, 22),
        &[],
        &[],
    ),
    one("Test cards for every refusal", "Declined, expired, stolen, no funds.", (FLO, "Sandbox"), (15, 17), &[], &[]),
    one(
        "Read-only tokens",
        "For dashboards that must never write.",
        (ARE, "API"),
        (11, 12),
        &[],
        &[(PIO, "A program can ask for fewer scopes already, but a person cannot.")],
    ),
    marked(
        Mark::Merged("Retry failed webhooks with backoff"),
        one("Send webhooks again", "When our server was down.", (INE, "Webhooks"), (4, 9), &[], &[]),
    ),
    one("Error codes with examples", "Each code with a request that causes it.", (BAS, "API"), (3, 5), &[], &[]),
    one("Dark mode for the reference", "It is read at night.", (PIO, "API"), (6, 2), &[], &[]),
];

/// Users whose name the board shows, by local part of their address.
pub(in crate::sample) const NAMED: [&str; 2] = [ARE, CAM];
