//! Connections that go from one request to the next.
//!
//! The pool tests every connection that comes back to it: a round trip and a wake-up of the server, which cost as much
//! as a small statement. The connection of a request that was answered is known to be sound, so where another waits, it
//! goes on as it is, to whoever has waited longest. Every other one goes back to the pool and is tested there.
//!
//! Requests that read and requests in a transaction have turns of their own, fewer than the pool has connections, so that
//! neither takes all of them. Reads have the fewer: statements that only compute contend for the same cores, and each is
//! done sooner when fewer are under way (measured: ARCHITECTURE.md, Speed).

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, PgConnection, PgPool, Postgres};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::fault::Fault;

/// The longest wait for a connection.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// How long a connection goes from request to request before it goes through the pool again, where whoever waits for one
/// is next: too short for requests of one sort to keep anybody else waiting, and long enough that most are spared the test.
const LONGEST_AWAY: Duration = Duration::from_millis(100);

/// The connections of requests of one sort. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Handoff(Arc<Inner>);

struct Inner {
    pool: PgPool,
    turns: Arc<Semaphore>,
    line: Mutex<Line>,
}

/// Who waits, and what was passed on to them. There are never more connections than waiting requests.
#[derive(Default)]
struct Line {
    waiting: usize,
    passed: Vec<Passed>,
}

/// A connection, and since when it has been away from the pool.
type Passed = (PoolConnection<Postgres>, Instant);

impl Handoff {
    /// For requests that only read: half of a pool's connections.
    pub(crate) fn of_reads(pool: PgPool) -> Self {
        let most = pool.options().get_max_connections() / 2;
        Self::new(pool, most)
    }

    /// For requests in a transaction, which wait for locks and for the disk: all but two, one of which the feed of changes
    /// has for itself.
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
    /// [`crate::fault::Code::Unavailable`] when the database is away or no connection is free in time.
    pub(crate) async fn take(&self) -> Result<Lent, Fault> {
        let taken = async {
            let place = Place::new(&self.0);
            let turn = Arc::clone(&self.0.turns).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
            let (conn, since) = match place.leave() {
                Some(passed) => passed,
                None => (self.0.pool.acquire().await?, Instant::now()),
            };
            Ok(Lent { conn, since, turn: Some((self.clone(), turn)) })
        };
        timeout(PATIENCE, taken).await.map_err(|_| sqlx::Error::PoolTimedOut)?
    }
}

impl Inner {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a connection on. It comes back when nobody waits for it.
    fn pass(&self, passed: Passed) -> Option<Passed> {
        let mut line = self.line();
        if line.passed.len() >= line.waiting {
            return Some(passed);
        }
        line.passed.push(passed);
        None
    }
}

/// A place among those who wait. Whoever goes away leaves to the pool what only they had been waiting for.
struct Place<'a>(&'a Inner);

impl<'a> Place<'a> {
    fn new(inner: &'a Inner) -> Self {
        inner.line().waiting += 1;
        Self(inner)
    }

    /// What was passed on, now that it is one's turn.
    fn leave(self) -> Option<Passed> {
        self.0.line().passed.pop()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        line.waiting -= 1;
        let surplus = if line.passed.len() > line.waiting { line.passed.pop() } else { None };
        drop(line);
        drop(surplus);
    }
}

/// A connection on loan. Dropped, it goes back to the pool, which tests it.
pub(crate) struct Lent {
    conn: PoolConnection<Postgres>,
    since: Instant,
    turn: Option<(Handoff, OwnedSemaphorePermit)>,
}

impl Lent {
    /// A connection of the pool's own, which is not passed on.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] when the database is away or every connection is taken.
    pub(crate) async fn of(pool: &PgPool) -> Result<Self, Fault> {
        Ok(Self { conn: pool.acquire().await?, since: Instant::now(), turn: None })
    }

    /// Gives back a connection that is known to be sound and in no transaction.
    pub(crate) fn pass_on(self) {
        let Self { conn, since, turn } = self;
        let Some((home, turn)) = turn else { return };
        let left = if since.elapsed() < LONGEST_AWAY { home.0.pass((conn, since)) } else { Some((conn, since)) };
        drop(left);
        drop(turn);
    }

    /// Gives back a connection outside a transaction on which a statement may still be under way: nobody waits for its
    /// rows, but the turn ends only with it.
    pub(crate) fn abandon(self) {
        let Self { mut conn, turn, .. } = self;
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            // One that is broken, the pool finds out for itself.
            let _ = conn.ping().await;
            drop(conn);
            drop(turn);
        });
    }

    /// Gives up a connection whose state is not known.
    pub(crate) fn give_up(mut self) {
        self.conn.close_on_drop();
    }
}

impl Deref for Lent {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.conn
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.conn
    }
}
