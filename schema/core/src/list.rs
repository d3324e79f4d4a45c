//! Lists as constants: the selected columns, the possible filters and the orders.
//!
//! Page, count and cursor follow from the constant. A statement is assembled only from constant text, and values are
//! bound. Unused conditions are omitted, so that the planner sees only the filters in the request. The compiler cannot
//! check these statements; `sweeps::plans` prepares each of them against the migrated schema instead ([`Statements`]).

mod edge;
mod every;
mod follow;
mod log;
mod reading;
mod search;
mod select;
mod statement;
mod written;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use sqlx::FromRow;
use sqlx::postgres::PgRow;

use crate::context::RequestContext;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, List, Page};
use crate::words::Word;

pub use edge::EdgeQuery;
pub use every::EveryId;
pub use follow::FollowQuery;
pub use log::{IndexedFilter, LogQuery};
pub use reading::page_in_memory;
use reading::{COUNT_END, PageReading, limit_of};
pub use select::Select;
pub use statement::SqlValue;
use statement::Statement;
pub use written::{PlacedValue, WrittenQuery};

/// Definition of a list. `F` is the filter, `R` a row, `S` the order.
pub struct ListQuery<F: 'static, R: 'static, S: 'static> {
    /// Operation of the list. Its cursors are valid only for this operation.
    pub operation: &'static str,
    /// Columns and relations of a row.
    pub select: &'static Select<R>,
    /// Conditions that always apply, such as the owner of the list. A value that is [given](Condition::given) must be
    /// first.
    pub within: &'static [Condition<F>],
    /// Optional conditions.
    pub conditions: &'static [Condition<F>],
    /// Keys of each order. The last key is unique.
    pub order: fn(S) -> &'static [Key<R>],
}

/// Query for rows with given values.
pub struct Lookup<R: 'static> {
    select: &'static Select<R>,
    conditions: &'static [&'static str],
}

impl<R> Lookup<R> {
    /// Creates a lookup with these conditions, which must all be met; `{}` is the placeholder of each value.
    pub const fn new(select: &'static Select<R>, conditions: &'static [&'static str]) -> Self {
        Self { select, conditions }
    }

    fn statement(&self, mut values: impl Iterator<Item = SqlValue>) -> Statement {
        let mut statement = Statement::new("select ");
        self.select.rows(&mut statement);
        for condition in self.conditions {
            statement.narrow(condition, values.next());
        }
        statement.behind_conditions(self.select.behind);
        statement
    }
}

impl<R> Lookup<R>
where
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    /// Loads the row with these values, one per condition.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn fetch_one<const N: usize>(&self, db: &Db, values: [SqlValue; N]) -> Result<Option<R>, Fault> {
        let mut statement = self.statement(values.into_iter());
        Ok(statement.builder.build_query_as().fetch_optional(&mut *db.conn().await?).await?)
    }

    /// Loads the rows with these values, one per condition, in no particular order.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn fetch_all<const N: usize>(&self, db: &Db, values: [SqlValue; N]) -> Result<Vec<R>, Fault> {
        let mut statement = self.statement(values.into_iter());
        Ok(statement.builder.build_query_as().fetch_all(&mut *db.conn().await?).await?)
    }
}

/// Condition of a list.
pub struct Condition<F> {
    /// SQL of the condition, in which `{}` is the placeholder of its value and may occur several times.
    pub sql: &'static str,
    /// Returns the value; `None` if the request does not use the condition.
    pub value: fn(&F) -> Option<SqlValue>,
}

impl<F> Condition<F> {
    /// Defines a value without a condition. `{}` is its placeholder in the select and the keys, for example for the
    /// reader's locale.
    pub const fn given(value: fn(&F) -> Option<SqlValue>) -> Self {
        Self { sql: "", value }
    }

    const fn is_given(&self) -> bool {
        self.sql.is_empty()
    }
}

/// Key of an order: a column and the row's value.
pub struct Key<R> {
    /// Column or expression; never null.
    pub column: &'static str,
    /// Whether the order is descending.
    pub descending: bool,
    /// Type of the values.
    pub kind: KeyKind,
    /// Returns the row's value as JSON; null for the moment `infinity`.
    pub of: fn(&R) -> Value,
}

