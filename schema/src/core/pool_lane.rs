//! Connections that go from one request to the next.
//!
//! The pool tests every connection that comes back to it: a round trip and a wake-up of the server, which cost as much
//! as a small statement. The connection of a request that was answered is known to be sound, so where another waits, it
//! goes on as it is, to whoever has waited longest. Every other one goes back to the pool and is tested there. One whose
//! commit began the next transaction goes on inside it.
//!
//! Requests that read and requests in a transaction have turns of their own, fewer than the pool has connections, so that
//! neither takes all of them. Reads have the fewer: statements that only compute contend for the same cores, and each is
//! done sooner when fewer are under way (measured: docs/performance.md).

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, raw_sql};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::core::demotion;
use crate::core::fault::Fault;

/// The longest wait for a connection.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// How long a connection goes from request to request before it goes through the pool again, where whoever waits for one
/// is next: too short for requests of one sort to keep anybody else waiting, and long enough that most are spared the test.
const LONGEST_AWAY: Duration = Duration::from_millis(100);

/// The connections of requests of one sort. Cheap to clone.
#[derive(Clone)]
pub(crate) struct PoolLane(Arc<Inner>);

struct Inner {
    pool: PgPool,
    turns: Arc<Semaphore>,
    line: Mutex<WaitQueue>,
}

/// Who waits, and what was passed on to them. There are never more connections than waiting requests.
#[derive(Default)]
struct WaitQueue {
    waiting: usize,
    passed: Vec<PassedConnection>,
}

impl WaitQueue {
    fn wants_more(&self) -> bool {
        self.waiting > self.passed.len()
    }
}

/// A connection away from the pool. Dropped, it goes back, and is tested there.
struct PassedConnection {
    conn: PoolConnection<Postgres>,
    since: Instant,
    /// Inside a transaction in which nothing was done yet.
    has_begun: bool,
}

impl PassedConnection {
    async fn acquire(pool: &PgPool) -> Result<Self, sqlx::Error> {
        Ok(Self { conn: pool.acquire().await?, since: Instant::now(), has_begun: false })
    }

    fn is_due_back(&self) -> bool {
        self.since.elapsed() >= LONGEST_AWAY || demotion::is_before(self.since.elapsed())
    }
}

impl Drop for PassedConnection {
    /// The pool's test would not find out that it is inside a transaction.
    fn drop(&mut self) {
        if self.has_begun {
            self.conn.close_on_drop();
        }
    }
}

impl PoolLane {
    /// For requests that only read: half of a pool's connections.
    pub(crate) fn of_reads(pool: PgPool) -> Self {
        let most = pool.options().get_max_connections() / 2;
        Self::new(pool, most)
    }

    /// For requests in a transaction, which wait for locks and for the disk: all but two, which jobs and readiness find free.
    pub(crate) fn of_transactions(pool: PgPool) -> Self {
        let most = pool.options().get_max_connections().saturating_sub(2);
        Self::new(pool, most)
    }

    fn new(pool: PgPool, most: u32) -> Self {
        let turns = Arc::new(Semaphore::new(most.max(1) as usize));
        Self(Arc::new(Inner { pool, turns, line: Mutex::default() }))
    }

    /// The pool they come from.
    pub(crate) fn pool(&self) -> &PgPool {
        &self.0.pool
    }

    /// A connection, in the order in which requests ask.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::Unavailable`] when the database is away or no connection is free in time.
    pub(crate) async fn take(&self) -> Result<LentConnection, Fault> {
        let taken = async {
            let place = QueuePlace::new(&self.0);
            let turn = Arc::clone(&self.0.turns).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
            let away = match place.leave() {
                Some(passed) => passed,
                None => PassedConnection::acquire(&self.0.pool).await?,
            };
            Ok(LentConnection { away, turn: Some((self.clone(), turn)) })
        };
        timeout(PATIENCE, taken).await.map_err(|_| sqlx::Error::PoolTimedOut)?
    }
}

impl Inner {
    fn line(&self) -> MutexGuard<'_, WaitQueue> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a connection on. It comes back when nobody waits for it.
    fn pass(&self, away: PassedConnection) -> Option<PassedConnection> {
        let mut line = self.line();
        if away.is_due_back() || !line.wants_more() {
            return Some(away);
        }
        line.passed.push(away);
        None
    }
}

/// A place among those who wait. Whoever goes away leaves to the pool what only they had been waiting for.
struct QueuePlace<'a>(&'a Inner);

impl<'a> QueuePlace<'a> {
    fn new(inner: &'a Inner) -> Self {
        inner.line().waiting += 1;
        Self(inner)
    }

    /// What was passed on, now that it is one's turn.
    fn leave(self) -> Option<PassedConnection> {
        self.0.line().passed.pop()
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        line.waiting -= 1;
        let surplus = if line.passed.len() > line.waiting { line.passed.pop() } else { None };
        drop(line);
        drop(surplus);
    }
}

/// A connection on loan. Dropped, it goes back to the pool, which tests it.
pub(crate) struct LentConnection {
    away: PassedConnection,
    turn: Option<(PoolLane, OwnedSemaphorePermit)>,
}

impl LentConnection {
    /// A connection of the pool's own, which is not passed on.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::Unavailable`] when the database is away or every connection is taken.
    pub(crate) async fn of(pool: &PgPool) -> Result<Self, Fault> {
        Ok(Self { away: PassedConnection::acquire(pool).await?, turn: None })
    }

    /// Whether somebody waits for it. Who did may have gone on by the time it is passed on.
    pub(crate) fn is_wanted(&self) -> bool {
        self.turn.as_ref().is_some_and(|(home, _)| !self.away.is_due_back() && home.0.line().wants_more())
    }

    /// Whether it came inside a transaction that begins now. Asked once: from then on the transaction is the asker's.
    pub(crate) fn take_begun(&mut self) -> bool {
        std::mem::take(&mut self.away.has_begun)
    }

    /// Gives back a connection that is known to be sound and in no transaction.
    pub(crate) fn pass_on(self) {
        drop(self.offer());
    }

    /// Gives back a connection that is known to be sound, inside a transaction in which nothing was done yet. Whoever is
    /// passed it goes first: it would otherwise lie unused until this thread has written the answer of whoever passed it
    /// on, because a task that another wakes waits for that one's turn to end, and no other thread takes it (measured:
    /// docs/performance.md).
    pub(crate) async fn pass_on_begun(mut self) {
        self.away.has_begun = true;
        let Some(mut left) = self.offer() else { return tokio::task::yield_now().await };
        let ended = raw_sql("rollback").execute(&mut *left).await;
        left.away.has_begun = ended.is_err();
    }

    /// Passes it on. It comes back, with its turn, when nobody waits for it.
    fn offer(self) -> Option<Self> {
        let Self { away, turn } = self;
        let Some((home, permit)) = turn else { return Some(Self { away, turn }) };
        // Whoever's turn begins with the end of this one finds it.
        let left = home.0.pass(away)?;
        Some(Self { away: left, turn: Some((home, permit)) })
    }

    /// Gives back a connection outside a transaction on which a statement may still be under way: nobody waits for its
    /// rows, but the turn ends only with it.
    pub(crate) fn abandon(self) {
        let Self { mut away, turn } = self;
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            // One that is broken, the pool finds out for itself.
            let _ = away.conn.ping().await;
            drop(away);
            drop(turn);
        });
    }

    /// Gives up a connection whose state is not known.
    pub(crate) fn give_up(mut self) {
        self.away.conn.close_on_drop();
    }
}

impl Deref for LentConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.away.conn
    }
}

impl DerefMut for LentConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.away.conn
    }
}
