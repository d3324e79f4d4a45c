//! Connections that pass from one request to the next.
//!
//! The pool tests every returned connection: a round trip and a wake-up of the server, which cost as much as a small
//! statement. After a request was answered, its connection is known to be clean. If another request waits, the
//! connection passes directly to the longest waiting request. Otherwise it returns to the pool, which tests it. A
//! connection whose commit began the next transaction passes on inside that transaction.
//!
//! Reading requests and requests in a transaction have separate limits, both below the size of the pool, so that
//! neither kind takes all connections. Reads have the lower limit: their statements compete for the same cores, and
//! each finishes sooner if fewer run at once (measured: docs/performance.md).
//!
//! Of the connections for transactions, one is only for entrances: requests without a token, such as a sign-in. Under
//! any load of other requests, a user can therefore sign in. The wait is bounded by time (`timed_queue.rs`).

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, raw_sql};
use tokio::runtime::Handle;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;

use crate::account_turns::Turn;
use crate::demotion;
use crate::fault::Fault;
use crate::timed_queue::TimedQueue;

/// Longest wait for a connection.
pub const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum time for which a connection passes between requests before it returns to the pool, where any waiter can get
/// it: short enough that no other kind of request is starved, and long enough that most requests avoid the test.
const LONGEST_AWAY: Duration = Duration::from_millis(100);

/// Connections for requests of one kind. Cheap to clone.
#[derive(Clone)]
pub struct PoolLane {
    inner: Arc<Inner>,
    /// Turns of requests that may not take the last connection; `None` for those that may.
    shared: Option<Arc<Semaphore>>,
    /// Bounds the wait of these requests.
    queue: Arc<TimedQueue>,
    /// Waiting requests. The two parts of a divided lane do not pass connections to each other.
    line: Arc<Mutex<WaitQueue>>,
}

struct Inner {
    pool: PgPool,
    turns: Arc<Semaphore>,
}

/// Right to use one of the lane's connections.
struct LaneTurn {
    _turn: OwnedSemaphorePermit,
    _shared: Option<OwnedSemaphorePermit>,
}

/// Waiting requests, and the connections passed to them. There are never more connections than waiting requests.
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

/// Connection outside the pool. Dropping it returns it to the pool, which tests it.
struct PassedConnection {
    conn: PoolConnection<Postgres>,
    since: Instant,
    /// Whether it is in a transaction without any statement yet.
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
    /// The pool's test would not detect the open transaction.
    fn drop(&mut self) {
        if self.has_begun {
            self.conn.close_on_drop();
        }
    }
}

impl PoolLane {
    /// Creates the lane for requests that only read: half of the pool's connections.
    pub(crate) fn of_reads(pool: PgPool) -> Self {
        let most = pool.options().get_max_connections() / 2;
        Self::new(pool, most)
    }

    /// Creates the lane for requests in a transaction, which wait for locks and the disk: all connections but two,
    /// which remain for jobs and readiness checks.
    pub(crate) fn of_transactions(pool: PgPool) -> Self {
        let most = pool.options().get_max_connections().saturating_sub(2);
        Self::new(pool, most)
    }

    /// Divides the lane: the first is for entrances and may take every connection, the second leaves one for them. With
    /// fewer than three connections, it leaves none.
    pub(crate) fn with_entrance(self) -> (Self, Self) {
        let all = self.inner.turns.available_permits();
        let left = usize::from(all >= 3);
        let shared = Arc::new(Semaphore::new(all - left));
        let others = Self { shared: Some(shared), queue: new_queue(), line: Arc::default(), ..self.clone() };
        (self, others)
    }

    fn new(pool: PgPool, most: u32) -> Self {
        let turns = Arc::new(Semaphore::new(most.max(1) as usize));
        let inner = Arc::new(Inner { pool, turns });
        Self { inner, shared: None, queue: new_queue(), line: Arc::default() }
    }

    /// Returns the underlying pool.
    pub fn pool(&self) -> &PgPool {
        &self.inner.pool
    }

    /// Takes a connection; requests are served in order of arrival.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] if the database does not answer or no connection is free in time.
    pub async fn take(&self) -> Result<LentConnection, Fault> {
        let until = tokio::time::Instant::now() + PATIENCE;
        let place = QueueSlot::new(self);
        let turn = self.queue.wait(self.turn()).await.map_err(|_| err_busy())?.map_err(|_| sqlx::Error::PoolClosed)?;
        let away = match place.leave() {
            Some(passed) => passed,
            None => {
                let acquired = timeout_at(until, PassedConnection::acquire(&self.inner.pool)).await;
                acquired.map_err(|_| sqlx::Error::PoolTimedOut)??
            }
        };
        Ok(LentConnection { away, turn: Some((self.clone(), turn)), of_account: None })
    }

    async fn turn(&self) -> Result<LaneTurn, AcquireError> {
        let _shared = match &self.shared {
            Some(shared) => Some(Arc::clone(shared).acquire_owned().await?),
            None => None,
        };
        Ok(LaneTurn { _turn: Arc::clone(&self.inner.turns).acquire_owned().await?, _shared })
    }