impl<R> Key<R> {
    /// Creates a key of moments, earliest first.
    pub const fn moment(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Moment, of }
    }

    /// Creates a key of texts.
    pub const fn text(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Text, of }
    }

    /// Creates a key of ids.
    pub const fn id(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Id, of }
    }

    /// Creates a key of whole numbers.
    pub const fn whole(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Whole, of }
    }

    /// Reverses the order of the key: largest first.
    pub const fn descending(self) -> Self {
        Self { column: self.column, descending: true, kind: self.kind, of: self.of }
    }
}

/// Type of a key's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Moments.
    Moment,
    /// Texts.
    Text,
    /// Ids.
    Id,
    /// Whole numbers.
    Whole,
}

impl KeyKind {
    /// Converts a cursor's value for binding; `None` if it has another type.
    fn read(self, value: &Value) -> Option<SqlValue> {
        Some(match self {
            Self::Moment if value.is_null() => SqlValue::Never,
            Self::Moment => SqlValue::Moment(serde_json::from_value(value.clone()).ok()?),
            Self::Text => SqlValue::Text(value.as_str()?.to_owned()),
            Self::Id => SqlValue::Id(serde_json::from_value(value.clone()).ok()?),
            Self::Whole => SqlValue::Whole(value.as_i64()?),
        })
    }
}

/// Page of a list that a request wants.
#[derive(Clone, Debug)]
pub struct PageRequest<S> {
    /// The order of the list.
    pub sort: S,
    /// Maximum number of rows; 20 by default, at most 100.
    pub limit: Option<i32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl<S: Word> PageRequest<S> {
    /// Creates a page request. Without `sort`, the first order of the list applies.
    pub fn new(sort: Option<S>, limit: Option<i32>, cursor: Option<String>) -> Self {
        Self { sort: sort.unwrap_or(S::FIRST), limit, cursor }
    }
}

/// Order type of a list with a single order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FixedOrder;

impl Word for FixedOrder {
    const ALL: &'static [Self] = &[Self];
    const FIRST: Self = Self;

    fn word(self) -> &'static str {
        "FIXED"
    }
}

/// Rows of a page.
#[derive(Debug)]
pub struct Rows<R> {
    /// The rows, in the requested order.
    pub rows: Vec<R>,
    /// Cursor of the next page.
    pub page: Page,
}

impl<F, R, S> ListQuery<F, R, S>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    S: Word + Serialize + Sync,
{
    /// Loads a page of the filtered list.
    ///
    /// # Errors
    /// [`crate::Code::InvalidCursor`] if the cursor belongs to another list, filter or order.
    pub async fn page(&self, cx: &RequestContext, narrowed: &F, request: &PageRequest<S>) -> Result<Rows<R>, Fault> {
        let (order, reading) = ((self.order)(request.sort), PageReading::new(cx, self.operation, narrowed, request)?);
        let mut statement = self.narrow(Select::rows, |condition| (condition.value)(narrowed).map(Some));
        if let Some(keys) = reading.start_after(order)? {
            statement.begin_after(order, Some(keys));
        }
        statement.order(order);
        reading.rows(statement, order).await
    }

    /// Rejects an invalid cursor without loading the page.
    ///
    /// # Errors
    /// As [`ListQuery::page`].
    pub fn ensure_cursor(&self, cx: &RequestContext, narrowed: &F, request: &PageRequest<S>) -> Result<(), Fault> {
        self.cursor_keys(cx, narrowed, request).map(drop)
    }

    /// Returns the keys of the row before the page; `None` at the start of the list. Fails as [`ListQuery::page`].
    pub fn cursor_keys(
        &self,
        cx: &RequestContext,
        narrowed: &F,
        request: &PageRequest<S>,
    ) -> Result<Option<Vec<SqlValue>>, Fault> {
        PageReading::new(cx, self.operation, narrowed, request)?.start_after((self.order)(request.sort))
    }

    /// Counts the rows of the filtered list, up to the maximum total, if the caller wants it.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn total(&self, db: &Db, narrowed: &F, wanted: Option<bool>) -> Result<Option<i64>, Fault> {
        if wanted == Some(true) { self.count(db, narrowed).await.map(Some) } else { Ok(None) }
    }

    /// Counts the rows of the filtered list, up to the maximum total.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn count(&self, db: &Db, narrowed: &F) -> Result<i64, Fault> {
        let mut statement = self.narrow(Select::count, |condition| (condition.value)(narrowed).map(Some));
        statement.text(COUNT_END);
        Ok(statement.builder.build_query_scalar().fetch_one(&mut *db.conn().await?).await?)
    }
}

