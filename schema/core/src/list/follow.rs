//! Lists of events in the order of their positions, which clients follow by a cursor.

use std::collections::BTreeSet;

use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use super::reading::{PageReading, limit_of};
use super::statement::Statement;
use super::{Condition, PageRequest, Rows, Select, SqlValue, Statements};
use crate::context::RequestContext;
use crate::event_positions::{self, EventList, EventPosition, EventSort, KnownEnds};
use crate::fault::Fault;
use crate::page::Page;

/// Definition of a list of events by position, oldest first. `F` is the filter, `R` a row.
///
/// The cursor is also present on the last page and continues with later events. It is the position of the last event on
/// the page, so nothing in it depends on events that the caller may not see.
pub struct FollowQuery<F: 'static, R: 'static> {
    /// Operation of the list. Its cursors are valid only for this operation.
    pub operation: &'static str,
    /// Which events have the list's positions.
    pub list: EventList,
    /// Columns and relations of a row. The relations begin with [`of_positions!`](crate::of_positions).
    pub select: &'static Select<R>,
    /// Returns the partner or app that the list is about.
    pub about: fn(&F) -> Uuid,
    /// Conditions that always apply.
    pub within: &'static [Condition<F>],
    /// Optional conditions.
    pub conditions: &'static [Condition<F>],
}

/// Relations of a followed list: the positions, each with its event from a table or view with this alias.
///
/// The subquery is evaluated for each position, by the primary key of the events. As a join, the planner would read all
/// events of all partners, because it underestimates how many positions of the list have an event that it shows.
#[macro_export]
macro_rules! of_positions {
    ($events:literal, $alias:literal) => {
        concat!(
            "event_position as position cross join lateral (select * from ",
            $events,
            " as found where found.event_uuid = position.event_uuid offset 0) as ",
            $alias,
            " "
        )
    };
}

/// Row of a list with its position.
struct Placed<R> {
    at: EventPosition,
    row: R,
}

impl<'r, R: FromRow<'r, PgRow>> FromRow<'r, PgRow> for Placed<R> {
    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
        let at = EventPosition { place: row.try_get("place")?, event_uuid: row.try_get("placed_uuid")? };
        Ok(Self { at, row: R::from_row(row)? })
    }
}

impl<F, R> FollowQuery<F, R>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    /// Loads a page of the filtered list. If the caller has read the list to its end and no event of it has received a
    /// position since, the page is empty and nothing is read from the database. `ensure_access` ensures that the caller
    /// may read the list; it is not called if this caller has just read the list to its end.
    ///
    /// # Errors
    /// The fault of `ensure_access`. [`crate::Code::InvalidCursor`] if the cursor belongs to another list, filter or
    /// order. [`crate::Code::CursorExpired`] if the event at the cursor is no longer stored.
    pub async fn page(
        &self,
        cx: &RequestContext,
        narrowed: &F,
        request: &PageRequest<EventSort>,
        ensure_access: impl Future<Output = Result<(), Fault>>,
    ) -> Result<Rows<R>, Fault> {
        let reading = PageReading::new(cx, self.operation, narrowed, request)?;
        let (known, partner_uuid) = (cx.services.state::<KnownEnds>(), cx.owner()?.uuid());
        let (list, opened) = ((self.list, (self.about)(narrowed)), reading.open_position());
        if let (Ok(Some(_)), Some(cursor)) = (&opened, &request.cursor)
            && known.is_end(list, partner_uuid, cursor)
        {
            let page = Page { next_cursor: Some(cursor.clone()), has_more: false };
            return Ok(Rows { rows: Vec::new(), page });
        }
        ensure_access.await?;
        let (at, last_read) = (opened?.unwrap_or_default(), known.last_read());
        let state = event_positions::get_state(&cx.db, list, at.place).await?;
        event_positions::ensure_known(at, state.kept)?;
        let rows = if state.last_place > Some(at.place) {
            let mut statement = self.statement(narrowed, at);
            statement.text(limit_of(reading.limit()));
            statement.builder.build_query_as().fetch_all(&mut *cx.db.conn().await?).await?
        } else {
            Vec::new()
        };
        let rows = cut(&reading, rows, at);
        if let Some(cursor) = rows.page.next_cursor.as_deref().filter(|_| !rows.page.has_more) {
            known.note(list, partner_uuid, cursor, last_read);
        }
        Ok(rows)
    }

    fn statement(&self, narrowed: &F, at: EventPosition) -> Statement {
        let range = [(self.about)(narrowed).into(), SqlValue::Whole(at.place)];
        let conditions = self.within.iter().chain(self.conditions);
        let conditions = conditions.filter_map(|of| Some((of.sql, Some((of.value)(narrowed)?))));
        self.assemble(range.map(Some), conditions)
    }
}

impl<F, R> FollowQuery<F, R> {
    /// Assembles the statement up to its limit. Values may be left unbound.
    fn assemble(
        &self,
        range: [Option<SqlValue>; 2],
        conditions: impl Iterator<Item = (&'static str, Option<SqlValue>)>,
    ) -> Statement {
        let mut statement = Statement::new("select position.place, position.event_uuid as placed_uuid, ");
        self.select.rows(&mut statement);
        let [about, behind] = range;
        statement.narrow("position.about_uuid = {}", about);
        if self.list == EventList::Subscription {
            statement.narrow("position.source = 'SUBSCRIPTION'", Some(SqlValue::Nothing));
        }
        statement.narrow("position.place > {}", behind);
        // The planner overestimates the selectivity of conditions, and would read and sort all positions of the list instead
        // of following their order until the page is full. It does not estimate `coalesce`.
        for condition in conditions {
            statement.join().text("coalesce(").all_of(vec![condition]);
            statement.text(", false)");
        }
        statement.text(" order by position.place");
        statement
    }
}

/// Truncates the rows after a position to the page. An additional row means that another page follows.
fn cut<R>(reading: &PageReading<'_>, mut rows: Vec<Placed<R>>, at: EventPosition) -> Rows<R> {
    let has_more = rows.len() > reading.limit();
    rows.truncate(reading.limit());
    let next = rows.last().map_or(at, |row| row.at);
    let page = Page { next_cursor: Some(reading.seal_position(next)), has_more };
    Rows { rows: rows.into_iter().map(|placed| placed.row).collect(), page }
}

impl<F, R> Statements for FollowQuery<F, R> {
    fn operation(&self) -> Option<&'static str> {
        Some(self.operation)
    }

    fn statements(&self) -> Vec<String> {
        let each = self.conditions.iter().map(|condition| vec![condition]);
        let choices = each.chain([Vec::new(), self.conditions.iter().collect()]);
        let mut texts = BTreeSet::new();
        for chosen in choices {
            for limit in [1, 100] {
                let conditions = self.within.iter().chain(chosen.iter().copied());
                let mut statement = self.assemble([None, None], conditions.map(|of| (of.sql, None)));
                statement.text(limit_of(limit));
                texts.insert(statement.into_text());
            }
        }
        texts.into_iter().collect()
    }
}
