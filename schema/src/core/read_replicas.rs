//! Read replicas of the database, and which of them are fresh enough to be asked.
//!
//! The leader is asked several times a second how far its write-ahead log has come, each replica how far it has replayed it. A
//! replica that has replayed what the leader had written at a moment shows everything that was committed before that
//! moment, and so is as fresh as it, by this process's own clock. Where the leader does not answer, nothing is
//! known of any replica, and none is asked.
//!
//! A reader who was shown something by a replica is shown nothing older later on: the cursors of its lists say how far the log had
//! come then, and one that came from the leader leads back there. Conditional requests are asked again of the leader, unless the
//! replica's answer is the one that the caller has (docs/decisions.md#database).

mod watch;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{PgConnection, PgPool};
use tokio::time::timeout;

use crate::core::db::Freshness;
use crate::core::fault::Fault;
use crate::core::pool_lane::{LentConnection, PoolLane};

/// How old what a replica shows may be.
const OLDEST: Duration = Duration::from_secs(1);
/// How long a connection to a replica is waited for before the leader is asked.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far the log has come of which a replica may have shown something: all that it has received.
const RECEIVED: &str = "select (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn)::bigint";
/// How far the log has come of which a replica shows everything.
const REPLAYED: &str = "select (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint";

/// A place in the write-ahead log: a log sequence number (LSN).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WalPlace(i64);

impl WalPlace {
    /// The place of this number.
    pub(crate) fn of(number: i64) -> Self {
        Self(number)
    }

    /// Its number.
    pub(crate) fn number(self) -> i64 {
        self.0
    }

    /// How far the log has come, at most, of which this replica has shown something so far.
    ///
    /// # Errors
    /// When it is away, or no replica any more.
    pub(crate) async fn received(replica: &mut PgConnection) -> Result<Self, Fault> {
        Self::read(RECEIVED, replica).await
    }

    async fn read(statement: &'static str, replica: &mut PgConnection) -> Result<Self, Fault> {
        let number: Option<i64> = sqlx::query_scalar(statement).fetch_one(replica).await?;
        number.map(Self).ok_or_else(|| Fault::unavailable("The service is busy. Try again."))
    }
}

/// The read replicas of the database.
pub struct ReadReplicas {
    /// How the leader is reached.
    leader: PgConnectOptions,
    replicas: Vec<Replica>,
    /// Whose turn it is.
    turn: AtomicUsize,
    counts: Counts,
}

/// What was asked of replicas since the start, as it is counted.
#[derive(Default)]
struct Counts {
    answered: AtomicU64,
    passed_on: AtomicU64,
    failed: AtomicU64,
}

/// One of them.
struct Replica {
    /// As a log names it.
    name: String,
    options: PgConnectOptions,
    lane: PoolLane,
    state: Mutex<ReplicaState>,
}

/// What is known of a replica.
#[derive(Clone, Copy, Default)]
struct ReplicaState {
    /// How far it has replayed the log, or further.
    replayed: Option<WalPlace>,
    /// The moment of which it shows everything.
    fresh_at: Option<Instant>,
}

/// What was asked of replicas since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCounts {
    /// How often a connection to a replica was taken for a request.
    pub answered: u64,
    /// How often the leader was asked at once, because no replica was fresh enough.
    pub passed_on: u64,
    /// How often the leader was asked again what a replica had failed to answer.
    pub failed: u64,
}

impl ReadReplicas {
    /// Those of this leader, by name and connections. None is asked before it is watched.
    pub(crate) fn new(leader: PgConnectOptions, pools: Vec<(String, PgConnectOptions, PgPool)>) -> Self {
        let replica = |(name, options, pool)| {
            let lane = PoolLane::of_reads(pool);
            Replica { name, options, lane, state: Mutex::default() }
        };
        Self {
            leader,
            replicas: pools.into_iter().map(replica).collect(),
            turn: AtomicUsize::new(0),
            counts: Counts::default(),
        }
    }

    /// How old what each of them shows is at most; none where that is not known.
    #[must_use]
    pub fn delays(&self) -> Vec<Option<Duration>> {
        self.replicas.iter().map(|replica| replica.state().fresh_at.map(|fresh| fresh.elapsed())).collect()
    }

    /// What was asked of them.
    #[must_use]
    pub fn counts(&self) -> ReadCounts {
        let Counts { answered, passed_on, failed } = &self.counts;
        let [answered, passed_on, failed] = [answered, passed_on, failed].map(|count| count.load(Ordering::Relaxed));
        ReadCounts { answered, passed_on, failed }
    }

    /// A replica failed to answer, and the leader is asked.
    pub(crate) fn note_failure(&self) {
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection to a replica that is fresh enough; none where the leader must be asked.
    pub(crate) async fn take(&self, demanded: Freshness) -> Option<LentConnection> {
        let since = match demanded {
            Freshness::Present => return None,
            Freshness::Recent => None,
            Freshness::Since(place) => Some(place),
        };
        let first = self.turn.fetch_add(1, Ordering::Relaxed) % self.replicas.len().max(1);
        for replica in self.replicas.iter().cycle().skip(first).take(self.replicas.len()) {
            if let Some(lent) = replica.take(since).await {
                self.counts.answered.fetch_add(1, Ordering::Relaxed);
                return Some(lent);
            }
        }
        self.counts.passed_on.fetch_add(1, Ordering::Relaxed);
        None
    }
}

impl Replica {
    fn state(&self) -> MutexGuard<'_, ReplicaState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_fresh(&self) -> bool {
        self.state().fresh_at.is_some_and(|fresh| fresh.elapsed() < OLDEST)
    }

    /// It is not asked until it was heard again.
    fn forget(&self) {
        self.state().fresh_at = None;
    }

    /// It has replayed the log so far.
    fn note(&self, place: WalPlace) {
        let mut state = self.state();
        state.replayed = state.replayed.max(Some(place));
    }

    /// A connection, where it is fresh, and has replayed the log up to this place.
    async fn take(&self, since: Option<WalPlace>) -> Option<LentConnection> {
        if !self.is_fresh() {
            return None;
        }
        let Ok(Ok(mut lent)) = timeout(PATIENCE, self.lane.take()).await else {
            self.forget();
            return None;
        };
        if let Some(since) = since.filter(|since| self.state().replayed < Some(*since)) {
            let Ok(Ok(place)) = timeout(PATIENCE, WalPlace::read(REPLAYED, &mut lent)).await else {
                self.forget();
                lent.give_up();
                return None;
            };
            self.note(place);
            if place < since {
                lent.pass_on();
                return None;
            }
        }
        // It may have been waited for.
        if self.is_fresh() {
            return Some(lent);
        }
        lent.pass_on();
        None
    }
}
