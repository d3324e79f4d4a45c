//! What is known of how fresh read replicas are, several times a second.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{ReadReplicas, Replica, ReplicaState, WalPlace};

/// How often leader and replicas are asked.
const BEAT: Duration = Duration::from_millis(200);
/// How long an answer is waited for before the connection is given up.
const SILENCE: Duration = Duration::from_millis(500);

/// How long it is known how far the log had come: so far the delay of a replica that is behind can be told.
const KEPT: Duration = Duration::from_secs(600);

/// How far the leader's log has come. Whatever was committed before this was asked stands before that place.
const WRITTEN: &str = "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint";
/// How far a replica has replayed the log. One that was made a leader has no place.
const REPLAYED: &str =
    "select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint end";

/// How far the leader's log had come at some moments, the latest last.
#[derive(Default)]
struct Written(Mutex<VecDeque<(Instant, WalPlace)>>);

impl Written {
    fn note(&self, at: Instant, place: WalPlace) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One that comes before what was there is of another leader.
        let is_other = known.back().is_some_and(|(_, last)| *last > place);
        known.retain(|(at, _)| !is_other && at.elapsed() < KEPT);
        known.push_back((at, place));
    }

    /// The last moment of which whoever replayed the log up to this place shows everything.
    fn moment_of(&self, replayed: WalPlace) -> Option<Instant> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().rev().find(|(_, place)| *place <= replayed).map(|(at, _)| *at)
    }
}

/// A connection to ask over, made anew after each failure.
struct Probe {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
}

impl Probe {
    fn new(options: PgConnectOptions) -> Self {
        Self { options, connection: None }
    }

    /// A place that this statement answers.
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
    /// Asks the leader and each replica until told to stop.
    pub(crate) fn watch(self: &Arc<Self>, stop: &CancellationToken) {
        let written = Arc::new(Written::default());
        tokio::spawn({
            let (options, written, stop) = (self.leader.clone(), Arc::clone(&written), stop.clone());
            async move { stop.run_until_cancelled(watch_leader(options, &written)).await }
        });
        for place in 0..self.replicas.len() {
            let (replicas, written, stop) = (Arc::clone(self), Arc::clone(&written), stop.clone());
            tokio::spawn(async move {
                if let Some(replica) = replicas.replicas.get(place) {
                    stop.run_until_cancelled(watch_replica(replica, &written)).await;
                }
            });
        }
    }
}

async fn watch_leader(options: PgConnectOptions, written: &Written) {
    let mut probe = Probe::new(options);
    loop {
        let asked_at = Instant::now();
        // While it does not answer, what replicas show grows old.
        if let Ok(Some(place)) = probe.ask(WRITTEN).await {
            written.note(asked_at, place);
        }
        tokio::time::sleep(BEAT).await;
    }
}

async fn watch_replica(replica: &Replica, written: &Written) {
    let (mut probe, mut told) = (Probe::new(replica.options.clone()), None);
    loop {
        tokio::time::sleep(BEAT).await;
        let heard = probe.ask(REPLAYED).await;
        let replayed = heard.as_ref().ok().copied().flatten();
        *replica.state() = ReplicaState { replayed, fresh_at: replayed.and_then(|place| written.moment_of(place)) };
        let is_fresh = replica.is_fresh();
        if told.replace(is_fresh) != Some(is_fresh) {
            tell(replica, is_fresh, &heard);
        }
    }
}

/// Tells an operator that a replica is asked from now on, or is not, and why.
fn tell(replica: &Replica, is_fresh: bool, heard: &Result<Option<WalPlace>, sqlx::Error>) {
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
    fn a_replica_shows_the_last_moment_whose_log_it_has_replayed() {
        let (written, now) = (Written::default(), Instant::now());
        let moments = [now, now + BEAT, now + BEAT * 2];
        for (at, place) in moments.into_iter().zip([10, 20, 20]) {
            written.note(at, WalPlace::of(place));
        }
        assert_eq!(written.moment_of(WalPlace::of(9)), None);
        assert_eq!(written.moment_of(WalPlace::of(19)), Some(moments[0]));
        assert_eq!(written.moment_of(WalPlace::of(20)), Some(moments[2]));
    }

    #[test]
    fn what_another_leader_had_written_counts_no_more() {
        let (written, now) = (Written::default(), Instant::now());
        written.note(now, WalPlace::of(30));
        written.note(now + BEAT, WalPlace::of(25));
        assert_eq!(written.moment_of(WalPlace::of(40)), Some(now + BEAT));
        assert_eq!(written.moment_of(WalPlace::of(24)), None);
    }
}
