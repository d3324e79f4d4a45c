//! Curated collections: one published until autumn, one permanent, and one in preparation.

/// A collection; titles and descriptions are in English, German and French.
pub(in crate::sample) struct CollectionData {
    /// Slug of the collection.
    pub(in crate::sample) slug: &'static str,
    pub(in crate::sample) titles: [&'static str; 3],
    pub(in crate::sample) descriptions: [&'static str; 3],
    /// Slugs of the apps, in order.
    pub(in crate::sample) apps: &'static [&'static str],
    /// Days until its publication; negative for days since.
    pub(in crate::sample) from_days: i64,
    /// Days until its end; `None` if it is permanent.
    pub(in crate::sample) until_days: Option<i64>,
}

/// All collections, in order.
pub(in crate::sample) const COLLECTIONS: [CollectionData; 3] = [
    CollectionData {
        slug: "beer-garden-season",
        titles: ["Beer garden season", "Biergartenzeit", "La saison des terrasses"],
        descriptions: [
            "More tables, more tills, the same team.",
            "Mehr Tische, mehr Kassen, dasselbe Team.",
            "Plus de tables, plus de caisses, la même équipe.",
        ],
        apps: &["beer-garden-mode", "pocket-terminal", "split-the-bill", "tip-jar", "murzeit-shifts", "attente"],
        from_days: -20,
        until_days: Some(150),
    },
    CollectionData {
        slug: "opening-a-new-place",
        titles: ["Opening a new place", "Ein neues Lokal eröffnen", "Ouvrir un nouveau lieu"],
        descriptions: [
            "What you need on the first evening, and little else.",
            "Was Sie am ersten Abend brauchen, und wenig mehr.",
            "Ce qu’il vous faut le premier soir, et rien de trop.",
        ],
        apps: &[
            "kontor-till",
            "mise-table-planner",
            "kontor-kitchen-display",
            "menu-du-jour",
            "allergen-cards",
            "murzeit-clock",
            "order-desk",
        ],
        from_days: -200,
        until_days: None,
    },
    CollectionData {
        slug: "less-waste",
        titles: ["Less in the bin", "Weniger in der Tonne", "Moins de gaspillage"],
        descriptions: [
            "Buy what you cook, cook what guests order.",
            "Kaufen, was gekocht wird; kochen, was bestellt wird.",
            "Acheter ce qu’on cuisine, cuisiner ce qu’on commande.",
        ],
        apps: &["waste-log", "fresh-forecast", "voorraad-count", "recipe-book"],
        from_days: 14,
        until_days: Some(45),
    },
];
