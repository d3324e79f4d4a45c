//! What a list selects of its rows.

use std::marker::PhantomData;

use super::statement::Statement;

/// What is selected of rows that are lists', or looked up one by one.
pub(crate) struct Select<R> {
    pub(super) columns: &'static str,
    pub(super) relations: &'static str,
    pub(super) behind: &'static str,
    row: PhantomData<fn() -> R>,
}

impl<R> Select<R> {
    /// The columns, named as the fields of the row, and the relations that they come from, as they stand after `from`.
    pub(crate) const fn new(columns: &'static str, relations: &'static str) -> Self {
        Self { columns, relations, behind: "", row: PhantomData }
    }

    /// The same where conditions stand within the relations, so that they narrow what those are made of: `relations` ends
    /// where the conditions begin, and `behind` goes on after them.
    pub(crate) const fn around(columns: &'static str, relations: &'static str, behind: &'static str) -> Self {
        Self { columns, relations, behind, row: PhantomData }
    }

    /// Selects the rows, as far as the conditions.
    pub(super) fn rows(&self, statement: &mut Statement) {
        statement.text(self.columns).text(" from ").text(self.relations);
    }

    /// Counts them.
    pub(super) fn count(&self, statement: &mut Statement) {
        statement.text("count(*) from ").text(self.relations);
    }

    /// Selects one column of them.
    pub(super) fn column(&self, column: &'static str, statement: &mut Statement) {
        statement.text(column).text(" from ").text(self.relations);
    }
}
