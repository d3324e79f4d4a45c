//! Ledgers as lists: large tables that grow by the day, and that several indexes find, each of a column with the ledger's
//! order behind it.
//!
//! Of the columns that a ledger is narrowed by, the first leads: its values are taken one by one, and each reads its own
//! stretch of that column's index in the ledger's order, however many they are. Whatever else narrows the ledger is
//! checked on what that finds.

use serde::Serialize;
use sqlx::FromRow;
use sqlx::postgres::PgRow;

use super::reading::{Reading, limit_of};
use super::statement::Statement;
use super::{Bound, Condition, Key, PageRequest, Rows, Statements};
use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::words::Word;

/// A ledger. `F` is everything that narrows it, `R` a row, `S` its orders.
pub(crate) struct LedgerQuery<F: 'static, R: 'static, S: 'static> {
    /// The operation that lists. Its cursors serve no other.
    pub(crate) operation: &'static str,
    /// The table.
    pub(crate) table: &'static str,
    /// The columns of a row, of an `entry` of the table and of what is joined to it.
    pub(crate) columns: &'static str,
    /// What is joined to the entries of a page.
    pub(crate) joined: &'static str,
    /// The columns that may lead, those that find the fewest entries first.
    pub(crate) leads: &'static [Lead<F>],
    /// What may narrow it beside these. What keeps an index from the planner stands in a `coalesce`: the planner takes a
    /// condition for a narrow one, and would rather fetch and sort all that it expects than follow an index's order.
    pub(crate) conditions: &'static [Condition<F>],
    /// The keys of each order, the last of which is unique; columns of the table.
    pub(crate) order: fn(S) -> &'static [Key<R>],
}

/// A column of a ledger that has an index, and is narrowed to some values.
pub(crate) struct Lead<F> {
    /// The column.
    pub(crate) column: &'static str,
    /// The type of its values.
    pub(crate) kind: &'static str,
    /// The values, when the ledger is narrowed by this column.
    pub(crate) values: fn(&F) -> Option<Bound>,
}

/// What a statement is narrowed by, with the value of each; without one where a statement is only prepared.
struct Chosen<F: 'static> {
    leads: Vec<(&'static Lead<F>, Option<Bound>)>,
    conditions: Vec<(&'static Condition<F>, Option<Bound>)>,
}

impl<F, R, S> LedgerQuery<F, R, S>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    S: Word + Serialize + Sync,
{
    /// A page of what is narrowed so.
    ///
    /// # Errors
    /// [`Code::InvalidCursor`](crate::core::fault::Code::InvalidCursor) for a cursor of another list, of other filters or of
    /// another order.
    pub(crate) async fn page(
        &self,
        cx: &RequestContext,
        narrowed: &F,
        request: &PageRequest<S>,
    ) -> Result<Rows<R>, Fault> {
        let (order, reading) = ((self.order)(request.sort), Reading::new(cx, self.operation, narrowed, request)?);
        let start_after = reading.start_after(order)?;
        let statement = self.reading(self.chosen(narrowed), order, |statement| {
            if let Some(keys) = start_after {
                statement.begin_after(order, Some(keys));
            }
        });
        reading.rows(statement, order).await
    }

    /// The entries behind a place, or the first ones, and the place of the last of them: for whoever reads all of a ledger
    /// piece by piece. A piece has as many as a page has at most, and one more; behind the last one is none.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn piece(
        &self,
        db: &Db,
        narrowed: &F,
        sort: S,
        place: Option<Vec<Bound>>,
    ) -> Result<(Vec<R>, Option<Vec<Bound>>), Fault> {
        let order = (self.order)(sort);
        let mut statement = self.reading(self.chosen(narrowed), order, |statement| {
            if let Some(keys) = place {
                statement.begin_after(order, Some(keys));
            }
        });
        statement.text(limit_of(usize::MAX));
        let rows: Vec<R> = statement.builder.build_query_as().fetch_all(&mut *db.conn().await?).await?;
        let keys = |row: &R| order.iter().map(|key| key.kind.read(&(key.of)(row))).collect::<Option<Vec<_>>>();
        let place = rows.last().map(|row| keys(row).ok_or_else(|| Fault::internal("an entry without a place")));
        Ok((rows, place.transpose()?))
    }

    /// How many entries there are in all of what is narrowed so, where it is wanted.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn total(&self, db: &Db, narrowed: &F, wanted: Option<bool>) -> Result<Option<i64>, Fault> {
        if wanted != Some(true) {
            return Ok(None);
        }
        let mut statement = self.counting(self.chosen(narrowed));
        Ok(Some(statement.builder.build_query_scalar().fetch_one(&mut *db.conn().await?).await?))
    }
}

impl<F, R, S> LedgerQuery<F, R, S> {
    fn chosen(&self, narrowed: &F) -> Chosen<F> {
        let leads = self.leads.iter().filter_map(|lead| Some((lead, Some((lead.values)(narrowed)?))));
        let conditions = self.conditions.iter().filter_map(|of| Some((of, Some((of.value)(narrowed)?))));
        Chosen { leads: leads.collect(), conditions: conditions.collect() }
    }

    /// The statement of a page, but for its limit. `begin` narrows it to where the page begins.
    fn reading(&self, chosen: Chosen<F>, order: &[Key<R>], begin: impl FnOnce(&mut Statement)) -> Statement {
        let mut statement = Statement::new("select ");
        statement.text(self.columns).text(" from ");
        let mut leads = chosen.leads.into_iter();
        let first = leads.next();
        let column = first.map(|(lead, values)| {
            statement.text("(select distinct value from unnest(").place(values);
            statement.text("::").text(lead.kind).text("[]) as value) as wanted cross join lateral ");
            lead.column
        });
        statement.text("(select * from ").text(self.table);
        if let Some(column) = column {
            statement.join().text(column).text(" = wanted.value");
        }
        for (lead, values) in leads {
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

    fn counting(&self, chosen: Chosen<F>) -> Statement {
        let mut statement = Statement::new("select count(*) from ");
        statement.text(self.table);
        for (lead, values) in chosen.leads {
            statement.join().text(lead.column).text(" = any(").place(values);
            statement.text(")");
        }
        chosen.conditions.into_iter().for_each(|(condition, value)| statement.narrow(condition.sql, value));
        statement
    }
}

impl<F, R, S: Word> Statements for LedgerQuery<F, R, S> {
    fn operation(&self) -> Option<&'static str> {
        Some(self.operation)
    }

    /// Each column leads once with nothing beside it, and once with everything that may follow it.
    fn statements(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for first in 0..=self.leads.len() {
            let leads = |number: usize| self.leads.iter().skip(first).take(number).map(|lead| (lead, None)).collect();
            let conditions = |number: usize| self.conditions.iter().take(number).map(|of| (of, None)).collect();
            for number in [1, usize::MAX] {
                let chosen =
                    || Chosen { leads: leads(number), conditions: conditions(if number == 1 { 0 } else { number }) };
                texts.push(self.counting(chosen()));
                for order in S::ALL.iter().map(|sort| (self.order)(*sort)) {
                    for (is_within, limit) in [(false, 1), (false, 100), (true, 1), (true, 100)] {
                        let mut statement = self.reading(chosen(), order, |statement| {
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
