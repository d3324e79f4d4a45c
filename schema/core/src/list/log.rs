//! Lists over large tables that grow every day. Several indexes serve them; each begins with one column and continues
//! with the keys of the order.
//!
//! The first column that the request filters by leads. Each of its values reads a separate range of that column's
//! index, in the order of the list, however many values there are. All other filters are checked on the entries found.

use serde::Serialize;
use sqlx::FromRow;
use sqlx::postgres::PgRow;

use super::reading::{COUNT_END, COUNT_START, PageReading, limit_of};
use super::statement::Statement;
use super::{Condition, Key, PageRequest, Rows, SqlValue, Statements};
use crate::context::RequestContext;
use crate::db::Db;
use crate::fault::Fault;
use crate::words::Word;

/// Definition of a list over a growing table. `F` is the filter, `R` a row, `S` the order.
pub struct LogQuery<F: 'static, R: 'static, S: 'static> {
    /// Operation of the list. Its cursors are valid only for this operation.
    pub operation: &'static str,
    /// Name of the table.
    pub table: &'static str,
    /// Columns of a row, from `entry` (the table) and the joined relations.
    pub columns: &'static str,
    /// Relations joined to the entries of a page.
    pub joined: &'static str,
    /// Columns that can lead, most selective first.
    pub filters: &'static [IndexedFilter<F>],
    /// Other conditions. A condition that must not use an index is wrapped in `coalesce`: the planner overestimates its
    /// selectivity and would otherwise fetch and sort all expected rows instead of following the order of an index.
    pub conditions: &'static [Condition<F>],
    /// Keys of each order, all columns of the table. The last key is unique.
    pub order: fn(S) -> &'static [Key<R>],
}

/// Indexed column that a request can filter by.
pub struct IndexedFilter<F> {
    /// Name of the column.
    pub column: &'static str,
    /// Type of the values.
    pub kind: &'static str,
    /// Returns the values; `None` if the request does not filter by this column.
    pub values: fn(&F) -> Option<SqlValue>,
}

/// Filters of a statement with their values; without values if the statement is only prepared.
struct ChosenFilters<F: 'static> {
    filters: Vec<(&'static IndexedFilter<F>, Option<SqlValue>)>,
    conditions: Vec<(&'static Condition<F>, Option<SqlValue>)>,
}

impl<F, R, S> LogQuery<F, R, S>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    S: Word + Serialize + Sync,
{
    /// Loads a page of the filtered list.
    ///
    /// # Errors
    /// [`Code::InvalidCursor`](crate::fault::Code::InvalidCursor) if the cursor belongs to another list, filter
    /// or order.
    pub async fn page(&self, cx: &RequestContext, narrowed: &F, request: &PageRequest<S>) -> Result<Rows<R>, Fault> {
        let (order, reading) = ((self.order)(request.sort), PageReading::new(cx, self.operation, narrowed, request)?);
        let start_after = reading.start_after(order)?;
        let statement = self.page_statement(self.chosen(narrowed), order, |statement| {
            if let Some(keys) = start_after {
                statement.begin_after(order, Some(keys));
            }
        });
        reading.rows(statement, order).await
    }

    /// Loads the entries after a position, or the first ones, and the position of the last entry: for readers that
    /// process a whole table in pieces. A piece has one entry more than the largest page; after the last piece the
    /// result is empty.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn piece(
        &self,
        db: &Db,
        narrowed: &F,
        sort: S,
        place: Option<Vec<SqlValue>>,
    ) -> Result<(Vec<R>, Option<Vec<SqlValue>>), Fault> {
        let order = (self.order)(sort);
        let mut statement = self.page_statement(self.chosen(narrowed), order, |statement| {
            if let Some(keys) = place {
                statement.begin_after(order, Some(keys));
            }
        });
        statement.text(limit_of(usize::MAX));
        let rows: Vec<R> = statement.builder.build_query_as().fetch_all(&mut *db.conn().await?).await?;
        let keys = |row: &R| order.iter().map(|key| key.kind.read(&(key.of)(row))).collect::<Option<Vec<_>>>();
        let place = rows
            .last()
            .map(|row| keys(row).ok_or_else(|| Fault::internal("an entry of a list has no value for a sort key")));
        Ok((rows, place.transpose()?))
    }

    /// Counts the entries of the filtered list, up to the maximum total, if the caller wants it.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn total(&self, db: &Db, narrowed: &F, wanted: Option<bool>) -> Result<Option<i64>, Fault> {
        if wanted != Some(true) {
            return Ok(None);
        }
        let mut statement = self.count_statement(self.chosen(narrowed));
        Ok(Some(statement.builder.build_query_scalar().fetch_one(&mut *db.conn().await?).await?))
    }
}

