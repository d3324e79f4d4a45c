//! Lists: how far, after what, in which order.
//!
//! Rule: docs/decisions.md#answers. Cursors are keyset cursors, opaque, and bound to their list and
//! filter by a MAC; a list never skips or repeats a row that stays.

use std::borrow::Cow;

use async_graphql::{OutputType, SimpleObject, TypeName};

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
