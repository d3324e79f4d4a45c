//! Read replicas of the database, and their freshness.
//!
//! The service queries the WAL position of the primary and the replay position of each replica several times a second.
//! A replica that has replayed the primary's position of a moment shows everything that was committed before that
//! moment. Its freshness is therefore known by this process's own clock. If the primary does not answer, the freshness
//! of the replicas is unknown, and none is used.
//!
//! A reader never sees older data than before (docs/decisions/database.md#reads-never-go-back-in-time): this process
//! records when the primary last answered each reader (`seen.rs`). For readers of several processes, list cursors
//! contain the WAL position of that time, a cursor from the primary is read from the primary, and conditional requests
//! are repeated on the primary, unless the replica's answer equals the caller's copy.

mod seen;
mod watch;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{PgConnection, PgPool};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use self::seen::{ChosenReplica, SeenMoments};
use self::watch::WalHistory;
use crate::account_turns::{AccountTurns, TurnTaker};
use crate::context::Caller;
use crate::db::Freshness;
use crate::fault::Fault;
use crate::pool_lane::{LentConnection, PoolLane};

/// Maximum age of a replica's data.
const OLDEST: Duration = Duration::from_secs(1);
/// Time to wait for a connection to a replica before the primary is used.
const PATIENCE: Duration = Duration::from_millis(500);

/// Time to wait for the primary's WAL position before the primary itself is used.
const LONGEST_PROBE: Duration = Duration::from_millis(100);

/// Time to wait until a replica has replayed what its reader has seen, and the time between two checks.
const LONGEST_LAG: Duration = Duration::from_millis(50);
const LAG_CHECK: Duration = Duration::from_millis(5);

/// Upper bound of the WAL that a replica can have shown: everything that it has received.
const RECEIVED: &str = "select (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn)::bigint";
/// WAL position up to which a replica shows everything.
const REPLAYED: &str = "select (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint";

/// Position in the write-ahead log: a log sequence number (LSN).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WalPlace(i64);

impl WalPlace {
    /// Creates the position with this number.
    pub fn of(number: i64) -> Self {
        Self(number)
    }

    /// Returns its number.
    pub fn number(self) -> i64 {
        self.0
    }

    /// Loads the upper bound of the WAL that this replica has shown so far.
    ///
    /// # Errors
    /// If it does not answer, or is not a replica any more.
    pub(crate) async fn received_until(replica: &mut PgConnection) -> Result<Self, Fault> {
        Self::read(RECEIVED, replica).await
    }

    async fn read(statement: &'static str, replica: &mut PgConnection) -> Result<Self, Fault> {
        let number: Option<i64> = sqlx::query_scalar(statement).fetch_one(replica).await?;
        number.map(Self).ok_or_else(|| Fault::unavailable("The service is busy. Try again."))
    }
}

/// Read replicas of the database.
pub struct ReadReplicas {
    /// Connection options of the primary.
    leader: PgConnectOptions,
    replicas: Vec<Replica>,
    chosen: ChosenReplica,
    seen: SeenMoments,
    /// Positions of the primary.
    written: WalHistory,
    /// Wakes the task that queries the position of the primary.
    needs_place: Notify,
    counts: Counts,
}

/// Freshness that a reader needs, as of the start of its request.
#[derive(Clone, Copy, Debug)]
pub struct SeenBefore {
    /// Moment that a replica must show; `None` if the chosen replica shows it already.
    moment: Option<Instant>,
    departures: u64,
}

impl SeenBefore {
    /// Whether the reader needs no more than any other reader.
    #[must_use]
    pub fn is_in_every_read(&self) -> bool {
        self.moment.is_none()
    }
}

/// Atomic counters of the use of replicas since startup.
#[derive(Default)]
struct Counts {
    answered: AtomicU64,
    passed_on: AtomicU64,
    failed: AtomicU64,
}

/// One read replica.
struct Replica {
    /// Name for the log.
    name: String,
    options: PgConnectOptions,
    lane: PoolLane,
    turns: Arc<AccountTurns>,
    state: Mutex<ReplicaState>,
}

/// Known state of a replica.
#[derive(Clone, Copy, Default)]
struct ReplicaState {
    /// WAL position that it has replayed, as a lower bound.
    replayed: Option<WalPlace>,
    /// Moment up to which it shows everything.
    fresh_at: Option<Instant>,
}

/// Use of replicas since startup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCounts {
    /// Number of connections to replicas taken for requests.
    pub answered: u64,
    /// Number of requests sent directly to the primary because no replica was fresh enough.
    pub passed_on: u64,
    /// Number of requests repeated on the primary after a replica failed.
    pub failed: u64,
}

impl ReadReplicas {
    /// Creates the replicas of this primary, from names and connections. None is used before it is watched.
    pub fn new(leader: PgConnectOptions, pools: Vec<(String, PgConnectOptions, PgPool)>) -> Self {
        let replica = |(name, options, pool): (String, PgConnectOptions, PgPool)| {
            let turns = AccountTurns::of_connections(pool.options().get_max_connections() / 2);
            let lane = PoolLane::of_reads(pool);
            Replica { name, options, lane, turns, state: Mutex::default() }
        };
        let replicas: Vec<Replica> = pools.into_iter().map(replica).collect();
        let first = u64::from_le_bytes(labs_crypto::random_bytes()) % (replicas.len() as u64).max(1);
        let chosen = ChosenReplica::new(usize::try_from(first).unwrap_or(0));
        let (seen, counts) = (SeenMoments::default(), Counts::default());
        Self { leader, replicas, chosen, seen, written: WalHistory::default(), needs_place: Notify::new(), counts }
    }

