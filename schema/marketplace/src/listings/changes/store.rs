//! SQL statements of the change feed.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{ChangeRow, FeedPosition, ListingChangeKind};

/// End of the feed, and the entry at one position.
pub(super) struct FeedState {
    /// Last position and its entry; `None` for an empty feed.
    pub(super) last: Option<FeedPosition>,
    /// First stored position.
    pub(super) first_kept: Option<i64>,
    /// Entry at the requested position.
    pub(super) kept: Option<Uuid>,
    /// Every change committed before this time has a position.
    pub(super) as_of: Time,
}

/// Loads the end of the feed. It runs before the page is read, so that the page contains every change up to `as_of`.
pub(super) async fn get_state(db: &Db, place: i64) -> Result<FeedState, Fault> {
    let row = sqlx::query!(
        r#"select last.place as "last_place?", last.entry_uuid as "last_uuid?",
                  (select place from listing_change where place is not null order by place limit 1) as first_kept,
                  (select entry_uuid from listing_change where place = $1) as kept,
                  coalesce((select min(changed_at) from listing_change where place is null),
                      labs_now()) as "as_of!: Time"
             from (values (true)) as always
             left join (select place, entry_uuid from listing_change where place is not null
                         order by place desc limit 1) as last on true"#,
        place
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    let last = row.last_place.zip(row.last_uuid).map(|(place, entry_uuid)| FeedPosition { place, entry_uuid });
    Ok(FeedState { last, first_kept: row.first_kept, kept: row.kept, as_of: row.as_of })
}

/// Returns at most `most` visible listings after an app, ordered by id.
pub(super) async fn shown_page(db: &Db, after: Uuid, most: i64) -> Result<Vec<ChangeRow>, Fault> {
    Ok(sqlx::query_as!(
        ChangeRow,
        r#"select app_uuid, slug, 'PUBLISHED' as "change!: ListingChangeKind", published_at as "changed_at: Time"
             from listing where visible and app_uuid > $1 order by app_uuid limit $2"#,
        after,
        most
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns at most `most` changes after a position, in order, and the position of the last one.
pub(super) async fn changes_page(
    db: &Db,
    behind: i64,
    most: i64,
) -> Result<(Vec<ChangeRow>, Option<FeedPosition>), Fault> {
    let rows = sqlx::query!(
        r#"select place as "place!", entry_uuid, app_uuid, slug,
                  case change when 'RATED' then 'CHANGED' else change end as "change!: ListingChangeKind",
                  changed_at as "changed_at: Time"
             from listing_change where place > $1 order by place limit $2"#,
        behind,
        most
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let last = rows.last().map(|row| FeedPosition { place: row.place, entry_uuid: row.entry_uuid });
    let rows = rows.into_iter().map(|row| ChangeRow {
        app_uuid: row.app_uuid,
        slug: row.slug,
        change: row.change,
        changed_at: row.changed_at,
    });
    Ok((rows.collect(), last))
}
