//! Resolvers of the release tool.

use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::items::rules::{self, ChangeKind, PublicationKind, PublicationState};
use crate::items::{
    self, BY_PROGRAM, Beginning, ChangelogEntryFields, ChangelogEntryRelease, PublicationDetails, PublicationItem,
    PublicationPatch, PublicationTexts,
};

/// A changelog entry of a release.
#[derive(Deserialize, InputType)]
pub(super) struct ChangelogEntryCreate {
    /// Title of the item.
    title: String,
    /// For a changelog entry, required: the release of the service that the entry describes.
    version: String,
    /// For a changelog entry, required: the kind of change.
    change: ChangeKind,
    /// Texts of the entry.
    #[serde(flatten)]
    texts: PublicationTexts,
    /// Fields specific to changelog entries.
    #[serde(flatten)]
    entry: ChangelogEntryFields,
}

/// A merge patch of a changelog entry (RFC 7396). Omitted fields stay unchanged.
#[derive(Deserialize, InputType)]
pub(super) struct ChangelogEntryUpdate {
    /// Title of the item.
    title: Option<String>,
    /// Release that the entry describes.
    #[serde(flatten)]
    release: ChangelogEntryRelease,
    /// Texts of the entry.
    #[serde(flatten)]
    texts: PublicationTexts,
    /// Fields specific to changelog entries.
    #[serde(flatten)]
    entry: ChangelogEntryFields,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    publication_changelog_entries_get,
    publication_changelog_entries_create,
    publication_changelog_entries_update,
];

/// Get a changelog entry.
#[operation(query, access = "publication.changelog")]
async fn publication_changelog_entries_get(cx: &RequestContext, entry_uuid: Uuid) -> Result<PublicationItem, Fault> {
    load(cx, entry_uuid).await
}

/// Create a changelog entry.
#[operation(mutation, access = "publication.changelog:write")]
async fn publication_changelog_entries_create(
    cx: &RequestContext,
    body: ChangelogEntryCreate,
) -> Result<Created<PublicationItem>, Fault> {
    let release_key = json!([body.version, body.title.trim()]).to_string();
    if let Some(entry_uuid) = items::lock_release(&cx.db, &release_key).await? {
        return Ok(Created::existing(load(cx, entry_uuid).await?));
    }
    let sent = PublicationPatch {
        title: Some(body.title),
        texts: body.texts,
        release: ChangelogEntryRelease { version: Some(body.version), change: Some(body.change) },
        entry: body.entry,
        details: PublicationDetails::default(),
    };
    let beginning = Beginning { release_key: Some(&release_key), ..Beginning::default() };
    let entry_uuid = items::begin(cx, PublicationKind::ChangelogEntry, sent, beginning).await?;
    Ok(Created::new(entry_uuid, load(cx, entry_uuid).await?))
}

/// Update a changelog entry.
#[operation(mutation, access = "publication.changelog:write")]
async fn publication_changelog_entries_update(
    cx: &RequestContext,
    entry_uuid: Uuid,
    body: ChangelogEntryUpdate,
) -> Result<PublicationItem, Fault> {
    items::lock(&cx.db, entry_uuid).await?;
    let present = load(cx, entry_uuid).await?;
    if present.state != PublicationState::Draft {
        return Err(rules::err_refused_to_programs(present.state));
    }
    let sent = PublicationPatch {
        title: body.title,
        texts: body.texts,
        release: body.release,
        entry: body.entry,
        details: PublicationDetails::default(),
    };
    items::change(cx, &present, sent, None).await?;
    load(cx, entry_uuid).await
}

/// Loads the current entry, if a machine client wrote it.
async fn load(cx: &RequestContext, entry_uuid: Uuid) -> Result<PublicationItem, Fault> {
    let entry = BY_PROGRAM.fetch_one(&cx.db, [entry_uuid.into()]).await?;
    entry.ok_or_else(|| Fault::not_found("changelog entry"))?.for_caller(cx).await
}
