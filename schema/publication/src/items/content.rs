//! Content of an item: one set of fields for all kinds.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use serde::{Deserialize, Serialize};

use super::rules::{ChangeKind, PublicationAudience};

/// Artefact of a developer resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(crate) struct PublicationArtefact {
    /// File name for saving the artefact.
    pub(crate) file_name: String,
    /// Media type of the artefact.
    pub(crate) media_type: String,
    /// Size of the artefact in bytes.
    pub(crate) size_bytes: i64,
    /// SHA-256 of the artefact, in hexadecimal.
    pub(crate) sha256: String,
}

/// Complete content of an item before an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, OutputType, sqlx::FromRow)]
pub(crate) struct PublicationContent {
    /// Audience after the release.
    pub(crate) audience: PublicationAudience,
    /// Slug of the item, unique among all items of its kind.
    pub(crate) slug: String,
    /// Title of the item.
    pub(crate) title: String,
    /// Summary in one or two sentences of plain text. May be empty.
    pub(crate) summary: String,
    /// Text in Markdown, as written. Empty if not written yet.
    pub(crate) body: String,
    /// Tags for finding the item.
    pub(crate) tags: Vec<String>,
    /// For a changelog entry: the release of the service that the entry describes.
    pub(crate) version: Option<String>,
    /// For a changelog entry: the kind of change. Null for other kinds.
    pub(crate) change: Option<ChangeKind>,
    /// For a changelog entry: the affected operations. Empty for other kinds.
    pub(crate) operations: Vec<String>,
    /// For a changelog entry: the affected fields. Empty for other kinds.
    pub(crate) fields: Vec<String>,
    /// For a changelog entry: time when the change takes effect.
    pub(crate) effective_at: Option<Time>,
    /// For a changelog entry: whether callers have to act. False for other kinds.
    pub(crate) action_required: bool,
    /// For a changelog entry: the changes that callers have to make, with examples of requests before and after the
    /// change, in Markdown.
    pub(crate) migration: Option<String>,
    /// For a changelog entry: the sunset time of the deprecated element.
    pub(crate) sunset_at: Option<Time>,
    /// For a blog post: whether readers see its author. False for other kinds.
    pub(crate) show_author: bool,
    /// For a developer resource: the version of its content.
    pub(crate) resource_version: Option<String>,
    /// For a developer resource: its artefact. Null without an artefact, and for other kinds. In the previous content
    /// of a transition, only the metadata of a replaced artefact is kept, not its bytes.
    #[sqlx(json(nullable))]
    pub(crate) artefact: Option<PublicationArtefact>,
}

impl PublicationContent {
    /// Creates empty content.
    pub(crate) const fn empty() -> Self {
        Self {
            audience: PublicationAudience::Public,
            slug: String::new(),
            title: String::new(),
            summary: String::new(),
            body: String::new(),
            tags: Vec::new(),
            version: None,
            change: None,
            operations: Vec::new(),
            fields: Vec::new(),
            effective_at: None,
            action_required: false,
            migration: None,
            sunset_at: None,
            show_author: false,
            resource_version: None,
            artefact: None,
        }
    }

    /// Iterates over the Markdown texts, each with the pointer of its field.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        std::iter::once(("/body", self.body.as_str())).chain(self.migration.as_deref().map(|text| ("/migration", text)))
    }
}
