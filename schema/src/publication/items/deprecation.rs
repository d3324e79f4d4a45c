//! The drafts of entries that tell of what is to go, or that it stays after all.

use async_graphql::MaybeUndefined;
use uuid::Uuid;

use super::input::{
    ChangelogEntryFields, ChangelogEntryRelease, PublicationDetails, PublicationPatch, PublicationTexts,
};
use super::list::{BY_ID, PublicationItem};
use super::rules::{ChangeKind, PublicationKind, PublicationState};
use super::store;
use super::writing::{self, Beginning};
use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::slug::slug_of;
use crate::core::time::Time;

/// The release of the service that runs, which is the one that a new entry tells of.
const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// Operations, and fields, that an entry names at most.
const MOST: usize = 100;
/// Characters of the longest title.
const LONGEST_TITLE: usize = 150;

/// What an entry says of something deprecated.
pub(crate) struct DeprecationEntry<'a> {
    /// Its title.
    pub(crate) title: String,
    /// Its text, as Markdown.
    pub(crate) body: String,
    /// The operations concerned.
    pub(crate) operations: Vec<String>,
    /// The fields concerned, each as an operation's id, a colon and a pointer.
    pub(crate) fields: Vec<String>,
    /// What to do instead and when it is gone; none where it stays.
    pub(crate) ending: Option<(&'a str, Time)>,
}

/// Begins the draft of an entry, and answers its id.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for a text that no entry may have.
pub(crate) async fn draft_entry(cx: &RequestContext, entry: DeprecationEntry<'_>) -> Result<Uuid, Fault> {
    let DeprecationEntry { title, body, mut operations, mut fields, ending } = entry;
    operations.truncate(MOST);
    fields.truncate(MOST);
    let title: String = title.replace('`', "").chars().take(LONGEST_TITLE).collect();
    // The same thing may be deprecated, kept and deprecated again.
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

/// Removes an entry that no reader has seen. False when one has, and it stays.
///
/// # Errors
/// When the database is away.
pub(crate) async fn drop_unreleased(db: &Db, item_uuid: Uuid) -> Result<bool, Fault> {
    store::lock(db, item_uuid).await?;
    let Some(entry) = BY_ID.one(db, [item_uuid.into()]).await? else { return Ok(true) };
    if has_been_seen(&entry) {
        return Ok(false);
    }
    store::delete(db, item_uuid).await?;
    Ok(true)
}

fn has_been_seen(entry: &PublicationItem) -> bool {
    entry.first_released_at.is_some() || !matches!(entry.state, PublicationState::Draft | PublicationState::Scheduled)
}
