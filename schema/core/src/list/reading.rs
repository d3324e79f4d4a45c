//! Reading of a page: its length, its start, and the binding of its cursors.

use serde::Serialize;
use serde_json::Value;
use sqlx::FromRow;
use sqlx::postgres::PgRow;

use super::statement::Statement;
use super::{FixedOrder, Key, PageRequest, Rows, SqlValue};
use crate::context::RequestContext;
use crate::db::Freshness;
use crate::event_positions::{EventPosition, read_position};
use crate::fault::{Code, Fault};
use crate::page::Page;
use crate::read_replicas::WalPlace;
use crate::words::Word;

/// Default number of rows of a page.
pub(super) const USUAL: i32 = 20;
/// Maximum number of rows of a page.
pub(super) const MOST: i32 = 100;

/// Begins the statement of a total after `select`. A total ends at 10,000 (the contract's `StaffPage`), so that its
/// cost does not grow with the table.
pub(super) const COUNT_START: &str = "count(*) from (select from ";
/// Ends the statement of a total, after the conditions.
pub(super) const COUNT_END: &str = " limit 10000) as counted";

/// Page that is being read.
pub(super) struct PageReading<'a> {
    cx: &'a RequestContext,
    operation: &'static str,
    /// Data that cursors are bound to: the owner, the filter and the order of the list.
    form: Vec<u8>,
    limit: usize,
    cursor: Option<&'a str>,
}

impl<'a> PageReading<'a> {
    /// Prepares a page of the filtered list.
    ///
    /// # Errors
    /// [`Code::Internal`] if the filter cannot be written as JSON.
    pub(super) fn new<F: Serialize, S: Word + Serialize>(
        cx: &'a RequestContext,
        operation: &'static str,
        narrowed: &F,
        request: &'a PageRequest<S>,
    ) -> Result<Self, Fault> {
        let narrowed = canonical(serde_json::to_value(narrowed).map_err(Fault::internal)?);
        let form = serde_json::to_vec(&(narrowed, request.sort)).map_err(Fault::internal)?;
        let limit = usize::try_from(request.limit.unwrap_or(USUAL).clamp(1, MOST)).unwrap_or(1);
        Ok(Self { cx, operation, form, limit, cursor: request.cursor.as_deref() })
    }

    /// Returns the keys of the row before the page; `None` at the start of the list.
    ///
    /// # Errors
    /// [`Code::InvalidCursor`].
    pub(super) fn start_after<R>(&self, order: &[Key<R>]) -> Result<Option<Vec<SqlValue>>, Fault> {
        let keys = self.open_cursor()?.map(|keys| read_keys(order, &keys).ok_or_else(err_foreign_cursor));
        keys.transpose()
    }

    /// Runs a statement that lacks only its limit.
    ///
    /// # Errors
    /// If the database does not answer.
    pub(super) async fn rows<R>(&self, mut statement: Statement, order: &[Key<R>]) -> Result<Rows<R>, Fault>
    where
        R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        statement.text(limit_of(self.limit));
        let mut conn = self.cx.db.conn().await?;
        let rows: Vec<R> = statement.builder.build_query_as().fetch_all(&mut *conn).await?;
        let place = if rows.len() > self.limit { conn.place().await? } else { None };
        Ok(self.cut(rows, place, |row| order.iter().map(|key| (key.of)(row)).collect()))
    }

    /// Maximum number of rows.
    pub(super) const fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the position after which a page of followed events begins; `None` at the start of the list. The primary
    /// must answer, because a read replica may not have the event at the position yet.
    ///
    /// # Errors
    /// [`Code::InvalidCursor`].
    pub(super) fn open_position(&self) -> Result<Option<EventPosition>, Fault> {
        let Some(cursor) = self.cursor else { return Ok(None) };
        let opened = self.cx.services.cursors.open(self.operation, &self.form, cursor).ok();
        let position = opened.and_then(|(values, _)| read_position(&values)).ok_or_else(err_foreign_cursor)?;
        self.cx.db.require_freshness(Freshness::Present);
        Ok(Some(position))
    }

    /// Returns the cursor of a position: the same for each page that ends there, so that idle polls have one entity tag.
    pub(super) fn seal_position(&self, position: EventPosition) -> String {
        self.cx.services.cursors.seal_same(self.operation, &self.form, &position.values())
    }

    /// Opens the cursor. The database must be at least as recent as for the previous page.
    fn open_cursor(&self) -> Result<Option<Vec<Value>>, Fault> {
        let Some(cursor) = self.cursor else { return Ok(None) };
        let opened = self.cx.services.cursors.open(self.operation, &self.form, cursor);
        let (keys, place) = opened.map_err(|_| err_foreign_cursor())?;
        self.cx.db.require_freshness(place.map_or(Freshness::Present, |place| Freshness::Since(WalPlace::of(place))));
        Ok(Some(keys))
    }

    /// Truncates the rows to the page. An additional row means that another page follows.
    fn cut<R>(&self, mut rows: Vec<R>, place: Option<WalPlace>, keys: impl Fn(&R) -> Vec<Value>) -> Rows<R> {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let (cursors, list, form) = (&self.cx.services.cursors, self.operation, &self.form);
        let next_cursor = rows.last().filter(|_| has_more).map(|row| match place {
            None => cursors.seal(list, form, &keys(row)),
            Some(place) => cursors.seal_of_replica(list, form, &keys(row), place.number()),
        });
        Rows { rows, page: Page { next_cursor, has_more } }
    }
}

