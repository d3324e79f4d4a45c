//! Freshness of the read replicas, measured several times a second.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{OLDEST, ReadReplicas, Replica, ReplicaState, WalPlace};

/// Interval between two queries of the primary and the replicas.
const BEAT: Duration = Duration::from_millis(200);
/// Shortest interval between two queries of the primary.
const SHORTEST: Duration = Duration::from_millis(5);
/// Time to wait for an answer before the connection is abandoned.
const SILENCE: Duration = Duration::from_millis(500);

/// Time for which WAL positions are remembered; it limits the delay that can be measured for a slow replica.
const KEPT: Duration = Duration::from_secs(600);

/// WAL position of the primary. Everything committed before this query is before that position.
const WRITTEN: &str = "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint";
/// Replay position of a replica. A replica that was promoted to primary has none.
const REPLAYED: &str =
    "select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint end";

/// WAL positions of the primary at several moments.
#[derive(Default)]
pub(super) struct WalHistory {
    known: Mutex<KnownPlaces>,
    has_changed: Notify,
}

/// Positions, each with a moment before its query, newest last.
#[derive(Default)]
struct KnownPlaces {
    /// One for each beat.
    old: VecDeque<(Instant, WalPlace)>,
    /// All of the last second: also those that a reader needed between two beats.
    recent: VecDeque<(Instant, WalPlace)>,
}

impl WalHistory {
    fn known(&self) -> MutexGuard<'_, KnownPlaces> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, at: Instant, place: WalPlace) {
        self.known().note(at, place);
        self.has_changed.notify_waiters();
    }

    /// Returns the last moment up to which a replica with this replay position shows everything.
    fn moment_of(&self, replayed: WalPlace) -> Option<Instant> {
        let known = self.known();
        let newest_first = known.recent.iter().rev().chain(known.old.iter().rev());
        newest_first.into_iter().find(|(_, place)| *place <= replayed).map(|(at, _)| *at)
    }

    /// Returns a position that a replica must have replayed to show everything that was committed before this moment;
    /// `None` if no position was queried since.
    fn place_after(&self, moment: Instant) -> Option<WalPlace> {
        self.known().recent.iter().find(|(at, _)| *at >= moment).map(|(_, place)| *place)
    }

    /// Waits until a position was queried since this moment, and returns it: see [`Self::place_after`].
    pub(super) async fn place_known_after(&self, moment: Instant) -> WalPlace {
        loop {
            // Registered before the look, so that no change is missed.
            let change = self.has_changed.notified();
            let mut change = pin!(change);
            change.as_mut().enable();
            if let Some(place) = self.place_after(moment) {
                return place;
            }
            change.await;
        }
    }
}

impl KnownPlaces {
    fn note(&mut self, at: Instant, place: WalPlace) {
        // A position before the last one belongs to another primary.
        let is_other = self.recent.back().or(self.old.back()).is_some_and(|(_, last)| *last > place);
        self.recent.retain(|(at, _)| !is_other && at.elapsed() < OLDEST);
        self.recent.push_back((at, place));
        if is_other || self.old.back().is_none_or(|(last, _)| at.duration_since(*last) >= BEAT) {
            self.old.retain(|(at, _)| !is_other && at.elapsed() < KEPT);
            self.old.push_back((at, place));
        }
    }
}

/// Connection for the queries, reopened after each failure.
struct Probe {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
}

impl Probe {
    fn new(options: PgConnectOptions) -> Self {
        Self { options, connection: None }
    }

    /// Returns the WAL position that this statement reads.
    async fn ask(&mut self, statement: &'static str) -> Result<Option<WalPlace>, sqlx::Error> {
        let asked = async {
            let mut connection = match self.connection.take() {
                Some(connection) => connection,
                None => PgConnection::connect_with(&self.options).await?,
            };
            let row: PgRow = sqlx::raw_sql(statement).fetch_one(&mut connection).await?;
            let number: Option<i64> = row.try_get(0)?;
            self.connection = Some(connection);
            Ok(number.map(WalPlace::of))
        };
        timeout(SILENCE, asked).await.map_err(|_| sqlx::Error::PoolTimedOut)?
    }
}

