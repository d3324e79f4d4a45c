//! The forty apps, by partner.

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
    /// Local part of the e-mail address of the team member who created it.
    pub(in crate::sample) author: &'static str,
    pub(in crate::sample) state: &'static str,
    /// Reason for its state; empty without a reason.
    pub(in crate::sample) reason: &'static str,
    /// Hours since the last state change.
    pub(in crate::sample) state_hours: u32,
    /// Days since its creation.
    pub(in crate::sample) days: u32,
    /// Slugs of the categories, the primary one first.
    pub(in crate::sample) categories: &'static [&'static str],
    /// The texts, the default locale first.
    pub(in crate::sample) texts: &'static [Text],
    /// Published tagline, if the draft has another one since; otherwise empty.
    pub(in crate::sample) live_tagline: &'static str,
    /// Permissions, each with its reason.
    pub(in crate::sample) permissions: &'static [(&'static str, &'static str)],
    /// Paths of redirect URIs on the partner's domain.
    pub(in crate::sample) redirects: &'static [&'static str],
    /// Whether the links are already filled in.
    pub(in crate::sample) linked: bool,
    /// Style of its pictures; `None` without pictures.
    pub(in crate::sample) look: Option<Look>,
    /// Versions, oldest first.
    pub(in crate::sample) versions: &'static [VersionData],
}

/// Texts in one locale.
pub(in crate::sample) struct Text {
    pub(in crate::sample) locale: &'static str,
    pub(in crate::sample) name: &'static str,
    pub(in crate::sample) tagline: &'static str,
    pub(in crate::sample) description: &'static str,
}

/// A version and its review history.
pub(in crate::sample) struct VersionData {
    pub(in crate::sample) number: &'static str,
    pub(in crate::sample) state: &'static str,
    /// Hours since its last state change; for a published version, hours since the publication.
    pub(in crate::sample) hours: u32,
    /// Release notes by locale.
    pub(in crate::sample) notes: &'static [(&'static str, &'static str)],
    /// Findings of the reviewers: number of the requirement and text.
    pub(in crate::sample) findings: &'static [(&'static str, &'static str)],
    /// Message of the reviewers with the last decision; empty without a message.
    pub(in crate::sample) decision: &'static str,
    /// Message of the owner to the reviewers; empty without a message.
    pub(in crate::sample) word: &'static str,
    /// Text of the appeal against the rejection; empty without an appeal.
    pub(in crate::sample) appeal: &'static str,
}

/// Hours per day.
pub(in crate::sample) const DAY: u32 = 24;

/// All apps.
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

/// Default values of an app in an early draft; the tables override them.
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
