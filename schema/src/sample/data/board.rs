//! Feature requests of partners, their comments, and the answers by staff.

use serde::Deserialize;

/// Name of a topic.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct TopicData {
    pub(in crate::sample) en: String,
    pub(in crate::sample) de: String,
}

/// A feature request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct FeatureRequestData {
    pub(in crate::sample) title: String,
    pub(in crate::sample) body: String,
    /// Local part of the author's e-mail address.
    pub(in crate::sample) by: String,
    /// English name of its topic.
    pub(in crate::sample) topic: String,
    #[serde(default)]
    pub(in crate::sample) mark: Mark,
    /// Number of votes, except the author's.
    pub(in crate::sample) votes: u32,
    /// Days since it was proposed.
    pub(in crate::sample) days: u32,
    /// Successive statuses.
    #[serde(default)]
    pub(in crate::sample) path: Vec<StatusData>,
    #[serde(default)]
    pub(in crate::sample) comments: Vec<CommentData>,
}

/// Mark of a feature request in addition to its status.
#[derive(Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::sample) enum Mark {
    #[default]
    Plain,
    Pinned,
    Locked,
    /// Suspended, with this reason.
    Suspended(String),
    /// Merged into the feature request with this title.
    MergedInto(String),
}

/// A status that staff set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct StatusData {
    pub(in crate::sample) status: String,
    /// Note of staff; empty without a note.
    #[serde(default)]
    pub(in crate::sample) note: String,
}

/// A comment, or an answer by staff.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct CommentData {
    /// Local part of the author's e-mail address; empty for an answer by staff.
    #[serde(default)]
    pub(in crate::sample) by: String,
    pub(in crate::sample) body: String,
}
