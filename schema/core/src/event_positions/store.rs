//! SQL statements of event positions.

use sqlx::PgPool;
use uuid::Uuid;

use super::rules::{EventList, EventPosition, EventSource};
use crate::db::Db;
use crate::fault::Fault;

/// End of a list, and the event at one position.
pub(crate) struct ListState {
    /// Last position of the list, including events that the partner may not see; `None` if it is empty.
    pub(crate) last_place: Option<i64>,
    /// Event at the requested position.
    pub(crate) kept: Option<Uuid>,
}

/// Loads the end of the list about a partner or an app.
pub(crate) async fn get_state(db: &Db, (list, about): (EventList, Uuid), place: i64) -> Result<ListState, Fault> {
    let mut conn = db.conn().await?;
    let state = match list {
        EventList::Account | EventList::App => {
            let state = sqlx::query_as!(
                ListState,
                "select (select max(place) from event_position where about_uuid = $1) as last_place,
                        (select event_uuid from event_position where about_uuid = $1 and place = $2) as kept",
                about,
                place
            );
            state.fetch_one(&mut *conn).await?
        }
        EventList::Subscription => {
            let state = sqlx::query_as!(
                ListState,
                "select (select max(place) from event_position
                          where about_uuid = $1 and source = 'SUBSCRIPTION') as last_place,
                        (select event_uuid from event_position where about_uuid = $1 and place = $2) as kept",
                about,
                place
            );
            state.fetch_one(&mut *conn).await?
        }
    };
    Ok(state)
}

/// Event with its position.
pub(super) struct PositionRow {
    pub(super) place: i64,
    pub(super) event_uuid: Uuid,
    pub(super) source: EventSource,
    pub(super) about_uuid: Uuid,
}

/// Maximum number of events in one reading.
pub(super) const READING: usize = 1_000;

/// Returns the event at a position, if there is one, and the next events.
pub(super) async fn list_from(pool: &PgPool, place: i64) -> Result<Vec<PositionRow>, Fault> {
    let most = i64::try_from(READING).unwrap_or(i64::MAX);
    Ok(sqlx::query_as!(
        PositionRow,
        r#"select place as "place!", event_uuid, source as "source: EventSource", about_uuid
             from event_position where place + 0 >= $1 order by place + 0 limit $2"#,
        place,
        most
    )
    .fetch_all(pool)
    .await?)
}

/// Returns the last assigned position; `None` if there is none.
pub(super) async fn get_last(pool: &PgPool) -> Result<Option<EventPosition>, Fault> {
    Ok(sqlx::query_as!(
        EventPosition,
        r#"select place as "place!", event_uuid from event_position where place + 0 is not null
            order by place + 0 desc limit 1"#
    )
    .fetch_optional(pool)
    .await?)
}
