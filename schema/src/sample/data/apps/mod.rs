//! The forty apps, by the company that builds them.

mod belle_tablee;
mod belle_tablee_more;
mod elbkontor;
mod elbkontor_more;
mod elbkontor_rest;
mod murzeit;
mod voorraadhuis;
mod voorraadhuis_more;

pub(in crate::sample) use labs_pictures::draw::{Look, Scene};

/// An app with its history.
pub(in crate::sample) struct AppData {
    pub(in crate::sample) slug: &'static str,
    /// The slug of its partner.
    pub(in crate::sample) partner: &'static str,
    /// Who in the team made it: what stands before the `@`.
    pub(in crate::sample) author: &'static str,
    pub(in crate::sample) state: &'static str,
    /// Why it is in this state; empty where nobody said.
    pub(in crate::sample) reason: &'static str,
    /// How many hours ago it came into this state.
    pub(in crate::sample) state_hours: u32,
    /// How many days ago it was begun.
    pub(in crate::sample) days: u32,
    /// Slugs, the primary one first.
    pub(in crate::sample) categories: &'static [&'static str],
    /// The texts, the default locale first.
    pub(in crate::sample) texts: &'static [Text],
    /// The tagline that readers still see, where the draft has gone on since; empty where it has not.
    pub(in crate::sample) live_tagline: &'static str,
    /// Permissions, each with its reason.
    pub(in crate::sample) permissions: &'static [(&'static str, &'static str)],
    /// Paths of redirect URIs on the partner's domain.
    pub(in crate::sample) redirects: &'static [&'static str],
    /// Whether the links are written already.
    pub(in crate::sample) linked: bool,
    /// How its pictures look; `None` while it has none.
    pub(in crate::sample) look: Option<Look>,
    /// Its versions, the oldest first.
    pub(in crate::sample) versions: &'static [VersionData],
}

/// Texts in one locale.
pub(in crate::sample) struct Text {
    pub(in crate::sample) locale: &'static str,
    pub(in crate::sample) name: &'static str,
    pub(in crate::sample) tagline: &'static str,
    pub(in crate::sample) description: &'static str,
}

/// A version and its way through review.
pub(in crate::sample) struct VersionData {
    pub(in crate::sample) number: &'static str,
    pub(in crate::sample) state: &'static str,
    /// How many hours ago it came into this state; for one that was published, how many hours ago that was.
    pub(in crate::sample) hours: u32,
    /// Release notes by locale.
    pub(in crate::sample) notes: &'static [(&'static str, &'static str)],
    /// What reviewers found: the number of a requirement and a text.
    pub(in crate::sample) findings: &'static [(&'static str, &'static str)],
    /// What reviewers wrote to their last decision; empty for nothing.
    pub(in crate::sample) decision: &'static str,
    /// What its owner wrote to the reviewers; empty for nothing.
    pub(in crate::sample) word: &'static str,
    /// Why the rejection was wrong; empty where nobody appealed.
    pub(in crate::sample) appeal: &'static str,
}

/// Hours in a day.
pub(in crate::sample) const DAY: u32 = 24;

/// Every app.
pub(in crate::sample) const APPS: [&[AppData]; 8] = [
    &elbkontor::APPS,
    &elbkontor_more::APPS,
    &elbkontor_rest::APPS,
    &belle_tablee::APPS,
    &belle_tablee_more::APPS,
    &murzeit::APPS,
    &voorraadhuis::APPS,
    &voorraadhuis_more::APPS,
];

/// An app that is begun and no more; the tables say what is different.
const BEGUN: AppData = AppData {
    slug: "",
    partner: "",
    author: "",
    state: "DRAFT",
    reason: "",
    state_hours: 0,
    days: 0,
    categories: &[],
    texts: &[],
    live_tagline: "",
    permissions: &[],
    redirects: &[],
    linked: true,
    look: None,
    versions: &[],
};

const fn text(locale: &'static str, name: &'static str, tagline: &'static str, description: &'static str) -> Text {
    Text { locale, name, tagline, description }
}

const fn version(
    number: &'static str,
    state: &'static str,
    hours: u32,
    notes: &'static [(&'static str, &'static str)],
) -> VersionData {
    VersionData { number, state, hours, notes, findings: &[], decision: "", word: "", appeal: "" }
}

const fn look(
    colours: [u32; 2],
    words: &'static [&'static str],
    scenes: &'static [(Scene, &'static str)],
) -> Option<Look> {
    Some(Look { colours, words, scenes })
}
