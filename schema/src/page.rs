//! Lists: how far, after what, in which order.
//!
//! Specification: decisions, Answers. Cursors are keyset cursors, opaque, and bound to their list and
//! filter by a MAC; a list never skips or repeats a row that stays.

use std::borrow::Cow;

use async_graphql::{OutputType, SimpleObject, TypeName};
use serde_json::Value;

use crate::fault::{Code, Fault};
use crate::keep::cursor::CursorSeal;

/// Where a page ends and whether more follows.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub struct Page {
    /// Goes into `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// Whether another page follows.
    pub has_more: bool,
}

/// Where a page ends, with the number of all rows for staff who asked for it.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub struct CountedPage {
    /// Goes into `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// Whether another page follows.
    pub has_more: bool,
    /// How many rows the filter finds in all; null unless `include_total` was set.
    pub total: Option<i64>,
}

impl CountedPage {
    /// A page with its count.
    #[must_use]
    pub fn of(page: Page, total: Option<i64>) -> Self {
        Self { next_cursor: page.next_cursor, has_more: page.has_more, total }
    }
}

/// One page of a list.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(name_type, rename_fields = "snake_case")]
pub(crate) struct List<T: OutputType> {
    /// The entries, in the order asked for.
    pub(crate) data: Vec<T>,
    /// Where the page ends.
    pub(crate) page: Page,
}

/// One page of a list, with the number of all entries for staff who asked for it.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(name_type, rename_fields = "snake_case")]
pub(crate) struct CountedList<T: OutputType> {
    /// The entries, in the order asked for.
    pub(crate) data: Vec<T>,
    /// Where the page ends.
    pub(crate) page: CountedPage,
}

impl<T: OutputType> TypeName for List<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}List", T::type_name()).into()
    }
}

impl<T: OutputType> TypeName for CountedList<T> {
    fn type_name() -> Cow<'static, str> {
        format!("Counted{}List", T::type_name()).into()
    }
}

/// An answer that shows a part of a list.
pub(crate) trait Paged {
    /// The cursor of the next part; none on the last one.
    fn next_cursor(&self) -> Option<&str>;
}

impl<T: OutputType> Paged for List<T> {
    fn next_cursor(&self) -> Option<&str> {
        self.page.next_cursor.as_deref()
    }
}

impl<T: OutputType> Paged for CountedList<T> {
    fn next_cursor(&self) -> Option<&str> {
        self.page.next_cursor.as_deref()
    }
}

/// The values of a filter as their columns have them, each once and in order, so that the same question always makes the
/// same cursor; none at all is no filter.
pub(crate) fn names<T: serde::Serialize>(values: Option<Vec<T>>) -> Option<Vec<String>> {
    let values = values.filter(|values| !values.is_empty())?;
    let mut names: Vec<String> =
        values.into_iter().filter_map(|value| serde_json::to_value(value).ok()?.as_str().map(str::to_owned)).collect();
    names.sort_unstable();
    names.dedup();
    Some(names)
}

/// A cursor's keys: the values of the sort columns of the last row shown, then its id.
pub type Keys = Vec<Value>;

/// The part of a list that is asked for.
#[derive(Clone, Debug)]
pub struct Window {
    /// Rows wanted, 1 to 100.
    pub limit: usize,
    /// The keys of the row before the first one.
    pub after: Option<Keys>,
    seal: CursorSeal,
    list: &'static str,
    filter: Vec<u8>,
}

impl Window {
    /// Reads the parameters of a list. `filter` is every filter and order in force and whose list it is, so
    /// that a cursor serves no other.
    ///
    /// # Errors
    /// [`Code::InvalidCursor`] for a cursor of another list, filter or service.
    pub fn read(
        seal: &CursorSeal,
        list: &'static str,
        filter: &impl std::fmt::Debug,
        limit: Option<i32>,
        cursor: Option<&str>,
    ) -> Result<Self, Fault> {
        let filter = format!("{filter:?}").into_bytes();
        let after = match cursor {
            None => None,
            Some(text) => Some(seal.open(list, &filter, text).map_err(|_| {
                Fault::new(
                    Code::InvalidCursor,
                    "This cursor belongs to another list or filter. Start again without `cursor`.",
                )
            })?),
        };
        let limit = usize::try_from(limit.unwrap_or(20)).unwrap_or(20).clamp(1, 100);
        Ok(Self { limit, after, seal: seal.clone(), list, filter })
    }

    /// Cuts the rows to the page: the store fetches one more than the page holds to see whether more follow.
    pub fn cut<T>(&self, mut rows: Vec<T>, keys: impl Fn(&T) -> Keys) -> (Vec<T>, Page) {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let last = rows.last().filter(|_| has_more);
        let next_cursor = last.map(|row| self.seal.seal(self.list, &self.filter, &keys(row)));
        (rows, Page { next_cursor, has_more })
    }

    /// One key of the cursor, typed.
    ///
    /// # Errors
    /// [`Code::InvalidCursor`] when the cursor holds something else there.
    pub fn key<T: serde::de::DeserializeOwned>(&self, position: usize) -> Result<Option<T>, Fault> {
        let Some(keys) = &self.after else { return Ok(None) };
        keys.get(position).and_then(|value| serde_json::from_value(value.clone()).ok()).map(Some).ok_or_else(|| {
            Fault::new(
                Code::InvalidCursor,
                "This cursor belongs to an older form of the list. Start again without `cursor`.",
            )
        })
    }
}

/// Picks the statement of the page's size class. LIMIT takes no bind parameter, or PostgreSQL's generic
/// plan guesses a tenth of the table (design: performance, Recipe 7).
#[macro_export]
macro_rules! paged {
    ($window:expr, $db:expr, $row:ty, $sql:expr $(, $argument:expr)* $(,)?) => {
        if $window.limit <= 20 {
            sqlx::query_as!($row, $sql + " limit 21" $(, $argument)*).fetch_all(&mut *$db.conn().await?).await
        } else {
            sqlx::query_as!($row, $sql + " limit 101" $(, $argument)*).fetch_all(&mut *$db.conn().await?).await
        }
    };
}
