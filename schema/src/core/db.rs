//! One handle for every statement: inside the request's transaction when there is one, else on a connection of its own.

use std::fmt::Display;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::{PgConnection, PgPool, raw_sql};
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard};

use crate::core::engine::idempotency::ClaimedKey;
use crate::core::fault::Fault;
use crate::core::pool_lane::{LentConnection, PoolLane};

/// Where connections come from: the pool, or what requests pass on to each other.
#[derive(Clone)]
enum ConnectionSource {
    Pool(PgPool),
    Requests(PoolLane),
}

impl ConnectionSource {
    fn pool(&self) -> &PgPool {
        match self {
            Self::Pool(pool) => pool,
            Self::Requests(handoff) => handoff.pool(),
        }
    }

    async fn take(&self) -> Result<LentConnection, Fault> {
        match self {
            Self::Pool(pool) => LentConnection::of(pool).await,
            Self::Requests(handoff) => handoff.take().await,
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

/// The connection of a request that only reads, from its first statement on.
#[derive(Default)]
struct ReadConnection(Option<LentConnection>);

impl ReadConnection {
    fn lent(&mut self) -> Option<&mut LentConnection> {
        self.0.as_mut()
    }
}

impl Drop for ReadConnection {
    /// Whoever asked went away, or was refused.
    fn drop(&mut self) {
        if let Some(lent) = self.0.take() {
            lent.abandon();
        }
    }
}

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
enum TransactionEnd {
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
struct Transaction {
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
    /// The connection, for a statement.
    fn open(&mut self) -> Option<&mut LentConnection> {
        self.lent.as_mut().filter(|_| self.stage == TransactionStage::Open)
    }

    /// Begins, unless it has begun. What fails here may be tried again.
    async fn begin(&mut self, source: &ConnectionSource) -> Result<(), Fault> {
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
    async fn end(&mut self, how: TransactionEnd) -> Result<(), sqlx::Error> {
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

    /// Statements of a request that only reads, on one connection. End it with [`Self::answered`] when all went well.
    pub(crate) fn answering(handoff: PoolLane) -> Self {
        Self { source: ConnectionSource::Requests(handoff), mode: Mode::ReadConnection(Arc::default()) }
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
        let work = Transaction { terms, claim: None, stage: TransactionStage::Waiting, lent: None };
        Self { source, mode: Mode::Within(Arc::new(Mutex::new(work))) }
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
        if let Mode::ReadConnection(kept) = &self.mode
            && let Some(lent) = kept.lock().await.0.take()
        {
            lent.pass_on();
        }
    }

    /// The same database outside the request's transaction, for a read whose connection must be free again
    /// before something slow.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self::pooled(self.pool().clone())
    }

    /// Leaves the claim of an idempotency key to the transaction's first statement, which fails where the claim does.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::Internal`] when there was a statement already.
    pub(crate) async fn claim_first(&self, slot: ClaimedKey) -> Result<(), Fault> {
        if let Mode::Within(work) = &self.mode {
            let mut work = work.lock().await;
            if work.stage == TransactionStage::Waiting {
                work.claim = Some(slot);
                return Ok(());
            }
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
                if kept.0.is_none() {
                    kept.0 = Some(self.source.take().await?);
                }
                let kept = OwnedMutexGuard::try_map(kept, ReadConnection::lent);
                kept.map(|lent| Conn(ConnSource::ReadConnection(lent)))
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
    ReadConnection(OwnedMappedMutexGuard<ReadConnection, LentConnection>),
    Inside(OwnedMappedMutexGuard<Transaction, LentConnection>),
}

impl Deref for Conn {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match &self.0 {
            ConnSource::Alone(lent) => lent,
            ConnSource::ReadConnection(lent) => lent,
            ConnSource::Inside(lent) => lent,
        }
    }
}

impl DerefMut for Conn {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match &mut self.0 {
            ConnSource::Alone(lent) => lent,
            ConnSource::ReadConnection(lent) => lent,
            ConnSource::Inside(lent) => lent,
        }
    }
}
