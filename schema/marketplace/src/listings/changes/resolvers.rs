//! Resolvers of the change feed.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::{Code, Fault};
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{self, ChangeRow, FeedPosition, ListingChangeKind, Position};
use super::store;
use crate::listings::store::{ListingKey, get_each};
use crate::listings::types::Listing;

/// Operation of the feed; its cursors are valid for no other operation.
const OPERATION: &str = "marketplace_listings_list_changes";
/// Default number of entries on a page.
const PAGE: i32 = 100;
/// Maximum number of entries on a page.
const LONGEST_PAGE: i32 = 500;

/// A change of a listing, with its current content.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(super) struct ListingChange {
    /// Kind of change. Several changes since the last page are reported once.
    change: ListingChangeKind,
    /// Slug of the listing.
    slug: String,
    /// UUID of the app that is or was listed.
    app_uuid: Uuid,
    /// Time of the last change.
    changed_at: Time,
    /// Current listing. Null if it left the storefront.
    listing: Option<Listing>,
}

/// Position of a client in the feed.
#[derive(Debug, serde::Serialize, OutputType)]
pub(super) struct ListingChangePage {
    /// Cursor for the next page, to send in `cursor` now or later. Always present.
    next_cursor: String,
    /// Whether more changes can be read now.
    has_more: bool,
}

/// A page of changes.
#[derive(Debug, serde::Serialize, OutputType)]
pub(super) struct ListingChangeList {
    /// Changes on this page, each app once.
    data: Vec<ListingChange>,
    /// Position in the feed.
    page: ListingChangePage,
    /// If `has_more` is false, the client's copy contains every change made before this time.
    as_of: Time,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![marketplace_listings_list_changes];

/// List listing changes.
#[operation(query, access = "storefront")]
async fn marketplace_listings_list_changes(
    cx: &RequestContext,
    locale: Option<String>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<ListingChangeList, Fault> {
    let form = locale.as_deref().unwrap_or_default().as_bytes();
    let position = cursor.map(|cursor| open(cx, form, &cursor)).transpose()?;
    let state = store::get_state(&cx.db, position.map_or(0, |position| position.place().place)).await?;
    let position = match position {
        Some(position) => {
            rules::ensure_known(position.place(), state.kept, state.first_kept)?;
            position
        }
        None => Position::Filling { from: state.last.unwrap_or_default(), after: Uuid::nil() },
    };
    let most = i64::from(limit.unwrap_or(PAGE).clamp(1, LONGEST_PAGE));
    let (rows, next, has_more) = read(cx, position, most, state.last).await?;
    let data = show(cx, preference(locale.clone()).as_deref(), rows).await?;
    cx.note_languages(data.iter().filter_map(|change| Some(&change.listing.as_ref()?.locale)));
    let next_cursor = cx.services.cursors.seal_same(OPERATION, form, &next.values());
    Ok(ListingChangeList { data, page: ListingChangePage { next_cursor, has_more }, as_of: state.as_of })
}

/// Decodes the cursor of a client into its position.
fn open(cx: &RequestContext, form: &[u8], cursor: &str) -> Result<Position, Fault> {
    let values = cx.services.cursors.open(OPERATION, form, cursor).ok();
    values.and_then(|(values, _)| Position::read(&values)).ok_or_else(|| {
        let detail = "This cursor belongs to another list or locale. Read everything again without `cursor`.";
        Fault::new(Code::InvalidCursor, detail)
    })
}

/// Returns the next rows from a position, the position after them, and whether more rows follow.
async fn read(
    cx: &RequestContext,
    position: Position,
    most: i64,
    last: Option<FeedPosition>,
) -> Result<(Vec<ChangeRow>, Position, bool), Fault> {
    match position {
        Position::Filling { from, after } => {
            let rows = store::shown_page(&cx.db, after, most).await?;
            let is_full = i64::try_from(rows.len()).is_ok_and(|rows| rows == most);
            match rows.last().filter(|_| is_full).map(|row| row.app_uuid) {
                Some(after) => Ok((rows, Position::Filling { from, after }, true)),
                None => Ok((rows, Position::Following(from), last.is_some_and(|last| last.place > from.place))),
            }
        }
        Position::Following(at) => {
            let (rows, end) = store::changes_page(&cx.db, at.place, most).await?;
            let end = end.unwrap_or(at);
            let has_more = last.is_some_and(|last| last.place > end.place);
            Ok((rules::latest_of_each(rows), Position::Following(end), has_more))
        }
    }
}

/// Adds the current listings to the rows. A hidden listing is reported as gone, regardless of the change in the row.
async fn show(cx: &RequestContext, locale: Option<&str>, rows: Vec<ChangeRow>) -> Result<Vec<ListingChange>, Fault> {
    let key = |row: &ChangeRow| ListingKey { slug: row.slug.clone(), locale: locale.map(str::to_owned) };
    let listings = get_each(&cx.db, rows.iter().map(key).collect()).await?;
    let pictures_url = &cx.services.settings.pictures_url;
    let changes = rows.into_iter().zip(listings).map(|(row, listing)| {
        let ChangeRow { app_uuid, slug, change, changed_at } = row;
        let listing = listing.map(|listing| listing.into_view(pictures_url));
        let change = match (&listing, change) {
            (None, _) => ListingChangeKind::Gone,
            (Some(_), ListingChangeKind::Gone) => ListingChangeKind::Changed,
            (Some(_), change) => change,
        };
        ListingChange { change, slug, app_uuid, changed_at, listing }
    });
    Ok(changes.collect())
}
