//! One handle for every statement: inside the request's transaction when there is one, else on a connection of its own.

mod read;
mod transaction;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::{PgConnection, PgPool};
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard};

pub(crate) use self::read::{Freshness, ReadLanes};
use self::read::{ReadConnection, TakenConnection};
pub(crate) use self::transaction::TransactionOptions;
use self::transaction::{Transaction, TransactionEnd};
use crate::core::engine::idempotency::ClaimedKey;
use crate::core::fault::Fault;
use crate::core::pool_lane::{LentConnection, PoolLane};
use crate::core::read_replicas::WalPlace;

/// Where connections come from: the pool, what requests pass on to each other, or the same of the leader and of its read
/// replicas.
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
            Self::Requests(handoff) => handoff.pool(),
            Self::Reads(lanes) => lanes.leader().pool(),
        }
    }

    async fn take(&self) -> Result<LentConnection, Fault> {
        match self {
            Self::Pool(pool) => LentConnection::of(pool).await,
            Self::Requests(handoff) => handoff.take().await,
            Self::Reads(lanes) => Ok(lanes.take().await?.lent),
        }
    }
}

/// What statements run on.
#[derive(Clone)]
enum Mode {
    /// Each on a connection that is held for it only.
    Single,
    /// All on one connection, until the request is answered.
    ReadConnection(Arc<Mutex<ReadConnection>>),
    /// All in one transaction.
    Within(Arc<Mutex<Transaction>>),
}

/// Where statements run. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    source: ConnectionSource,
    mode: Mode,
}

impl Db {
    /// Statements one by one, each on its own.
    #[must_use]
    pub fn pooled(pool: PgPool) -> Self {
        Self { source: ConnectionSource::Pool(pool), mode: Mode::Single }
    }

    /// Statements of a request that only reads, on one connection at a time. End it with [`Self::answered`] when all went
    /// well.
    pub(crate) fn answering(lanes: ReadLanes) -> Self {
        Self { source: ConnectionSource::Reads(lanes), mode: Mode::ReadConnection(Arc::default()) }
    }

    /// Statements of a request inside one transaction, which the first of them begins.
    pub(crate) fn settling(handoff: PoolLane, terms: TransactionOptions) -> Self {
        Self::in_transaction(ConnectionSource::Requests(handoff), terms)
    }

    /// Statements inside one transaction, which the first of them begins.
    pub(crate) fn within(pool: PgPool, terms: TransactionOptions) -> Self {
        Self::in_transaction(ConnectionSource::Pool(pool), terms)
    }

    /// Statements inside one transaction that no request began: a job's. End it with [`Self::settle`].
    pub(crate) fn apart(pool: PgPool) -> Self {
        Self::within(pool, TransactionOptions::default())
    }

    fn in_transaction(source: ConnectionSource, terms: TransactionOptions) -> Self {
        Self { source, mode: Mode::Within(Arc::new(Mutex::new(Transaction::new(terms)))) }
    }

    /// Ends what a job did in a transaction of its own: kept when it did something, else taken back.
    ///
    /// # Errors
    /// What the job's work answered, or the commit.
    pub(crate) async fn settle(&self, outcome: Result<bool, Fault>) -> Result<bool, Fault> {
        if matches!(outcome, Ok(true)) {
            self.commit().await?;
        } else if let Err(failed) = self.rollback().await {
            return Err(match &outcome {
                Err(fault) => failed.in_place_of(fault),
                Ok(_) => failed,
            });
        }
        outcome
    }

    /// Commits the transaction, if a statement began one.
    ///
    /// # Errors
    /// What the rules answered that the database checks last: nothing is kept then. [`Fault::unknown`] when the
    /// connection broke on the way.
    pub(crate) async fn commit(&self) -> Result<(), Fault> {
        self.end(TransactionEnd::Commit)
            .await
            .map_err(|error| if is_silence(&error) { Fault::unknown(error) } else { error.into() })
    }

