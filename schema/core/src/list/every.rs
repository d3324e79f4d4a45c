//! Ids of all rows of a list.

use serde::Serialize;
use sqlx::FromRow;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{Condition, ListQuery, SqlValue, Statements};
use crate::db::Db;
use crate::fault::Fault;
use crate::list::statement::Statement;
use crate::words::Word;

/// Ids of every row of a list, in order: for jobs that read the whole list in pieces while rows change.
pub struct EveryId<F: 'static, R: 'static, S: 'static>(
    /// The list. The last key of each of its orders is the id.
    pub &'static ListQuery<F, R, S>,
);

impl<F, R, S> EveryId<F, R, S>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    S: Word + Serialize + Sync,
{
    /// Loads the ids of the filtered list.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn read(&self, db: &Db, narrowed: &F, sort: S) -> Result<Vec<Uuid>, Fault> {
        let mut statement = self.statement(sort, |condition| (condition.value)(narrowed).map(Some));
        Ok(statement.builder.build_query_scalar().fetch_all(&mut *db.conn().await?).await?)
    }
}

impl<F, R, S> EveryId<F, R, S> {
    fn statement(&self, sort: S, value: impl Fn(&Condition<F>) -> Option<Option<SqlValue>>) -> Statement {
        let order = (self.0.order)(sort);
        let id = order.last().map_or("null", |key| key.column);
        let mut statement = self.0.narrow(|select, statement| select.column(id, statement), value);
        statement.order(order);
        statement
    }
}

impl<F, R, S: Word> Statements for EveryId<F, R, S> {
    fn operation(&self) -> Option<&'static str> {
        None
    }

    fn statements(&self) -> Vec<String> {
        let choices = self.0.choices();
        let each = choices.iter().flat_map(|chosen| S::ALL.iter().map(move |sort| (chosen, *sort)));
        each.map(|(chosen, sort)| self.statement(sort, |condition| self.0.open_place_of(condition, chosen)).into_text())
            .collect()
    }
}
