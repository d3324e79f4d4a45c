//! Handle for every statement: in the request's transaction if there is one, otherwise on a separate connection.

mod own;
mod read;
mod transaction;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::{PgConnection, PgPool};
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard};

pub use self::own::OwnTransaction;
pub use self::read::{Freshness, ReadLanes};
use self::read::{ReadConnection, TakenConnection};
pub use self::transaction::TransactionOptions;
use self::transaction::{Transaction, TransactionEnd};
use crate::context::Caller;
use crate::engine::idempotency::ClaimedKey;
use crate::fault::Fault;
use crate::pool_lane::{LentConnection, PoolLane};
use crate::read_replicas::WalPlace;

/// Source of connections: the pool, the lane in which requests pass connections to each other, or the lanes of the
/// primary and its read replicas.
#[derive(Clone)]
enum ConnectionSource {
    Pool(PgPool),
    Requests(PoolLane),
    Reads(ReadLanes),
}

impl ConnectionSource {
    fn pool(&self) -> &PgPool {
        match self {
            Self::Pool(pool) => pool,
            Self::Requests(lane) => lane.pool(),
            Self::Reads(lanes) => lanes.leader().pool(),
        }
    }

    async fn take(&self) -> Result<LentConnection, Fault> {
        match self {
            Self::Pool(pool) => LentConnection::of(pool).await,
            Self::Requests(lane) => lane.take().await,
            Self::Reads(lanes) => Ok(lanes.take().await?.lent),
        }
    }
}

/// Connection mode of the statements.
#[derive(Clone)]
enum Mode {
    /// Each statement on a separate connection.
    Single,
    /// All statements on one connection, until the request is answered.
    ReadConnection(Arc<Mutex<ReadConnection>>),
    /// All statements in one transaction.
    Within(Arc<Mutex<Transaction>>),
}

/// Database handle. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    source: ConnectionSource,
    mode: Mode,
}

impl Db {
    /// Creates a handle that runs each statement on a separate connection.
    #[must_use]
    pub fn from_pool(pool: PgPool) -> Self {
        Self { source: ConnectionSource::Pool(pool), mode: Mode::Single }
    }

    /// Creates the handle of a request that only reads, on one connection at a time. Call [`Self::release`] after
    /// success.
    pub(crate) fn for_read(lanes: ReadLanes) -> Self {
        Self { source: ConnectionSource::Reads(lanes), mode: Mode::ReadConnection(Arc::default()) }
    }

    /// Creates the handle of a request in one transaction, which its first statement begins.
    pub(crate) fn for_transaction(lane: PoolLane, terms: TransactionOptions) -> Self {
        Self::in_transaction(ConnectionSource::Requests(lane), terms)
    }

    /// Begins a transaction outside a request, for example of a job, with its first statement.
    #[must_use]
    pub fn own_transaction(pool: PgPool) -> OwnTransaction {
        Self::own_transaction_with(pool, TransactionOptions::default())
    }

    /// As [`Self::own_transaction`], with options.
    #[must_use]
    pub fn own_transaction_with(pool: PgPool, terms: TransactionOptions) -> OwnTransaction {
        OwnTransaction::new(Self::in_transaction(ConnectionSource::Pool(pool), terms))
    }

    fn in_transaction(source: ConnectionSource, terms: TransactionOptions) -> Self {
        Self { source, mode: Mode::Within(Arc::new(Mutex::new(Transaction::new(terms)))) }
    }

    /// Commits the transaction, if a statement began one.
    ///
    /// # Errors
    /// The fault of a deferred constraint; nothing is stored then. [`Fault::unknown`] if the connection broke during
    /// the commit.
    pub(crate) async fn commit(&self) -> Result<(), Fault> {
        self.end(TransactionEnd::Commit)
            .await
            .map_err(|error| if is_silence(&error) { Fault::unknown(error) } else { error.into() })
    }

    /// Rolls the transaction back, if a statement began one.
    ///
    /// # Errors
    /// If the database does not answer. It then rolls back by itself.
    pub(crate) async fn rollback(&self) -> Result<(), Fault> {
        Ok(self.end(TransactionEnd::Rollback).await?)
    }

    async fn end(&self, how: TransactionEnd) -> Result<(), sqlx::Error> {
        match &self.mode {
            Mode::Within(work) => work.lock().await.end(how).await,
            Mode::Single | Mode::ReadConnection(_) => Ok(()),
        }
    }

    /// Marks the statements of a read as answered, so that its connection is clean and can pass to another request.
    pub async fn release(&self) {
        if let Mode::ReadConnection(kept) = &self.mode {
            kept.lock().await.pass_on();
        }
    }

    /// Waits for a turn of the account before work that other requests wait for, so that they wait for the work and not
    /// for the turn. Call it after [`Self::release`]; the next statement uses the turn. Only affects requests that only
    /// read.
    ///
    /// # Errors
    /// [`crate::fault::Code::RateLimited`] if earlier reads of the account take too long.
    pub async fn reserve_turn(&self) -> Result<(), Fault> {
        match &self.source {
            ConnectionSource::Reads(lanes) => lanes.reserve_turn().await,
            ConnectionSource::Pool(_) | ConnectionSource::Requests(_) => Ok(()),
        }
    }

    /// Sets the required freshness of the following reads. Only affects requests that only read; all others read from
    /// the primary.
    pub(crate) fn require_freshness(&self, freshness: Freshness) {
        if let ConnectionSource::Reads(lanes) = &self.source {
            lanes.require_freshness(freshness);
        }
    }

