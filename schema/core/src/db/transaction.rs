//! Transaction: begun by its first statement, ended once.

use std::fmt::Display;

use sqlx::raw_sql;

use super::ConnectionSource;
use crate::engine::idempotency::ClaimedKey;
use crate::fault::Fault;
use crate::pool_lane::LentConnection;

/// Differences from the usual transaction mode (read committed).
#[derive(Default)]
pub struct TransactionOptions {
    mode: Option<&'static str>,
    settings: String,
}

impl TransactionOptions {
    /// Sets the transaction mode (`SET TRANSACTION`).
    pub fn of_mode(mode: &'static str) -> Self {
        Self { mode: Some(mode), settings: String::new() }
    }

    /// Adds a setting for the duration of the transaction. Must not contain external input, because it becomes part of
    /// the statement's text.
    pub fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.settings = format!("{}; set local {name} = '{value}'", self.settings);
        self
    }

    /// Whether this transaction's commit may chain the next one, which inherits the mode but no settings.
    fn are_usual(&self) -> bool {
        self.mode.is_none()
    }

    /// Begins the transaction, or applies these options to a transaction that a chained commit has just begun.
    async fn begin(&self, lent: &mut LentConnection) -> Result<(), sqlx::Error> {
        let mut statements = if lent.take_begun() { String::new() } else { "begin".to_owned() };
        if let Some(mode) = self.mode {
            statements = format!("{statements}; set transaction {mode}");
        }
        statements.push_str(&self.settings);
        if statements.is_empty() {
            return Ok(());
        }
        raw_sql(sqlx::AssertSqlSafe(statements)).execute(&mut **lent).await.map(drop)
    }
}

/// How a transaction ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TransactionEnd {
    Commit,
    Rollback,
}

impl TransactionEnd {
    fn statement(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Rollback => "rollback",
        }
    }
}

/// Transaction that its first statement begins, so that a resolver that computes before it writes (a password hash, an
/// image) holds no connection during that time. A deferred idempotency key is claimed before anything else.
pub(super) struct Transaction {
    terms: TransactionOptions,
    claim: Option<ClaimedKey>,
    stage: TransactionStage,
    lent: Option<LentConnection>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TransactionStage {
    Waiting,
    /// Beginning or ending: no statement runs until the server has answered.
    Between,
    Open,
    Settled,
}

impl Transaction {
    /// Creates a transaction that no statement has begun.
    pub(super) fn new(terms: TransactionOptions) -> Self {
        Self { terms, claim: None, stage: TransactionStage::Waiting, lent: None }
    }

    /// Defers the claim of a key to the first statement.
    ///
    /// # Errors
    /// [`crate::fault::Code::Internal`] if a statement has already run.
    pub(super) fn claim_first(&mut self, slot: ClaimedKey) -> Result<(), Fault> {
        if self.stage != TransactionStage::Waiting {
            return Err(Fault::internal("a key is claimed after the first statement of a transaction"));
        }
        self.claim = Some(slot);
        Ok(())
    }

    /// Returns the connection for a statement.
    pub(super) fn open(&mut self) -> Option<&mut LentConnection> {
        self.lent.as_mut().filter(|_| self.stage == TransactionStage::Open)
    }

    /// Begins the transaction if necessary. A failure can be retried.
    pub(super) async fn begin(&mut self, source: &ConnectionSource) -> Result<(), Fault> {
        if self.stage != TransactionStage::Waiting {
            return Ok(());
        }
        let lent = self.lent.insert(source.take().await?);
        self.stage = TransactionStage::Between;
        let begun = match (self.terms.begin(lent).await, self.claim.clone()) {
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(claim)) => claim.take(lent).await,
        };
        if begun.is_ok() {
            self.stage = TransactionStage::Open;
        } else {
            let rolled_back = self.end(TransactionEnd::Rollback).await;
            self.stage = TransactionStage::Waiting;
            if let (Err(fault), Err(error)) = (&begun, rolled_back) {
                return Err(Fault::from(error).replacing(fault));
            }
        }
        begun
    }

    /// Ends the transaction, if it has begun. If another request waits to begin one, the commit also begins it, which
    /// saves a round trip.
    pub(super) async fn end(&mut self, how: TransactionEnd) -> Result<(), sqlx::Error> {
        self.stage = TransactionStage::Between;
        let Some(lent) = self.lent.as_mut() else {
            self.stage = TransactionStage::Settled;
            return Ok(());
        };
        let chained = how == TransactionEnd::Commit && self.terms.are_usual() && lent.is_wanted();
        let statement = if chained { "commit and chain" } else { how.statement() };
        let mut ended = raw_sql(statement).execute(&mut **lent).await.map(drop);
        let mut is_over = ended.is_ok();
        if matches!(ended, Err(sqlx::Error::Database(_))) {
            // Either the server rejected the statement and the transaction has ended, or this error answers a statement
            // that was dropped while it ran, and nothing has ended.
            let again = raw_sql("rollback").execute(&mut **lent).await.map(drop);
            is_over = again.is_ok();
            if how == TransactionEnd::Rollback {
                ended = again;
            }
        }
        self.stage = TransactionStage::Settled;
        match self.lent.take() {
            Some(lent) if chained && ended.is_ok() => lent.pass_on_begun().await,
            Some(lent) if is_over => lent.pass_on(),
            Some(lent) => lent.give_up(),
            None => {}
        }
        ended
    }
}

impl Drop for Transaction {
    /// If a transaction was not ended, the server rolls it back when its connection closes.
    fn drop(&mut self) {
        if let Some(lent) = self.lent.take() {
            lent.give_up();
        }
    }
}