    /// Returns the maximum age of each replica's data; `None` if it is unknown.
    #[must_use]
    pub fn delays(&self) -> Vec<Option<Duration>> {
        self.replicas.iter().map(|replica| replica.state().fresh_at.map(|fresh| fresh.elapsed())).collect()
    }

    /// Returns the counts of their use.
    #[must_use]
    pub fn counts(&self) -> ReadCounts {
        let Counts { answered, passed_on, failed } = &self.counts;
        let [answered, passed_on, failed] = [answered, passed_on, failed].map(|count| count.load(Ordering::Relaxed));
        ReadCounts { answered, passed_on, failed }
    }

    /// Counts a replica's failure after which the primary is used.
    pub(crate) fn note_failure(&self) {
        self.chosen.depart();
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the freshness that a request of this caller needs if it begins now.
    #[must_use]
    pub fn seen_before(&self, caller: &Caller) -> SeenBefore {
        let choice = self.chosen.now();
        let is_shown = |moment: &Instant| self.replicas.get(choice.index).is_some_and(|replica| replica.shows(*moment));
        let moment = self.seen.of(caller).filter(|moment| !is_shown(moment));
        SeenBefore { moment, departures: choice.departures }
    }

    /// Records that a request of this caller was answered. `by_primary` is whether the primary answered a part of it.
    /// Without that, the answer of a shared statement is from another server if the choice has changed since.
    pub fn note_answer(&self, caller: &Caller, before: SeenBefore, by_primary: bool) {
        if by_primary || self.chosen.now().departures != before.departures {
            self.note_primary(caller);
        }
    }

    /// Records that the primary alone answered a request of this caller.
    pub fn note_primary(&self, caller: &Caller) {
        self.seen.note(caller);
        self.needs_place.notify_one();
    }

    /// Takes a connection to the chosen replica, if it is fresh enough for the reader; `None` if the primary must be
    /// used.
    pub async fn take(
        &self,
        demanded: Freshness,
        before: SeenBefore,
        account: Option<&TurnTaker>,
    ) -> Option<LentConnection> {
        let since = match demanded {
            Freshness::Present => return None,
            Freshness::Recent => None,
            Freshness::Since(place) => Some(place),
        };
        let choice = self.chosen.now();
        let replica = self.replicas.get(choice.index)?;
        let needed = match before.moment.max(choice.shows).filter(|moment| !replica.shows(*moment)) {
            // The replica is asked whether it has replayed this by now. Without the wait, each of a reader's concurrent
            // requests would use the primary because of an earlier one, and none would return to the replica.
            Some(moment) if replica.is_fresh() => {
                let known = timeout(LONGEST_PROBE, self.written.place_known_after(moment)).await;
                known.ok().map(|place| since.max(Some(place)))
            }
            Some(_) => None,
            None => Some(since),
        };
        if let Some(since) = needed
            && let Some(lent) = replica.take(since, account).await
        {
            self.counts.answered.fetch_add(1, Ordering::Relaxed);
            return Some(lent);
        }
        if !replica.is_fresh() {
            let count = self.replicas.len();
            let mut others = (1..count).map(|step| (choice.index + step) % count);
            let is_fresh = |other: &usize| self.replicas.get(*other).is_some_and(Replica::is_fresh);
            if let Some(other) = others.find(is_fresh) {
                self.chosen.change(choice.index, other);
            }
        }
        // A reader that needs more than others does not share its statements with them.
        if before.is_in_every_read() {
            self.chosen.depart();
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

    /// Whether it shows everything that was committed before this moment.
    fn shows(&self, moment: Instant) -> bool {
        moment.elapsed() >= OLDEST || self.state().fresh_at.is_some_and(|fresh| fresh >= moment)
    }

    /// Excludes the replica until it answers again.
    fn forget(&self) {
        self.state().fresh_at = None;
    }

    /// Records that the replica has replayed the WAL up to this position.
    fn note(&self, place: WalPlace) {
        let mut state = self.state();
        state.replayed = state.replayed.max(Some(place));
    }

    /// Waits a short time until the replica has replayed the WAL up to this position. Returns whether it has.
    ///
    /// # Errors
    /// If it does not answer.
    async fn has_replayed(&self, place: WalPlace, lent: &mut LentConnection) -> Result<bool, Fault> {
        let begun = Instant::now();
        loop {
            let replayed = WalPlace::read(REPLAYED, lent).await?;
            self.note(replayed);
            if replayed >= place || begun.elapsed() >= LONGEST_LAG {
                return Ok(replayed >= place);
            }
            sleep(LAG_CHECK).await;
        }
    }

    /// Takes a connection if the replica is fresh and has replayed the WAL up to this position.
    async fn take(&self, since: Option<WalPlace>, account: Option<&TurnTaker>) -> Option<LentConnection> {
        if !self.is_fresh() {
            return None;
        }
        // An account that waits for its own reads says nothing about the replica.
        let turn = match account {
            Some(account) => Some(account.wait(&self.turns, PATIENCE).await?),
            None => None,
        };
        let Ok(Ok(mut lent)) = timeout(PATIENCE, self.lane.take()).await else {
            self.forget();
            return None;
        };
        if let Some(since) = since.filter(|since| self.state().replayed < Some(*since)) {
            match timeout(PATIENCE, self.has_replayed(since, &mut lent)).await {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => {
                    lent.pass_on();
                    return None;
                }
                Ok(Err(_)) | Err(_) => {
                    self.forget();
                    lent.give_up();
                    return None;
                }
            }
        }
        // Checked again, because taking the connection may have taken time.
        if self.is_fresh() {
            return Some(lent.with_turn(turn));
        }
        lent.pass_on();
        None
    }
}
