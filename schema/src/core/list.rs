//! Lists as values: what a list selects, what may narrow it, and in which orders it comes.
//!
//! Page, count and cursor follow from the value. A statement is put together from constants alone, and values are bound.
//! A condition that is not asked for is left out, so that the planner sees what the reader asked and no more. What the
//! compiler cannot check of such statements, `sweeps::plans` does: it prepares every one of them against the migrated
//! schema ([`Statements`]).

mod edge;
mod every;
mod ledger;
mod reading;
mod select;
mod statement;
mod written;

use std::collections::BTreeSet;

use async_graphql::OutputType;
use serde::Serialize;
use serde_json::Value;
use sqlx::FromRow;
use sqlx::postgres::PgRow;

use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::page::{CountedList, CountedPage, List, Page};
use crate::core::words::Word;

pub(crate) use edge::EdgeQuery;
pub(crate) use every::EveryId;
pub(crate) use ledger::{Lead, LedgerQuery};
pub(crate) use reading::page_in_memory;
use reading::{Reading, limit_of};
pub(crate) use select::Select;
pub(crate) use statement::Bound;
use statement::Statement;
pub(crate) use written::{Placed, WrittenQuery};

/// A list. `F` is everything that narrows it, `R` a row, `S` its orders.
pub(crate) struct ListQuery<F: 'static, R: 'static, S: 'static> {
    /// The operation that lists. Its cursors serve no other.
    pub(crate) operation: &'static str,
    /// What is selected of each row.
    pub(crate) select: &'static Select<R>,
    /// What always narrows it: whose list it is. A value that is [given](Condition::given) stands first.
    pub(crate) within: &'static [Condition<F>],
    /// What may narrow it beside that.
    pub(crate) conditions: &'static [Condition<F>],
    /// The keys of each order, the last of which is unique.
    pub(crate) order: fn(S) -> &'static [Key<R>],
}

/// Rows that are looked up by values, all of which are given.
pub(crate) struct Lookup<R: 'static> {
    select: &'static Select<R>,
    conditions: &'static [&'static str],
}

impl<R> Lookup<R> {
    /// Rows of which all these conditions hold; `{}` stands for the value of each.
    pub(crate) const fn new(select: &'static Select<R>, conditions: &'static [&'static str]) -> Self {
        Self { select, conditions }
    }

    fn statement(&self, mut values: impl Iterator<Item = Bound>) -> Statement {
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
    /// The row of these values, one for each condition.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn one<const N: usize>(&self, db: &Db, values: [Bound; N]) -> Result<Option<R>, Fault> {
        let mut statement = self.statement(values.into_iter());
        Ok(statement.builder.build_query_as().fetch_optional(&mut *db.conn().await?).await?)
    }

    /// The rows of these values, one for each condition, in no order.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn all<const N: usize>(&self, db: &Db, values: [Bound; N]) -> Result<Vec<R>, Fault> {
        let mut statement = self.statement(values.into_iter());
        Ok(statement.builder.build_query_as().fetch_all(&mut *db.conn().await?).await?)
    }
}

/// A condition of a list.
pub(crate) struct Condition<F> {
    /// Its SQL, in which `{}` stands for its one value as often as it is needed.
    pub(crate) sql: &'static str,
    /// The value, when the condition is asked for.
    pub(crate) value: fn(&F) -> Option<Bound>,
}

impl<F> Condition<F> {
    /// No condition, but a value for which `{}` stands in the select and in the keys: the reader's locale, for example.
    pub(crate) const fn given(value: fn(&F) -> Option<Bound>) -> Self {
        Self { sql: "", value }
    }

    const fn is_given(&self) -> bool {
        self.sql.is_empty()
    }
}

/// One key of an order: a column, and where a row stands in it.
pub(crate) struct Key<R> {
    /// The column, or what is computed of columns; never null.
    pub(crate) column: &'static str,
    /// Whether the largest comes first.
    pub(crate) descending: bool,
    /// The type of its values.
    pub(crate) kind: KeyKind,
    /// The row's value, as JSON; null for a moment that never comes, where the column has `infinity`.
    pub(crate) of: fn(&R) -> Value,
}

impl<R> Key<R> {
    /// A key of moments, the earliest first.
    pub(crate) const fn moment(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Moment, of }
    }

    /// A key of texts.
    pub(crate) const fn text(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Text, of }
    }

    /// A key of ids.
    pub(crate) const fn id(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Id, of }
    }

    /// A key of whole numbers.
    pub(crate) const fn whole(column: &'static str, of: fn(&R) -> Value) -> Self {
        Self { column, descending: false, kind: KeyKind::Whole, of }
    }

    /// The same, the largest first.
    pub(crate) const fn descending(self) -> Self {
        Self { column: self.column, descending: true, kind: self.kind, of: self.of }
    }
}

/// What a key's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
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
    /// A cursor's value as it is bound; none for a value of another type.
    fn read(self, value: &Value) -> Option<Bound> {
        Some(match self {
            Self::Moment if value.is_null() => Bound::Never,
            Self::Moment => Bound::Moment(serde_json::from_value(value.clone()).ok()?),
            Self::Text => Bound::Text(value.as_str()?.to_owned()),
            Self::Id => Bound::Id(serde_json::from_value(value.clone()).ok()?),
            Self::Whole => Bound::Whole(value.as_i64()?),
        })
    }
}

/// Which page of a list is asked for.
#[derive(Clone, Debug)]
pub(crate) struct PageRequest<S> {
    /// The order.
    pub(crate) sort: S,
    /// Rows of the page; 20 when nothing is said, 100 at most.
    pub(crate) limit: Option<i32>,
    /// The `next_cursor` of the page before.
    pub(crate) cursor: Option<String>,
}