    /// Whether a read replica may have answered a statement.
    pub(crate) fn has_lagged(&self) -> bool {
        matches!(&self.source, ConnectionSource::Reads(lanes) if lanes.has_lagged())
    }

    /// Records what the caller of a request that only reads has seen, before the request is answered.
    pub(crate) fn note_answer(&self, caller: &Caller) {
        if let ConnectionSource::Reads(lanes) = &self.source {
            lanes.note_answer(caller);
        }
    }

    /// Whether this request may share the result of a concurrent read of another request.
    pub fn may_share(&self) -> bool {
        !matches!(&self.source, ConnectionSource::Reads(lanes) if !lanes.may_share())
    }

    /// Limits work that a read replica may answer to the time that the service waits for one, because a replica can
    /// stop without closing its connections.
    ///
    /// # Errors
    /// The fault of the work; [`crate::fault::Code::Unavailable`] if it took longer.
    pub async fn limit_time<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        match &self.source {
            ConnectionSource::Reads(lanes) if lanes.may_lag() => lanes.limit_time(work).await,
            _ => work.await,
        }
    }

    /// Returns a handle of the same database outside the request's transaction, for a read whose connection must be
    /// free before slow work. It has the same freshness as the request's other reads.
    #[must_use]
    pub fn outside_transaction(&self) -> Self {
        match &self.source {
            ConnectionSource::Reads(lanes) => lanes.outside_transaction(),
            ConnectionSource::Pool(_) | ConnectionSource::Requests(_) => None,
        }
        .map_or_else(
            || Self::from_pool(self.pool().clone()),
            |lanes| Self { source: ConnectionSource::Reads(lanes), mode: Mode::Single },
        )
    }

    /// Returns a handle whose statements only the primary answers, for data that this process keeps for all readers.
    #[must_use]
    pub fn of_leader(&self) -> Self {
        let lanes = match &self.source {
            ConnectionSource::Reads(lanes) => lanes.of_leader(),
            ConnectionSource::Pool(_) | ConnectionSource::Requests(_) => None,
        };
        lanes.map_or_else(|| self.clone(), |lanes| Self { source: ConnectionSource::Reads(lanes), mode: Mode::Single })
    }

    /// Defers the claim of an idempotency key to the transaction's first statement, which fails if the claim fails.
    ///
    /// # Errors
    /// [`crate::fault::Code::Internal`] if a statement has already run.
    pub(crate) async fn claim_first(&self, slot: ClaimedKey) -> Result<(), Fault> {
        if let Mode::Within(work) = &self.mode {
            return work.lock().await.claim_first(slot);
        }
        Err(Fault::internal("a key is claimed before the first statement of a transaction"))
    }

    /// Returns a connection for one statement.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] if the database does not answer or no connection is free. For the
    /// first statement also the fault of a deferred claim of an idempotency key.
    pub async fn conn(&self) -> Result<Conn, Fault> {
        match &self.mode {
            Mode::Single => Ok(Conn(ConnSource::Alone(self.source.take().await?))),
            Mode::ReadConnection(kept) => {
                let mut kept = Arc::clone(kept).lock_owned().await;
                if let ConnectionSource::Reads(lanes) = &self.source {
                    kept.ensure(lanes).await?;
                }
                let kept = OwnedMutexGuard::try_map(kept, ReadConnection::taken);
                kept.map(|taken| Conn(ConnSource::Reading(taken)))
                    .map_err(|_| Fault::internal("a connection that was just kept"))
            }
            Mode::Within(work) => {
                let mut work = Arc::clone(work).lock_owned().await;
                work.begin(&self.source).await?;
                let open = OwnedMutexGuard::try_map(work, Transaction::open);
                open.map(|lent| Conn(ConnSource::Inside(lent)))
                    .map_err(|_| Fault::internal("a statement after its transaction was settled"))
            }
        }
    }

    /// Returns the pool, for code that takes connections itself.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        self.source.pool()
    }
}

/// Whether a COMMIT got no answer about its result: the connection or the server ended first.
fn is_silence(error: &sqlx::Error) -> bool {
    error.as_database_error().is_none_or(|error| error.code().is_some_and(|state| state.starts_with("57P")))
}

/// Connection held for one statement.
pub struct Conn(ConnSource);

enum ConnSource {
    Alone(LentConnection),
    Reading(OwnedMappedMutexGuard<ReadConnection, TakenConnection>),
    Inside(OwnedMappedMutexGuard<Transaction, LentConnection>),
}

impl Conn {
    /// Returns the WAL position of the replica behind the data read so far; `None` if it was not read from a replica.
    ///
    /// # Errors
    /// If the replica does not answer.
    pub async fn place(&mut self) -> Result<Option<WalPlace>, Fault> {
        match &mut self.0 {
            ConnSource::Reading(taken) => taken.place().await,
            ConnSource::Alone(_) | ConnSource::Inside(_) => Ok(None),
        }
    }
}

impl Deref for Conn {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match &self.0 {
            ConnSource::Alone(lent) => lent,
            ConnSource::Reading(taken) => &taken.lent,
            ConnSource::Inside(lent) => lent,
        }
    }
}

impl DerefMut for Conn {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match &mut self.0 {
            ConnSource::Alone(lent) => lent,
            ConnSource::Reading(taken) => &mut taken.lent,
            ConnSource::Inside(lent) => lent,
        }
    }
}
