//! Drawn icons of the apps. Each PNG in the folder `icons` is the SVG of the same name, rendered at 512 by 512 pixels.

/// Embeds icons by the slug of their app.
macro_rules! embed {
    ($($slug:literal),+ $(,)?) => {
        &[$(($slug, include_bytes!(concat!("icons/", $slug, ".png")))),+]
    };
}

/// The icons: slug of the app, and the PNG.
pub(super) const DRAWN: &[(&str, &[u8])] = embed![
    "allergen-cards",
    "attente",
    "concierge-widget",
    "day-close",
    "fresh-forecast",
    "kontor-counter",
    "kontor-kitchen-display",
    "kontor-ledger",
    "kontor-receipts",
    "kontor-till",
    "menu-du-jour",
    "mise-table-planner",
    "murzeit-clock",
    "murzeit-shifts",
    "no-show-guard",
    "order-desk",
    "pocket-terminal",
    "recipe-book",
    "regulars",
    "split-the-bill",
    "table-talk",
    "tip-jar",
    "voorraad-count",
    "voucher-press",
    "waste-log",
];

/// Returns the drawn icon of an app. An app without one shows the first letter of its name.
pub(super) fn find(slug: &str) -> Option<&'static [u8]> {
    DRAWN.iter().find(|(of, _)| *of == slug).map(|(_, png)| *png)
}