impl<S: Word> PageRequest<S> {
    /// A page in an order; in the list's first one when nothing is said.
    pub(crate) fn new(sort: Option<S>, limit: Option<i32>, cursor: Option<String>) -> Self {
        Self { sort: sort.unwrap_or(S::FIRST), limit, cursor }
    }
}

/// The order of a list that comes in no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FixedOrder;

impl Word for FixedOrder {
    const ALL: &'static [Self] = &[Self];
    const FIRST: Self = Self;

    fn word(self) -> &'static str {
        "FIXED"
    }
}

/// The rows of a page.
#[derive(Debug)]
pub(crate) struct Rows<R> {
    /// The rows, in the order asked for.
    pub(crate) rows: Vec<R>,
    /// Where the page ends.
    pub(crate) page: Page,
}

impl<F, R, S> ListQuery<F, R, S>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    S: Word + Serialize + Sync,
{
    /// A page of what is narrowed so.
    ///
    /// # Errors
    /// [`crate::Code::InvalidCursor`] for a cursor of another list, of other filters or of another order.
    pub(crate) async fn page(
        &self,
        cx: &RequestContext,
        narrowed: &F,
        request: &PageRequest<S>,
    ) -> Result<Rows<R>, Fault> {
        let (order, reading) = ((self.order)(request.sort), Reading::new(cx, self.operation, narrowed, request)?);
        let mut statement = self.narrow(Select::rows, |condition| (condition.value)(narrowed).map(Some));
        if let Some(keys) = reading.start_after(order)? {
            statement.begin_after(order, Some(keys));
        }
        statement.order(order);
        reading.rows(statement, order).await
    }

    /// Refuses the cursor of a page that is not read, as reading the page would.
    ///
    /// # Errors
    /// As [`ListQuery::page`].
    pub(crate) fn ensure_cursor(
        &self,
        cx: &RequestContext,
        narrowed: &F,
        request: &PageRequest<S>,
    ) -> Result<(), Fault> {
        let order = (self.order)(request.sort);
        Reading::new(cx, self.operation, narrowed, request)?.start_after(order).map(drop)
    }

    /// How many rows there are in all of what is narrowed so, where it is wanted.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn total(&self, db: &Db, narrowed: &F, wanted: Option<bool>) -> Result<Option<i64>, Fault> {
        if wanted == Some(true) { self.count(db, narrowed).await.map(Some) } else { Ok(None) }
    }

    /// How many rows there are in all of what is narrowed so.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn count(&self, db: &Db, narrowed: &F) -> Result<i64, Fault> {
        let mut statement = self.narrow(Select::count, |condition| (condition.value)(narrowed).map(Some));
        Ok(statement.builder.build_query_scalar().fetch_one(&mut *db.conn().await?).await?)
    }
}

impl<F, R, S> ListQuery<F, R, S> {
    /// The statement as far as its conditions go: those for which there is a value, which may be left open.
    fn narrow(
        &self,
        selected: impl FnOnce(&Select<R>, &mut Statement),
        value: impl Fn(&Condition<F>) -> Option<Option<Bound>>,
    ) -> Statement {
        let mut statement = Statement::new("select ");
        let given = self.within.first().filter(|condition| condition.is_given());
        if let Some(given) = given {
            statement.given(value(given).flatten());
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

    /// What may be asked for: nothing, each condition alone, and all of them.
    fn choices(&self) -> Vec<Vec<&Condition<F>>> {
        let each = self.conditions.iter().map(|condition| vec![condition]);
        each.chain([Vec::new(), self.conditions.iter().collect()]).collect()
    }

    /// The statement with these conditions, whatever they are compared with.
    fn prepare(&self, selected: impl FnOnce(&Select<R>, &mut Statement), chosen: &[&Condition<F>]) -> Statement {
        self.narrow(selected, |condition| self.open_place_of(condition, chosen))
    }

    /// A place that is left open for a condition that always stands or is chosen; none for another.
    fn open_place_of(&self, condition: &Condition<F>, chosen: &[&Condition<F>]) -> Option<Option<Bound>> {
        let mut known = self.within.iter().chain(chosen.iter().copied());
        known.any(|known| std::ptr::eq(known, condition)).then_some(None)
    }
}

/// What runs statements that the compiler has not checked, for whoever looks at all of them.
pub trait Statements: Sync {
    /// The operation that lists; none where rows are looked up.
    fn operation(&self) -> Option<&'static str>;

    /// Every statement that may be run, but for combinations of conditions: each order and size, from the beginning and
    /// from within, with no condition, with each alone and with all; and the counts.
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
            texts.insert(self.prepare(Select::count, &chosen).into_text());
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
    /// The same page with a view of each row.
    ///
    /// # Errors
    /// What a row cannot be shown for.
    pub(crate) fn map<T>(self, view: impl Fn(R) -> Result<T, Fault>) -> Result<Rows<T>, Fault> {
        let rows = self.rows.into_iter().map(view).collect::<Result<_, _>>()?;
        Ok(Rows { rows, page: self.page })
    }
}

impl<T: OutputType> Rows<T> {
    /// The page as it is answered.
    pub(crate) fn list(self) -> List<T> {
        List { data: self.rows, page: self.page }
    }

    /// The page as it is answered to staff, with the number of all rows where it was wanted.
    pub(crate) fn counted_list(self, total: Option<i64>) -> CountedList<T> {
        CountedList { data: self.rows, page: CountedPage::of(self.page, total) }
    }
}
