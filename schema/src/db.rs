//! One handle for every statement: inside the request's transaction when there is one, else on a
//! pooled connection held for that statement only.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard};

use crate::engine::idempotency::Slot;
use crate::fault::Fault;

/// The request's transaction: begun by the first statement, so that a resolver that computes before it
/// writes (a password hash, a picture) holds no connection meanwhile. A key that was left to it is claimed before
/// anything else.
enum Stage {
    Waiting { begin: String, claim: Option<Slot> },
    Open(Transaction<'static, Postgres>),
    Settled,
}

impl Stage {
    fn open(&mut self) -> Option<&mut Transaction<'static, Postgres>> {
        match self {
            Self::Open(transaction) => Some(transaction),
            Self::Waiting { .. } | Self::Settled => None,
        }
    }
}

/// Where statements run. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    pool: PgPool,
    transaction: Option<Arc<Mutex<Stage>>>,
}

impl Db {
    /// Statements one by one, each on its own.
    #[must_use]
    pub fn pooled(pool: PgPool) -> Self {
        Self { pool, transaction: None }
    }

    /// Statements inside one transaction, which the first of them begins with this text.
    #[must_use]
    pub fn within(pool: PgPool, begin: String) -> Self {
        Self { pool, transaction: Some(Arc::new(Mutex::new(Stage::Waiting { begin, claim: None }))) }
    }

    /// Statements inside one transaction that no request began: a job's. End it with [`Self::settle`].
    pub(crate) fn apart(pool: PgPool) -> Self {
        Self::within(pool, "begin isolation level read committed".to_owned())
    }

    /// Ends what a job did in a transaction of its own: kept when it did something, else taken back.
    ///
    /// # Errors
    /// What the job's work answered, or the commit.
    pub(crate) async fn settle(&self, outcome: Result<bool, Fault>) -> Result<bool, Fault> {
        let Some(transaction) = self.take().await else { return outcome };
        if matches!(outcome, Ok(true)) {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        outcome
    }

    /// The same database outside the request's transaction, for a read whose connection must be free again
    /// before something slow.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self::pooled(self.pool.clone())
    }

    /// Leaves the claim of an idempotency key to the transaction's first statement, which fails where the claim does.
    ///
    /// # Errors
    /// [`crate::fault::Code::Internal`] when there was a statement already.
    pub(crate) async fn claim_first(&self, slot: Slot) -> Result<(), Fault> {
        if let Some(stage) = &self.transaction
            && let Stage::Waiting { claim, .. } = &mut *stage.lock().await
        {
            *claim = Some(slot);
            return Ok(());
        }
        Err(Fault::internal("a key is claimed before the first statement of a transaction"))
    }

    /// A connection for one statement.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] when the database is away or every connection is taken; for the first
    /// statement what the claim of an idempotency key answers, where one was left to it.
    pub async fn conn(&self) -> Result<Conn, Fault> {
        let Some(slot) = &self.transaction else { return Ok(Conn(Held::Pooled(self.pool.acquire().await?))) };
        let mut stage = Arc::clone(slot).lock_owned().await;
        if let Stage::Waiting { begin, claim } = &*stage {
            let (begin, claim) = (sqlx::AssertSqlSafe(begin.clone()), claim.clone());
            let mut transaction = self.pool.begin_with(begin).await?;
            if let Some(claim) = claim
                && let Err(fault) = claim.take(&mut transaction).await
            {
                transaction.rollback().await?;
                return Err(fault);
            }
            *stage = Stage::Open(transaction);
        }
        OwnedMutexGuard::try_map(stage, Stage::open)
            .map(|transaction| Conn(Held::Inside(transaction)))
            .map_err(|_| Fault::internal("a statement after its transaction was settled"))
    }

    /// Takes the transaction out, to settle it; `None` when no statement began one.
    pub(crate) async fn take(&self) -> Option<Transaction<'static, Postgres>> {
        let slot = self.transaction.as_ref()?;
        match std::mem::replace(&mut *slot.lock().await, Stage::Settled) {
            Stage::Open(transaction) => Some(transaction),
            Stage::Waiting { .. } | Stage::Settled => None,
        }
    }

    /// The pool, for what must outlive the request (a stream of rows).
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }
}

/// A connection held for one statement.
pub struct Conn(Held);

enum Held {
    Pooled(PoolConnection<Postgres>),
    Inside(OwnedMappedMutexGuard<Stage, Transaction<'static, Postgres>>),
}

impl Deref for Conn {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match &self.0 {
            Held::Pooled(conn) => conn,
            Held::Inside(transaction) => transaction,
        }
    }
}

impl DerefMut for Conn {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match &mut self.0 {
            Held::Pooled(conn) => conn,
            Held::Inside(transaction) => transaction,
        }
    }
}
