//! Drafts of changelog entries that announce a deprecation or its cancellation.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::describe::MaybeUndefined;
use labs_core::fault::Fault;
use labs_core::slug::slug_of;
use labs_core::time::Time;
use uuid::Uuid;

use super::input::{
    ChangelogEntryFields, ChangelogEntryRelease, PublicationDetails, PublicationPatch, PublicationTexts,
};
use super::list::{BY_ID, PublicationItem};
use super::rules::{ChangeKind, PublicationKind, PublicationState};
use super::store;
use super::writing::{self, Beginning};

/// Version of the running service, which a new entry describes.
const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// Largest number of operations, and of fields, that an entry names.
const MOST: usize = 100;
/// Longest title, in characters.
const LONGEST_TITLE: usize = 150;

/// Content of an entry about a deprecation.
pub struct DeprecationEntry<'a> {
    /// Title.
    pub title: String,
    /// Text as Markdown.
    pub body: String,
    /// Ids of the affected operations.
    pub operations: Vec<String>,
    /// Affected fields, each as an operation's id, a colon and a pointer.
    pub fields: Vec<String>,
    /// Required migration, and the sunset; none if the deprecation is cancelled.
    pub ending: Option<(&'a str, Time)>,
}

/// Creates the draft of an entry and returns its id.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for a text that entries may not have.
pub async fn draft_entry(cx: &RequestContext, entry: DeprecationEntry<'_>) -> Result<Uuid, Fault> {
    let DeprecationEntry { title, body, mut operations, mut fields, ending } = entry;
    operations.truncate(MOST);
    fields.truncate(MOST);
    let title: String = title.replace('`', "").chars().take(LONGEST_TITLE).collect();
    // The same element may be deprecated, kept and deprecated again, so the slug gets a random part.
    let random = cx.new_uuid().simple().to_string();
    let slug = format!("{}-{}", slug_of(&title, "deprecation"), random.get(24..).unwrap_or_default());
    let (replacement, sunset_at) = ending.unzip();
    let sent = PublicationPatch {
        title: Some(title),
        texts: PublicationTexts {
            slug: Some(slug),
            summary: MaybeUndefined::Undefined,
            body: MaybeUndefined::Value(body),
            tags: MaybeUndefined::Undefined,
        },
        release: ChangelogEntryRelease {
            version: Some(RELEASE.to_owned()),
            change: Some(if ending.is_some() { ChangeKind::Deprecated } else { ChangeKind::Changed }),
        },
        entry: ChangelogEntryFields {
            operations: MaybeUndefined::Value(operations),
            fields: MaybeUndefined::Value(fields),
            effective_at: MaybeUndefined::Value(cx.now),
            action_required: Some(ending.is_some()),
            migration: replacement.map_or(MaybeUndefined::Undefined, |text| MaybeUndefined::Value(text.to_owned())),
            sunset_at: sunset_at.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value),
        },
        details: PublicationDetails::default(),
    };
    writing::begin(cx, PublicationKind::ChangelogEntry, sent, Beginning::default()).await
}

/// Deletes an entry that was never released. Returns false, and keeps it, if it was.
///
/// # Errors
/// If the database does not answer.
pub async fn drop_unreleased(db: &Db, item_uuid: Uuid) -> Result<bool, Fault> {
    store::lock(db, item_uuid).await?;
    let Some(entry) = BY_ID.fetch_one(db, [item_uuid.into()]).await? else { return Ok(true) };
    if has_been_seen(&entry) {
        return Ok(false);
    }
    store::delete(db, item_uuid).await?;
    Ok(true)
}

fn has_been_seen(entry: &PublicationItem) -> bool {
    entry.first_released_at.is_some() || !matches!(entry.state, PublicationState::Draft | PublicationState::Scheduled)
}