/// Returns a page of an in-memory list: its rows, each with its position, from the first position on.
///
/// # Errors
/// [`Code::InvalidCursor`] if the cursor belongs to another list or filter.
pub fn page_in_memory<F: Serialize, R>(
    cx: &RequestContext,
    operation: &'static str,
    narrowed: &F,
    request: &PageRequest<FixedOrder>,
    rows: impl Iterator<Item = (usize, R)>,
) -> Result<Rows<R>, Fault> {
    let reading = PageReading::new(cx, operation, narrowed, request)?;
    let before = match reading.open_cursor()?.as_deref() {
        None => None,
        Some([place]) => Some(place.as_u64().ok_or_else(err_foreign_cursor)?),
        Some(_) => return Err(err_foreign_cursor()),
    };
    let number = |place: usize| u64::try_from(place).unwrap_or(u64::MAX);
    let rows = rows.filter(|(place, _)| before.is_none_or(|before| number(*place) > before)).collect();
    let Rows { rows, page } = reading.cut(rows, None, |(place, _)| vec![number(*place).into()]);
    Ok(Rows { rows: rows.into_iter().map(|(_, row)| row).collect(), page })
}

/// Converts a cursor's values to the types of the order's keys.
fn read_keys<R>(order: &[Key<R>], values: &[Value]) -> Option<Vec<SqlValue>> {
    if order.len() != values.len() {
        return None;
    }
    order.iter().zip(values).map(|(key, value)| key.kind.read(value)).collect()
}

/// Loads one row more than the page, to see whether others follow. LIMIT takes no parameter, because PostgreSQL's
/// generic plan would assume a tenth of the table; so there are two sizes.
pub(super) fn limit_of(limit: usize) -> &'static str {
    if limit <= 20 { " limit 21" } else { " limit 101" }
}

fn err_foreign_cursor() -> Fault {
    let detail = "This cursor belongs to another list or filter. Start again without `cursor`.";
    Fault::new(Code::InvalidCursor, detail)
}

/// Returns the canonical form of a filter: values in a list are sorted and deduplicated, and an empty list equals no
/// filter.
fn canonical(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(name, of)| (name, canonical(of))).collect()),
        Value::Array(values) if values.is_empty() => Value::Null,
        Value::Array(mut values) => {
            values.sort_by_cached_key(Value::to_string);
            values.dedup();
            Value::Array(values)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equivalent_filters_have_one_canonical_form() {
        let said = json!({ "filter": { "state": ["B", "A", "B"], "role": [], "q": "b a" }, "partner_uuid": null });
        let form = json!({ "filter": { "state": ["A", "B"], "role": null, "q": "b a" }, "partner_uuid": null });
        assert_eq!(canonical(said), form);
    }
}