impl<F, R, S> ListQuery<F, R, S> {
    /// Assembles the statement up to its conditions: those with a value, whose placeholder may be left unbound.
    fn narrow(
        &self,
        selected: impl FnOnce(&Select<R>, &mut Statement),
        value: impl Fn(&Condition<F>) -> Option<Option<SqlValue>>,
    ) -> Statement {
        let mut statement = Statement::new("select ");
        let given = self.within.first().filter(|condition| condition.is_given());
        if let Some(given) = given {
            statement.set_param(value(given).flatten());
        }
        selected(self.select, &mut statement);
        for condition in self.within.iter().chain(self.conditions).skip(usize::from(given.is_some())) {
            if let Some(value) = value(condition) {
                statement.narrow(condition.sql, value);
            }
        }
        statement.behind_conditions(self.select.behind);
        statement
    }

    /// Lists combinations of conditions: none, each one alone, and all.
    fn choices(&self) -> Vec<Vec<&Condition<F>>> {
        let each = self.conditions.iter().map(|condition| vec![condition]);
        each.chain([Vec::new(), self.conditions.iter().collect()]).collect()
    }

    /// Assembles the statement with these conditions, without values.
    fn prepare(&self, selected: impl FnOnce(&Select<R>, &mut Statement), chosen: &[&Condition<F>]) -> Statement {
        self.narrow(selected, |condition| self.open_place_of(condition, chosen))
    }

    /// Returns an unbound placeholder if the condition always applies or is chosen; `None` otherwise.
    fn open_place_of(&self, condition: &Condition<F>, chosen: &[&Condition<F>]) -> Option<Option<SqlValue>> {
        let mut known = self.within.iter().chain(chosen.iter().copied());
        known.any(|known| std::ptr::eq(known, condition)).then_some(None)
    }
}

/// Source of statements that the compiler does not check, for tests that check all of them.
pub trait Statements: Sync {
    /// Returns the operation of the list; `None` for a lookup.
    fn operation(&self) -> Option<&'static str>;

    /// Returns every possible statement except for combinations of conditions: each order and size, from the start and
    /// after a cursor, with no condition, with each alone and with all; and the counts.
    fn statements(&self) -> Vec<String>;
}

impl<R> Statements for Lookup<R> {
    fn operation(&self) -> Option<&'static str> {
        None
    }

    fn statements(&self) -> Vec<String> {
        vec![self.statement(std::iter::empty()).into_text()]
    }
}

impl<F, R, S: Word> Statements for ListQuery<F, R, S> {
    fn operation(&self) -> Option<&'static str> {
        Some(self.operation)
    }

    fn statements(&self) -> Vec<String> {
        let mut texts = BTreeSet::new();
        for chosen in self.choices() {
            let mut count = self.prepare(Select::count, &chosen);
            count.text(COUNT_END);
            texts.insert(count.into_text());
            for order in S::ALL.iter().map(|sort| (self.order)(*sort)) {
                for (is_within, limit) in [(false, 1), (false, 100), (true, 1), (true, 100)] {
                    let mut statement = self.prepare(Select::rows, &chosen);
                    if is_within {
                        statement.begin_after(order, None);
                    }
                    statement.order(order);
                    statement.text(limit_of(limit));
                    texts.insert(statement.into_text());
                }
            }
        }
        texts.into_iter().collect()
    }
}

impl<R> Rows<R> {
    /// Converts each row of the page.
    ///
    /// # Errors
    /// The fault of the first row that cannot be converted.
    pub fn map<T>(self, view: impl Fn(R) -> Result<T, Fault>) -> Result<Rows<T>, Fault> {
        let rows = self.rows.into_iter().map(view).collect::<Result<_, _>>()?;
        Ok(Rows { rows, page: self.page })
    }
}

impl<T> Rows<T> {
    /// Returns the page as the answer.
    pub fn list(self) -> List<T> {
        List { data: self.rows, page: self.page }
    }

    /// Returns the page as the answer for staff, with the total if it was requested.
    pub fn counted_list(self, total: Option<i64>) -> CountedList<T> {
        CountedList { data: self.rows, page: CountedPage::of(self.page, total) }
    }
}