impl ReadReplicas {
    /// Queries the primary and each replica until stopped.
    pub fn watch(self: &Arc<Self>, stop: &CancellationToken) {
        tokio::spawn({
            let (replicas, stop) = (Arc::clone(self), stop.clone());
            async move { stop.run_until_cancelled(watch_leader(&replicas)).await }
        });
        for place in 0..self.replicas.len() {
            let (replicas, stop) = (Arc::clone(self), stop.clone());
            tokio::spawn(async move {
                if let Some(replica) = replicas.replicas.get(place) {
                    stop.run_until_cancelled(watch_replica(replica, &replicas.written)).await;
                }
            });
        }
    }
}

/// Queries the primary at each beat, and between two beats when a reader needs its position.
async fn watch_leader(replicas: &ReadReplicas) {
    let mut probe = Probe::new(replicas.leader.clone());
    loop {
        let asked_at = Instant::now();
        // Without an answer, the replicas' data counts as older and older.
        if let Ok(Some(place)) = probe.ask(WRITTEN).await {
            replicas.written.note(asked_at, place);
        }
        tokio::time::sleep(SHORTEST).await;
        // Either ends the pause.
        let _ = timeout(BEAT - SHORTEST, replicas.needs_place.notified()).await;
    }
}

async fn watch_replica(replica: &Replica, written: &WalHistory) {
    let (mut probe, mut told) = (Probe::new(replica.options.clone()), None);
    loop {
        tokio::time::sleep(BEAT).await;
        let heard = probe.ask(REPLAYED).await;
        let replayed = heard.as_ref().ok().copied().flatten();
        *replica.state() = ReplicaState { replayed, fresh_at: replayed.and_then(|place| written.moment_of(place)) };
        let is_fresh = replica.is_fresh();
        if told.replace(is_fresh) != Some(is_fresh) {
            log_freshness(replica, is_fresh, &heard);
        }
    }
}

/// Logs for the operator that a replica is used again or no longer used, and the reason.
fn log_freshness(replica: &Replica, is_fresh: bool, heard: &Result<Option<WalPlace>, sqlx::Error>) {
    let replica = replica.name.as_str();
    match heard {
        _ if is_fresh => tracing::info!(replica, "a read replica is up to date and answers public reads"),
        Ok(Some(_)) => {
            tracing::warn!(replica, "a read replica is more than one second behind; the primary is used instead");
        }
        Ok(None) => tracing::warn!(replica, "a read replica has become a primary; it is not used"),
        Err(error) => tracing::warn!(replica, %error, "a read replica does not answer; the primary is used instead"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_replica_moment_is_last_replayed_position() {
        let (written, now) = (WalHistory::default(), Instant::now());
        let moments = [now, now + BEAT, now + BEAT * 2];
        for (at, place) in moments.into_iter().zip([10, 20, 20]) {
            written.note(at, WalPlace::of(place));
        }
        assert_eq!(written.moment_of(WalPlace::of(9)), None);
        assert_eq!(written.moment_of(WalPlace::of(19)), Some(moments[0]));
        assert_eq!(written.moment_of(WalPlace::of(20)), Some(moments[2]));
    }

    #[test]
    fn place_after_a_moment_was_queried_since() {
        let (written, now) = (WalHistory::default(), Instant::now());
        let gap = Duration::from_millis(10);
        for (number, place) in (0..4).zip([10, 20, 30, 40]) {
            written.note(now + gap * number, WalPlace::of(place));
        }
        assert_eq!(written.place_after(now + gap), Some(WalPlace::of(20)));
        assert_eq!(written.place_after(now + gap + Duration::from_millis(1)), Some(WalPlace::of(30)));
        assert_eq!(written.place_after(now + gap * 4), None);
        // Between two beats, too.
        assert_eq!(written.moment_of(WalPlace::of(35)), Some(now + gap * 2));
    }

    #[tokio::test]
    async fn reader_waits_for_next_position() {
        let (written, now) = (WalHistory::default(), Instant::now());
        written.note(now, WalPlace::of(10));
        let asked = written.place_known_after(now + BEAT);
        let answered = async { written.note(now + BEAT, WalPlace::of(20)) };
        assert_eq!(tokio::join!(asked, answered).0, WalPlace::of(20));
    }

    #[test]
    fn positions_of_former_primary_are_discarded() {
        let (written, now) = (WalHistory::default(), Instant::now());
        written.note(now, WalPlace::of(30));
        written.note(now + BEAT, WalPlace::of(25));
        assert_eq!(written.moment_of(WalPlace::of(40)), Some(now + BEAT));
        assert_eq!(written.moment_of(WalPlace::of(24)), None);
    }
}
