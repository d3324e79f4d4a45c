//! What is written of an item: one set of fields for all kinds.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use super::rules::{ChangeKind, PublicationAudience};
use crate::core::time::Time;

/// Artefact of a developer resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationArtefact {
    /// File name for saving the artefact.
    pub(in crate::publication) file_name: String,
    /// What it is.
    pub(in crate::publication) media_type: String,
    /// Size of the artefact.
    pub(in crate::publication) size_bytes: i64,
    /// SHA-256 of the artefact, in hexadecimal.
    #[graphql(name = "sha256")]
    pub(in crate::publication) sha256: String,
}

/// Everything that is written of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationContent {
    /// Who reads it once it is released.
    pub(in crate::publication) audience: PublicationAudience,
    /// Its name in addresses.
    pub(in crate::publication) slug: String,
    /// Its title.
    pub(in crate::publication) title: String,
    /// What it is about, in a sentence or two.
    pub(in crate::publication) summary: String,
    /// Its text, as Markdown.
    pub(in crate::publication) body: String,
    /// Words to find it by.
    pub(in crate::publication) tags: Vec<String>,
    /// For a changelog entry: the release of the service that the entry describes.
    pub(in crate::publication) version: Option<String>,
    /// Of a changelog entry: what kind of change it is.
    pub(in crate::publication) change: Option<ChangeKind>,
    /// Of a changelog entry: the operations concerned.
    pub(in crate::publication) operations: Vec<String>,
    /// For a changelog entry: the affected fields.
    pub(in crate::publication) fields: Vec<String>,
    /// For a changelog entry: time when the change takes effect.
    pub(in crate::publication) effective_at: Option<Time>,
    /// Of a changelog entry: whether callers have to do something.
    pub(in crate::publication) action_required: bool,
    /// Of a changelog entry: what they have to do, as Markdown.
    pub(in crate::publication) migration: Option<String>,
    /// For a changelog entry: the sunset time of the deprecated element.
    pub(in crate::publication) sunset_at: Option<Time>,
    /// Of a blog post: whether readers are told its author.
    pub(in crate::publication) show_author: bool,
    /// For a developer resource: the version of its content.
    pub(in crate::publication) resource_version: Option<String>,
    /// Of a developer resource: its file.
    #[sqlx(json(nullable))]
    pub(in crate::publication) artefact: Option<PublicationArtefact>,
}

impl PublicationContent {
    /// An item of which nothing is written.
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

    /// Its texts in Markdown, each with where it stands.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        std::iter::once(("/body", self.body.as_str())).chain(self.migration.as_deref().map(|text| ("/migration", text)))
    }
}