    fn line(&self) -> MutexGuard<'_, WaitQueue> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a connection on. Returns it if no request waits.
    fn pass(&self, away: PassedConnection) -> Option<PassedConnection> {
        let mut line = self.line();
        if away.is_due_back() || !line.wants_more() {
            return Some(away);
        }
        line.passed.push(away);
        None
    }
}

fn new_queue() -> Arc<TimedQueue> {
    Arc::new(TimedQueue::new(PATIENCE))
}

/// Place in the queue. If a waiter is cancelled, the surplus connection returns to the pool.
struct QueueSlot<'a>(&'a PoolLane);

impl<'a> QueueSlot<'a> {
    fn new(lane: &'a PoolLane) -> Self {
        lane.line().waiting += 1;
        Self(lane)
    }

    /// Takes a connection that was passed on, when the turn has come.
    fn leave(self) -> Option<PassedConnection> {
        self.0.line().passed.pop()
    }
}

impl Drop for QueueSlot<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        line.waiting -= 1;
        let surplus = if line.passed.len() > line.waiting { line.passed.pop() } else { None };
        drop(line);
        drop(surplus);
    }
}

/// Borrowed connection. Dropping it returns it to the pool, which tests it.
pub struct LentConnection {
    away: PassedConnection,
    turn: Option<(PoolLane, LaneTurn)>,
    /// Turn of the account; it ends with the statement that runs on the connection.
    of_account: Option<Turn>,
}

impl LentConnection {
    /// Takes a connection from the pool that is not passed on.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] if the database does not answer or no connection is free.
    pub async fn of(pool: &PgPool) -> Result<Self, Fault> {
        Ok(Self { away: PassedConnection::acquire(pool).await?, turn: None, of_account: None })
    }

    /// Keeps the turn of an account as long as the connection is borrowed.
    #[must_use]
    pub(crate) fn with_turn(self, of_account: Option<Turn>) -> Self {
        Self { of_account, ..self }
    }

    /// Whether a request waits for it. The waiter may have left before the connection is passed on.
    pub fn is_wanted(&self) -> bool {
        self.turn.as_ref().is_some_and(|(home, _)| !self.away.is_due_back() && home.line().wants_more())
    }

    /// Returns whether the connection is in a transaction that was just begun, and clears the flag: the caller then
    /// owns the transaction.
    pub(crate) fn take_begun(&mut self) -> bool {
        std::mem::take(&mut self.away.has_begun)
    }

    /// Returns a connection that is clean and outside a transaction.
    pub(crate) fn pass_on(self) {
        drop(self.offer());
    }

    /// Returns a clean connection in a transaction without any statement yet, and yields to the request that receives
    /// it. Without the yield the connection would be idle until this thread has written its answer: a task woken by
    /// another task waits for the end of that task's turn, and no other thread takes it (measured:
    /// docs/performance.md).
    pub(crate) async fn pass_on_begun(mut self) {
        self.away.has_begun = true;
        let Some(mut left) = self.offer() else { return tokio::task::yield_now().await };
        let ended = raw_sql("rollback").execute(&mut *left).await;
        left.away.has_begun = ended.is_err();
    }

    /// Passes the connection on. Returns it with its turn if no request waits.
    fn offer(self) -> Option<Self> {
        let Self { away, turn, of_account } = self;
        let Some((home, permit)) = turn else { return Some(Self { away, turn, of_account }) };
        // The request whose turn begins when this one ends finds the connection.
        let left = home.pass(away)?;
        Some(Self { away: left, turn: Some((home, permit)), of_account })
    }

    /// Returns a connection outside a transaction on which a statement may still be running: its rows are not needed,
    /// but the turn ends only with the statement.
    pub(crate) fn abandon(self) {
        let Self { mut away, turn, of_account } = self;
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            // The pool detects a broken connection itself.
            let _ = away.conn.ping().await;
            drop(away);
            drop((turn, of_account));
        });
    }

    /// Closes a connection whose state is unknown.
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

fn err_busy() -> Fault {
    Fault::unavailable("All database connections for requests of this kind are in use. Try again.")
}

#[cfg(test)]
mod tests {
    use sqlx::postgres::PgPoolOptions;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn lane_without_free_connection_is_not_a_lost_database() {
        let lane = PoolLane::of_reads(PgPoolOptions::new().max_connections(2).connect_lazy("postgres://h/d").unwrap());
        let _running = Arc::clone(&lane.inner.turns).acquire_owned().await.unwrap();
        assert!(lane.take().await.err().unwrap().detail().contains("are in use"));
    }

    #[tokio::test(start_paused = true)]
    async fn entrance_has_a_connection_when_all_others_are_taken() {
        let pool = PgPoolOptions::new().max_connections(5).connect_lazy("postgres://h/d").unwrap();
        let (entrance, others) = PoolLane::of_transactions(pool).with_entrance();
        let _taken = (others.turn().await.unwrap(), others.turn().await.unwrap());
        assert!(timeout(PATIENCE, others.turn()).await.is_err());
        let _entered = entrance.turn().await.unwrap();
        assert!(timeout(PATIENCE, entrance.turn()).await.is_err());
    }
}
