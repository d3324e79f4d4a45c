//! A transaction and its end: begun with its first statement, settled once.

use std::fmt::Display;

use sqlx::raw_sql;

use super::ConnectionSource;
use crate::core::engine::idempotency::ClaimedKey;
use crate::core::fault::Fault;
use crate::core::pool_lane::LentConnection;

/// How a transaction differs from the usual one, which reads what is committed, statement by statement.
#[derive(Default)]
pub(crate) struct TransactionOptions {
    mode: Option<&'static str>,
    settings: String,
}

impl TransactionOptions {
    /// A transaction in this mode (`SET TRANSACTION`).
    pub(crate) fn of_mode(mode: &'static str) -> Self {
        Self { mode: Some(mode), settings: String::new() }
    }

    /// With a setting until its end. Nothing that came from outside: it stands in the statement's text.
    pub(crate) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.settings = format!("{}; set local {name} = '{value}'", self.settings);
        self
    }

    /// Whether the transaction after it may be begun by its commit, which takes over the mode and no setting.
    fn are_usual(&self) -> bool {
        self.mode.is_none()
    }

    /// Begins, or makes of a transaction that has just begun one on these terms.
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

/// A transaction: begun by its first statement, so that a resolver that computes before it writes (a password hash, a
/// picture) holds no connection meanwhile. A key that was left to it is claimed before anything else.
pub(super) struct Transaction {
    terms: TransactionOptions,
    claim: Option<ClaimedKey>,
    stage: TransactionStage,
    lent: Option<LentConnection>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TransactionStage {
    Waiting,
    /// Being begun or ended: no statement runs until the server has answered.
    Between,
    Open,
    Settled,
}

impl Transaction {
    /// One that no statement began yet.
    pub(super) fn new(terms: TransactionOptions) -> Self {
        Self { terms, claim: None, stage: TransactionStage::Waiting, lent: None }
    }

    /// Leaves the claim of a key to its first statement.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::Internal`] when there was a statement already.
    pub(super) fn claim_first(&mut self, slot: ClaimedKey) -> Result<(), Fault> {
        if self.stage != TransactionStage::Waiting {
            return Err(Fault::internal("a key is claimed after the first statement of a transaction"));
        }
        self.claim = Some(slot);
        Ok(())
    }

    /// The connection, for a statement.
    pub(super) fn open(&mut self) -> Option<&mut LentConnection> {
        self.lent.as_mut().filter(|_| self.stage == TransactionStage::Open)
    }

    /// Begins, unless it has begun. What fails here may be tried again.
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
                return Err(Fault::from(error).in_place_of(fault));
            }
        }
        begun
    }

    /// Ends it, if it has begun. Where another waits to begin one, a commit begins it as well: a round trip less.
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
            // Either it was refused, and is over, or this is the answer to a statement that was dropped on its way, and
            // nothing has ended.
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
    /// A transaction that nobody settled is rolled back by the server when its connection ends.
    fn drop(&mut self) {
        if let Some(lent) = self.lent.take() {
            lent.give_up();
        }
    }
}
