//! Pages of lists: cursor, limit and order.
//!
//! Rule: docs/decisions/api.md#cursors. Cursors are opaque keyset cursors, encrypted and bound to their list and
//! filter. A list never skips or repeats a row that remains in it.

use std::borrow::Cow;

use async_graphql::{OutputType, SimpleObject, TypeName};

/// End of a page, and whether more pages follow.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub struct Page {
    /// Value of `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// Whether another page follows.
    pub has_more: bool,
}

/// End of a page, with the total for staff who requested it.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub struct CountedPage {
    /// Value of `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// Whether another page follows.
    pub has_more: bool,
    /// Total number of rows that match the filter; null unless `include_total` was set.
    pub total: Option<i64>,
}

impl CountedPage {
    /// Adds the total to a page.
    #[must_use]
    pub fn of(page: Page, total: Option<i64>) -> Self {
        Self { next_cursor: page.next_cursor, has_more: page.has_more, total }
    }
}

/// Page of a list.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(name_type, rename_fields = "snake_case")]
pub struct List<T: OutputType> {
    /// The entries, in the requested order.
    pub data: Vec<T>,
    /// Cursor of the next page.
    pub page: Page,
}

/// Page of a list, with the total for staff who requested it.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(name_type, rename_fields = "snake_case")]
pub struct CountedList<T: OutputType> {
    /// The entries, in the requested order.
    pub data: Vec<T>,
    /// Cursor of the next page, and the total.
    pub page: CountedPage,
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

/// Answer that contains a page of a list.
pub trait Paged {
    /// Returns the cursor of the next page; `None` on the last one.
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