    /// Takes back what the transaction did, if a statement began one.
    ///
    /// # Errors
    /// When the database is away. It takes it back by itself.
    pub(crate) async fn rollback(&self) -> Result<(), Fault> {
        Ok(self.end(TransactionEnd::Rollback).await?)
    }

    async fn end(&self, how: TransactionEnd) -> Result<(), sqlx::Error> {
        match &self.mode {
            Mode::Within(work) => work.lock().await.end(how).await,
            Mode::Single | Mode::ReadConnection(_) => Ok(()),
        }
    }

    /// The statements of a read so far were answered, so that its connection is sound and somebody else's.
    pub(crate) async fn answered(&self) {
        if let Mode::ReadConnection(kept) = &self.mode {
            kept.lock().await.pass_on();
        }
    }

    /// How old what is read from now on may be. It counts for a request that only reads; every other one reads what is
    /// present.
    pub(crate) fn demand(&self, freshness: Freshness) {
        if let ConnectionSource::Reads(lanes) = &self.source {
            lanes.demand(freshness);
        }
    }

    /// Whether anything may have been read from a replica.
    pub(crate) fn has_lagged(&self) -> bool {
        matches!(&self.source, ConnectionSource::Reads(lanes) if lanes.has_lagged())
    }

    /// Whether what other requests read at this moment will do for this one.
    pub(crate) fn may_share(&self) -> bool {
        !matches!(&self.source, ConnectionSource::Reads(lanes) if !lanes.may_share())
    }

    /// Work that a replica may answer, for as long as one is waited for: it may have stopped without a word.
    ///
    /// # Errors
    /// What the work answered; [`crate::core::fault::Code::Unavailable`] when it took longer.
    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        match &self.source {
            ConnectionSource::Reads(lanes) if lanes.may_lag() => lanes.in_time(work).await,
            _ => work.await,
        }
    }

    /// The same database outside the request's transaction, for a read whose connection must be free again
    /// before something slow. What is read may be as old as what the request reads itself.
    #[must_use]
    pub fn aside(&self) -> Self {
        match &self.source {
            ConnectionSource::Reads(lanes) => lanes.aside(),
            ConnectionSource::Pool(_) | ConnectionSource::Requests(_) => None,
        }
        .map_or_else(
            || Self::pooled(self.pool().clone()),
            |lanes| Self { source: ConnectionSource::Reads(lanes), mode: Mode::Single },
        )
    }

    /// Leaves the claim of an idempotency key to the transaction's first statement, which fails where the claim does.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::Internal`] when there was a statement already.
    pub(crate) async fn claim_first(&self, slot: ClaimedKey) -> Result<(), Fault> {
        if let Mode::Within(work) = &self.mode {
            return work.lock().await.claim_first(slot);
        }
        Err(Fault::internal("a key is claimed before the first statement of a transaction"))
    }

    /// A connection for one statement.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::Unavailable`] when the database is away or every connection is taken; for the first
    /// statement what the claim of an idempotency key answers, where one was left to it.
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

    /// The pool, for what takes its connections itself.
    #[must_use]
    pub(crate) fn pool(&self) -> &PgPool {
        self.source.pool()
    }
}

/// Whether a COMMIT was answered by nothing that says what became of it: the connection or the server ended first.
fn is_silence(error: &sqlx::Error) -> bool {
    error.as_database_error().is_none_or(|error| error.code().is_some_and(|state| state.starts_with("57P")))
}

/// A connection held for one statement.
pub struct Conn(ConnSource);

enum ConnSource {
    Alone(LentConnection),
    Reading(OwnedMappedMutexGuard<ReadConnection, TakenConnection>),
    Inside(OwnedMappedMutexGuard<Transaction, LentConnection>),
}

impl Conn {
    /// How far the log had come that what was read here so far was read of; none where that is no replica's.
    ///
    /// # Errors
    /// When the replica is away.
    pub(crate) async fn place(&mut self) -> Result<Option<WalPlace>, Fault> {
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
