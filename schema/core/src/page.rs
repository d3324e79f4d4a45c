//! Pages of lists: cursor, limit and order.
//!
//! Rule: docs/decisions/api.md#cursors. Cursors are opaque keyset cursors, encrypted and bound to their list and
//! filter. A list never skips or repeats a row that remains in it.

use crate::describe::OutputType;

/// Position of this page in its list.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub struct Page {
    /// Cursor of the next page. Send it as `cursor`, with the same filter and order. Null on the last page. It is
    /// opaque: do not parse it, and do not keep it after you have read the list. In the order `position` of events, the
    /// last page also has a cursor: keep it, because it continues with later events.
    pub next_cursor: Option<String>,
    /// Whether a next page exists.
    pub has_more: bool,
}

/// Position of this page in a staff list, which can include a count.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub struct CountedPage {
    /// Cursor of the next page. Send it as `cursor`, with the same filter and order. Null on the last page. It is
    /// opaque: do not parse it, and do not keep it after you have read the list.
    pub next_cursor: Option<String>,
    /// Whether a next page exists.
    pub has_more: bool,
    /// Number of entries that match the filter on all pages, counted at the time of the request, at most 10,000. A
    /// total of 10,000 means that at least 10,000 entries match. Null unless `include_total=true` was sent, because
    /// counting takes time.
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
