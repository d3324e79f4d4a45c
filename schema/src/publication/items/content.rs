//! Content of an item: one set of fields for all kinds.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use serde::{Deserialize, Serialize};

use super::rules::{ChangeKind, PublicationAudience};

/// Artefact of a developer resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(crate) struct PublicationArtefact {
    /// File name for saving the artefact.
    pub(in crate::publication) file_name: String,
    /// Media type.
    pub(in crate::publication) media_type: String,
    /// Size of the artefact.
    pub(in crate::publication) size_bytes: i64,
    /// SHA-256 of the artefact, in hexadecimal.
    #[serde(rename = "sha256")]
    pub(in crate::publication) sha256: String,
}

/// All content of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, OutputType, sqlx::FromRow)]
pub(crate) struct PublicationContent {
    /// Audience after the release.
    pub(in crate::publication) audience: PublicationAudience,
    /// Slug.
    pub(in crate::publication) slug: String,
    /// Title.
    pub(in crate::publication) title: String,
    /// Summary in one or two sentences.
    pub(in crate::publication) summary: String,
    /// Text as Markdown.
    pub(in crate::publication) body: String,
    /// Tags.
    pub(in crate::publication) tags: Vec<String>,
    /// For a changelog entry: the release of the service that the entry describes.
    pub(in crate::publication) version: Option<String>,
    /// For a changelog entry: kind of change.
    pub(in crate::publication) change: Option<ChangeKind>,
    /// For a changelog entry: ids of the affected operations.
    pub(in crate::publication) operations: Vec<String>,
    /// For a changelog entry: the affected fields.
    pub(in crate::publication) fields: Vec<String>,
    /// For a changelog entry: time when the change takes effect.
    pub(in crate::publication) effective_at: Option<Time>,
    /// For a changelog entry: whether callers must act.
    pub(in crate::publication) action_required: bool,
    /// For a changelog entry: required migration, as Markdown.
    pub(in crate::publication) migration: Option<String>,
    /// For a changelog entry: the sunset time of the deprecated element.
    pub(in crate::publication) sunset_at: Option<Time>,
    /// For a blog post: whether readers see its author.
    pub(in crate::publication) show_author: bool,
    /// For a developer resource: the version of its content.
    pub(in crate::publication) resource_version: Option<String>,
    /// For a developer resource: its artefact.
    #[sqlx(json(nullable))]
    pub(in crate::publication) artefact: Option<PublicationArtefact>,
}

impl PublicationContent {
    /// Creates empty content.
    pub(in crate::publication) const fn empty() -> Self {
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
