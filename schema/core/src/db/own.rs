//! Transaction outside a request.

use std::ops::Deref;

use super::Db;
use crate::fault::Fault;

/// Transaction outside a request, for example of a job. The code that begins it also ends it; if it is dropped, the
/// server rolls it back. The transaction of a request is a plain [`Db`], which only the engine can end.
pub struct OwnTransaction(Db);

impl OwnTransaction {
    pub(super) fn new(db: Db) -> Self {
        Self(db)
    }

    /// Commits if the work did something, otherwise rolls back.
    ///
    /// # Errors
    /// The error of the work or of the commit.
    pub async fn settle(self, outcome: Result<bool, Fault>) -> Result<bool, Fault> {
        if matches!(outcome, Ok(true)) {
            self.0.commit().await?;
        } else if let Err(failed) = self.0.rollback().await {
            return Err(match &outcome {
                Err(fault) => failed.replacing(fault),
                Ok(_) => failed,
            });
        }
        outcome
    }

    /// Commits, if a statement began the transaction.
    ///
    /// # Errors
    /// The fault of a deferred constraint; nothing is stored then. [`Fault::unknown`] if the connection broke during
    /// the commit.
    pub async fn commit(self) -> Result<(), Fault> {
        self.0.commit().await
    }
}

impl Deref for OwnTransaction {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.0
    }
}
