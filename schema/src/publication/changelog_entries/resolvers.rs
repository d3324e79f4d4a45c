//! Resolvers of the release tool.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::access;
use labs_core::context::{RequestContext, RequestContextExt};
use labs_core::fault::Fault;
use serde_json::json;
use uuid::Uuid;

use crate::publication::items::rules::{self, ChangeKind, PublicationKind, PublicationState};
use crate::publication::items::{
    self, BY_PROGRAM, Beginning, ChangelogEntryFields, ChangelogEntryRelease, PublicationDetails, PublicationItem,
    PublicationPatch, PublicationTexts,
};

/// A changelog entry of a release.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ChangelogEntryCreate {
    /// Title of the entry.
    title: String,
    /// Release of the service that the entry describes.
    version: String,
    /// Kind of change.
    change: ChangeKind,
    /// Texts of the entry.
    #[graphql(flatten)]
    texts: PublicationTexts,
    /// Fields specific to changelog entries.
    #[graphql(flatten)]
    entry: ChangelogEntryFields,
}

/// Merge patch of a changelog entry (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ChangelogEntryUpdate {
    /// Title of the entry.
    title: Option<String>,
    /// Release that the entry describes.
    #[graphql(flatten)]
    release: ChangelogEntryRelease,
    /// Texts of the entry.
    #[graphql(flatten)]
    texts: PublicationTexts,
    /// Fields specific to changelog entries.
    #[graphql(flatten)]
    entry: ChangelogEntryFields,
}

/// Queries of the release tool.
#[derive(Default)]
pub(crate) struct ChangelogEntriesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ChangelogEntriesQuery {
    /// Get a changelog entry.
    #[graphql(directive = access::apply("publication.changelog".into()))]
    async fn publication_changelog_entries_get(
        &self,
        ctx: &Context<'_>,
        entry_uuid: Uuid,
    ) -> Result<Option<PublicationItem>, Fault> {
        ctx.cx().answer(load(ctx.cx(), entry_uuid).await?)
    }
}

/// Mutations of the release tool.
#[derive(Default)]
pub(crate) struct ChangelogEntriesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ChangelogEntriesMutation {
    /// Create a changelog entry.
    #[graphql(directive = access::apply("publication.changelog:write".into()))]
    async fn publication_changelog_entries_create(
        &self,
        ctx: &Context<'_>,
        body: ChangelogEntryCreate,
    ) -> Result<Option<PublicationItem>, Fault> {
        let cx = ctx.cx();
        let release_key = json!([body.version, body.title.trim()]).to_string();
        if let Some(entry_uuid) = items::lock_release(&cx.db, &release_key).await? {
            return cx.answer(load(cx, entry_uuid).await?);
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
        cx.answer_created(entry_uuid, load(cx, entry_uuid).await?)
    }

    /// Update a changelog entry.
    #[graphql(directive = access::apply("publication.changelog:write".into()))]
    async fn publication_changelog_entries_update(
        &self,
        ctx: &Context<'_>,
        entry_uuid: Uuid,
        body: ChangelogEntryUpdate,
    ) -> Result<Option<PublicationItem>, Fault> {
        let cx = ctx.cx();
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
        cx.answer(load(cx, entry_uuid).await?)
    }
}

/// Loads the current entry, if a machine client wrote it.
async fn load(cx: &RequestContext, entry_uuid: Uuid) -> Result<PublicationItem, Fault> {
    let entry = BY_PROGRAM.fetch_one(&cx.db, [entry_uuid.into()]).await?;
    entry.ok_or_else(|| Fault::not_found("changelog entry"))?.for_caller(cx).await
}
