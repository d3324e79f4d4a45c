//! Pages of lists: cursor, limit and order.
//!
//! Rule: docs/decisions/api.md#cursors. Cursors are opaque keyset cursors, encrypted and bound to their list and
//! filter. A list never skips or repeats a row that remains in it.

use crate::describe::OutputType;

/// End of a page, and whether more pages follow.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub struct Page {
    /// Value of `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// Whether another page follows.
    pub has_more: bool,
}

/// End of a page, with the total for staff who requested it.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
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
#[derive(Clone, Debug, serde::Serialize, OutputType)]
#[describe(paged)]
pub struct List<T> {
    /// The entries, in the requested order.
    pub data: Vec<T>,
    /// Cursor of the next page.
    pub page: Page,
}

/// Page of a list, with the total for staff who requested it.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
#[describe(paged)]
pub struct CountedList<T> {
    /// The entries, in the requested order.
    pub data: Vec<T>,
    /// Cursor of the next page, and the total.
    pub page: CountedPage,
}
