//! What a follower may ask.

use async_graphql::{Context, Object, SimpleObject};
use uuid::Uuid;

use super::rules::{self, ChangeRow, ListingChangeKind, Place, Position};
use super::store;
use crate::core::access::access;
use crate::core::context::{RequestContext, RequestContextExt};
use crate::core::fault::{Code, Fault};
use crate::core::locale::preference;
use crate::core::time::Time;
use crate::marketplace::listings::store::{ListingKey, get_each};
use crate::marketplace::listings::types::Listing;

/// The operation; its cursors serve no other.
const OPERATION: &str = "marketplace_listings_list_changes";
/// Entries of a page unless told.
const PAGE: i32 = 100;
/// Entries of a page, at most.
const LONGEST_PAGE: i32 = 500;

/// A change of a listing, with its current content.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingChange {
    /// What happened; several changes since the last page are told as one.
    change: ListingChangeKind,
    /// Its name in addresses.
    slug: String,
    /// Id of the app that is or was listed.
    app_uuid: Uuid,
    /// Time of the last change.
    changed_at: Time,
    /// The listing as it is now; null once it is gone.
    listing: Option<Listing>,
}

/// Where a follower stands.
#[derive(Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingChangePage {
    /// Goes into `cursor` for the next page, now or later; it is always there.
    next_cursor: String,
    /// Whether more changes can be read now.
    has_more: bool,
}

/// A page of changes.
#[derive(Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingChangeList {
    /// Changes on this page, each app once.
    data: Vec<ListingChange>,
    /// Where the follower stands.
    page: ListingChangePage,
    /// Once `has_more` is false, the copy holds every change that was made before this moment.
    as_of: Time,
}

/// Reads of the feed.
#[derive(Default)]
pub(in crate::marketplace) struct ListingChangesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ListingChangesQuery {
    /// List listing changes.
    #[graphql(directive = access::apply("storefront".into()))]
    async fn marketplace_listings_list_changes(
        &self,
        ctx: &Context<'_>,
        locale: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<ListingChangeList>, Fault> {
        let cx = ctx.cx();
        let form = locale.as_deref().unwrap_or_default().as_bytes();
        let position = cursor.map(|cursor| open(cx, form, &cursor)).transpose()?;
        let state = store::state_get(&cx.db, position.map_or(0, |position| position.place().place)).await?;
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
        cx.answer(ListingChangeList { data, page: ListingChangePage { next_cursor, has_more }, as_of: state.as_of })
    }
}

/// A follower's position.
fn open(cx: &RequestContext, form: &[u8], cursor: &str) -> Result<Position, Fault> {
    let values = cx.services.cursors.open(OPERATION, form, cursor).ok();
    values.and_then(|(values, _)| Position::read(&values)).ok_or_else(|| {
        let detail = "This cursor belongs to another list or locale. Read everything again without `cursor`.";
        Fault::new(Code::InvalidCursor, detail)
    })
}

/// The next rows from a position, the position behind them, and whether more is there.
async fn read(
    cx: &RequestContext,
    position: Position,
    most: i64,
    last: Option<Place>,
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

/// Rows with the listings as they are now. What is not on show any more is gone, whatever the row says.
async fn show(cx: &RequestContext, locale: Option<&str>, rows: Vec<ChangeRow>) -> Result<Vec<ListingChange>, Fault> {
    let key = |row: &ChangeRow| ListingKey { slug: row.slug.clone(), locale: locale.map(str::to_owned) };
    let listings = get_each(&cx.db, rows.iter().map(key).collect()).await?;
    let pictures_url = &cx.services.settings.pictures_url;
    let changes = rows.into_iter().zip(listings).map(|(row, listing)| {
        let ChangeRow { app_uuid, slug, change, changed_at } = row;
        let listing = listing.map(|listing| listing.shown(pictures_url));
        let change = match (&listing, change) {
            (None, _) => ListingChangeKind::Gone,
            (Some(_), ListingChangeKind::Gone) => ListingChangeKind::Changed,
            (Some(_), change) => change,
        };
        ListingChange { change, slug, app_uuid, changed_at, listing }
    });
    Ok(changes.collect())
}
