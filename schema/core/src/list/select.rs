//! Selected columns and relations of a list.

use std::marker::PhantomData;

use super::reading::COUNT_START;
use super::statement::Statement;

/// Columns and relations of the rows of lists and lookups.
pub struct Select<R> {
    pub(super) columns: &'static str,
    pub(super) relations: &'static str,
    pub(super) behind: &'static str,
    row: PhantomData<fn() -> R>,
}

impl<R> Select<R> {
    /// Creates a select from the columns, named like the fields of the row, and the relations, as after `from`.
    pub const fn new(columns: &'static str, relations: &'static str) -> Self {
        Self { columns, relations, behind: "", row: PhantomData }
    }

    /// Creates a select with the conditions inside the relations, so that they restrict an inner query: `relations`
    /// ends before the conditions, and `behind` continues after them.
    pub const fn around(columns: &'static str, relations: &'static str, behind: &'static str) -> Self {
        Self { columns, relations, behind, row: PhantomData }
    }

    /// Selects the rows, up to the conditions.
    pub(super) fn rows(&self, statement: &mut Statement) {
        statement.text(self.columns).text(" from ").text(self.relations);
    }

    /// Selects the number of rows. [`COUNT_END`] follows the conditions.
    pub(super) fn count(&self, statement: &mut Statement) {
        statement.text(COUNT_START).text(self.relations);
    }

    /// Selects one column of the rows.
    pub(super) fn column(&self, column: &'static str, statement: &mut Statement) {
        statement.text(column).text(" from ").text(self.relations);
    }
}