impl<F, R, S> LogQuery<F, R, S> {
    fn chosen(&self, narrowed: &F) -> ChosenFilters<F> {
        let filters = self.filters.iter().filter_map(|lead| Some((lead, Some((lead.values)(narrowed)?))));
        let conditions = self.conditions.iter().filter_map(|of| Some((of, Some((of.value)(narrowed)?))));
        ChosenFilters { filters: filters.collect(), conditions: conditions.collect() }
    }

    /// Assembles the statement of a page without its limit. `begin` restricts it to the rows of the page.
    fn page_statement(
        &self,
        chosen: ChosenFilters<F>,
        order: &[Key<R>],
        begin: impl FnOnce(&mut Statement),
    ) -> Statement {
        let mut statement = Statement::new("select ");
        statement.text(self.columns).text(" from ");
        let mut filters = chosen.filters.into_iter();
        let first = filters.next();
        let column = first.map(|(lead, values)| {
            statement.text("(select distinct value from unnest(").place(values);
            statement.text("::").text(lead.kind).text("[]) as value) as wanted cross join lateral ");
            lead.column
        });
        statement.text("(select * from ").text(self.table);
        if let Some(column) = column {
            // The two comparisons change no result. With the equality alone, the planner reads the order of the whole
            // table if it knows only one value of the column: a rare value then costs a scan of the table.
            for comparison in [" = ", " >= ", " <= "] {
                statement.join().text(column).text(comparison).text("wanted.value");
            }
        }
        for (lead, values) in filters {
            statement.join().text("coalesce(").text(lead.column).text(" = any(").place(values);
            statement.text("), false)");
        }
        chosen.conditions.into_iter().for_each(|(condition, value)| statement.narrow(condition.sql, value));
        begin(&mut statement);
        statement.order(order);
        statement.text(" limit 101) as entry ").text(self.joined);
        statement.order(order);
        statement
    }

    fn count_statement(&self, chosen: ChosenFilters<F>) -> Statement {
        let mut statement = Statement::new("select ");
        statement.text(COUNT_START).text(self.table);
        for (lead, values) in chosen.filters {
            statement.join().text(lead.column).text(" = any(").place(values);
            statement.text(")");
        }
        chosen.conditions.into_iter().for_each(|(condition, value)| statement.narrow(condition.sql, value));
        statement.text(COUNT_END);
        statement
    }
}

impl<F, R, S: Word> Statements for LogQuery<F, R, S> {
    fn operation(&self) -> Option<&'static str> {
        Some(self.operation)
    }

    /// Each column leads once alone, and once with every filter that can follow it.
    fn statements(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for first in 0..=self.filters.len() {
            let filters =
                |number: usize| self.filters.iter().skip(first).take(number).map(|lead| (lead, None)).collect();
            let conditions = |number: usize| self.conditions.iter().take(number).map(|of| (of, None)).collect();
            for number in [1, usize::MAX] {
                let chosen = || ChosenFilters {
                    filters: filters(number),
                    conditions: conditions(if number == 1 { 0 } else { number }),
                };
                texts.push(self.count_statement(chosen()));
                for order in S::ALL.iter().map(|sort| (self.order)(*sort)) {
                    for (is_within, limit) in [(false, 1), (false, 100), (true, 1), (true, 100)] {
                        let mut statement = self.page_statement(chosen(), order, |statement| {
                            if is_within {
                                statement.begin_after(order, None);
                            }
                        });
                        statement.text(limit_of(limit));
                        texts.push(statement);
                    }
                }
            }
        }
        texts.into_iter().map(|statement| statement.builder.sql().as_str().to_owned()).collect()
    }
}
