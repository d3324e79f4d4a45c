//! Publication items: changelog entries, blog posts and developer resources.

use serde::Deserialize;

/// A changelog entry or a blog post. The release tool wrote the entries and the editor the posts; the editor released
/// all of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct ItemData {
    pub(in crate::sample) slug: String,
    pub(in crate::sample) title: String,
    pub(in crate::sample) summary: String,
    pub(in crate::sample) body: String,
    pub(in crate::sample) tags: Vec<String>,
    /// Change that an entry describes; `None` for a post.
    pub(in crate::sample) change: Option<ChangeData>,
    /// For an entry: the required migration.
    pub(in crate::sample) migration: Option<String>,
    pub(in crate::sample) state: String,
    /// Days since its release, or since its creation if it was never released.
    pub(in crate::sample) days: u32,
}

/// A change of the API.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct ChangeData {
    /// Version of the release.
    pub(in crate::sample) version: String,
    /// Kind of the change.
    pub(in crate::sample) kind: String,
    /// Ids of the affected operations.
    pub(in crate::sample) operations: Vec<String>,
}

/// A public, generated resource. The editor released it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct ResourceData {
    pub(in crate::sample) slug: String,
    pub(in crate::sample) title: String,
    pub(in crate::sample) summary: String,
    pub(in crate::sample) body: String,
    pub(in crate::sample) tags: Vec<String>,
    /// Kind of the generated file.
    pub(in crate::sample) generated: String,
}
