//! The ids of all that a list finds.

use serde::Serialize;
use sqlx::FromRow;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{Condition, ListQuery, Statements};
use crate::db::Db;
use crate::fault::Fault;
use crate::list::statement::Statement;
use crate::words::Word;

/// The id of every row of a list, in order: for whoever reads all of it piece by piece, though the rows change meanwhile.
pub(crate) struct EveryId<F: 'static, R: 'static, S: 'static>(
    /// The list. The last key of each of its orders is the id.
    pub(crate) &'static ListQuery<F, R, S>,
);

impl<F, R, S> EveryId<F, R, S>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    S: Word + Serialize + Sync,
{
    /// The ids of all that is narrowed so.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn read(&self, db: &Db, narrowed: &F, sort: S) -> Result<Vec<Uuid>, Fault> {
        let mut statement = self.0.narrowed(self.begun(sort), narrowed);
        statement.order((self.0.order)(sort));
        Ok(statement.builder.build_query_scalar().fetch_all(&mut *db.conn().await?).await?)
    }
}

impl<F, R, S> EveryId<F, R, S> {
    fn begun(&self, sort: S) -> Statement {
        let mut statement = Statement::new("select ");
        let id = (self.0.order)(sort).last().map_or("null", |key| key.column);
        statement.text(id).text(" from ").text(self.0.select.relations);
        statement
    }
}

impl<F, R, S: Word> Statements for EveryId<F, R, S> {
    fn operation(&self) -> Option<&'static str> {
        None
    }

    fn statements(&self) -> Vec<String> {
        let conditions = self.0.conditions;
        let mut choices: Vec<Vec<&Condition<F>>> = conditions.iter().map(|condition| vec![condition]).collect();
        choices.extend([Vec::new(), conditions.iter().collect()]);
        let mut texts = Vec::new();
        for chosen in &choices {
            for sort in S::ALL.iter().copied() {
                let mut statement = self.begun(sort);
                self.0.within.iter().for_each(|condition| statement.narrow(condition.sql, None));
                chosen.iter().for_each(|condition| statement.narrow(condition.sql, None));
                statement.order((self.0.order)(sort));
                texts.push(statement.builder.sql().as_str().to_owned());
            }
        }
        texts
    }
}
