//! Clients that do not wait for earlier responses, and the outcomes of their requests.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, timeout};

use crate::load::{CONNECTIONS, Connection, Make};
use crate::mixed::Kind;

/// Time within which a success counts.
const IN_TIME: Duration = Duration::from_secs(1);
/// Time after which a client gives a request up.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Number of times that a client repeats a rejected request, after the pause that `Retry-After` demands at least.
const REPEATS: usize = 2;
const PAUSE: Duration = Duration::from_secs(1);
/// Connections of all clients, and the networks that they come from. The service has a limit for each network.
const OPEN: usize = 2_000;
const NETWORKS: usize = 12;
/// Goodput from which on the service counts as recovered, as a share of the offered load.
const RECOVERED: f64 = 0.95;

/// Connections of the clients to the service.
pub(super) struct Clients {
    pub(super) labs: Mutex<SocketAddr>,
    idle: Mutex<Vec<Connection>>,
    open: Semaphore,
    opened: AtomicUsize,
}

/// Outcomes of the requests of a phase.
pub(super) struct Tally {
    begun: Instant,
    /// Successes in time, by second.
    good: Mutex<Vec<f64>>,
    /// Latencies of successes in microseconds.
    pub(super) latencies: Mutex<Vec<u32>>,
    pub(super) rejected: AtomicUsize,
    pub(super) unsent: AtomicUsize,
    /// Other outcomes and their numbers.
    pub(super) others: Mutex<BTreeMap<String, usize>>,
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tally {
    pub(super) fn begin() -> Arc<Self> {
        Arc::new(Self {
            begun: Instant::now(),
            good: Mutex::default(),
            latencies: Mutex::default(),
            rejected: AtomicUsize::new(0),
            unsent: AtomicUsize::new(0),
            others: Mutex::default(),
        })
    }

    pub(super) fn succeed(&self, took: Duration) {
        locked(&self.latencies).push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        if took <= IN_TIME {
            let (second, mut good) = (self.begun.elapsed().as_secs() as usize, locked(&self.good));
            if good.len() <= second {
                good.resize(second + 1, 0.0);
            }
            if let Some(number) = good.get_mut(second) {
                *number += 1.0;
            }
        }
    }

    pub(super) fn note(&self, outcome: String) {
        *locked(&self.others).entry(outcome.chars().take(120).collect()).or_default() += 1;
    }

    /// Returns the goodput per second of a phase of this length.
    pub(super) fn goodput(&self, length: Duration) -> f64 {
        locked(&self.good).iter().sum::<f64>() / length.as_secs_f64()
    }

    /// Returns the second from which on the goodput reaches this rate; `None` if it does not.
    pub(super) fn recovered_after(&self, rate: f64, length: Duration) -> Option<usize> {
        let good = locked(&self.good);
        let seconds = length.as_secs() as usize;
        let late = (0..seconds).rev().find(|second| good.get(*second).copied().unwrap_or(0.0) < rate * RECOVERED);
        let after = late.map_or(0, |second| second + 1);
        (after < seconds).then_some(after)
    }
}

impl Clients {
    pub(super) fn of(labs: SocketAddr) -> Arc<Self> {
        let (labs, open) = (Mutex::new(labs), Semaphore::new(OPEN));
        Arc::new(Self { labs, idle: Mutex::default(), open, opened: AtomicUsize::new(0) })
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = locked(&self.idle);
        while let Some(connection) = idle.pop() {
            if !connection.is_closed() {
                return Some(connection);
            }
        }
        None
    }

    async fn ask(&self, make: &Make) -> anyhow::Result<u16> {
        let mut connection = match self.take_idle() {
            Some(connection) => connection,
            None => {
                let number = self.opened.fetch_add(1, Ordering::Relaxed);
                let network = IpAddr::V4(Ipv4Addr::new(127, 0, 1, 1 + (number % NETWORKS) as u8));
                let labs = *locked(&self.labs);
                Connection::open_from(network, labs, number % CONNECTIONS).await?
            }
        };
        let (answer, _) = connection.ask(make).await?;
        locked(&self.idle).push(connection);
        Ok(answer.status)
    }

    /// Sends a request and repeats it if it is rejected.
    pub(super) async fn send(&self, kind: &Kind, due: Instant, tally: &Tally) {
        let mut begun = due;
        for _ in 0..=REPEATS {
            let Ok(_place) = self.open.try_acquire() else {
                tally.unsent.fetch_add(1, Ordering::Relaxed);
                return;
            };
            match timeout(PATIENCE, self.ask(&kind.make)).await {
                Ok(Ok(status)) if status < 300 => return tally.succeed(begun.elapsed()),
                Ok(Ok(503 | 429)) => {
                    tally.rejected.fetch_add(1, Ordering::Relaxed);
                }
                Ok(Ok(status)) => return tally.note(format!("{status}: {}", kind.name)),
                Ok(Err(error)) => tally.note(format!("{error:#}")),
                Err(_) => tally.note("no response within five seconds".to_owned()),
            }
            drop(_place);
            tokio::time::sleep(PAUSE).await;
            begun = Instant::now();
        }
    }

    /// Offers requests of the deck at this rate. Returns when the last one has an outcome.
    pub(super) async fn offer(self: &Arc<Self>, deck: &[Arc<Kind>], rate: f64, length: Duration) -> Arc<Tally> {
        let (tally, mut waiting) = (Tally::begin(), JoinSet::new());
        let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        for kind in deck.iter().cycle() {
            let due = ticks.tick().await.into_std();
            if tally.begun.elapsed() > length {
                break;
            }
            while waiting.try_join_next().is_some() {}
            let (clients, kind, tally) = (Arc::clone(self), Arc::clone(kind), Arc::clone(&tally));
            waiting.spawn(async move { clients.send(&kind, due, &tally).await });
        }
        // The clients of this phase stop repeating.
        waiting.shutdown().await;
        tally
    }

    /// Returns the goodput of as many clients as make it best: each sends its next request after the response.
    pub(super) async fn find_best(self: &Arc<Self>, deck: &[Arc<Kind>], length: Duration) -> f64 {
        let (tally, mut clients) = (Tally::begin(), JoinSet::new());
        for number in 0..CONNECTIONS {
            let (clients_of, tally, deck) = (Arc::clone(self), Arc::clone(&tally), deck.to_vec());
            clients.spawn(async move {
                let from = number * deck.len() / CONNECTIONS;
                for kind in deck.iter().cycle().skip(from) {
                    if tally.begun.elapsed() > length {
                        return;
                    }
                    clients_of.send(kind, Instant::now(), &tally).await;
                }
            });
        }
        clients.join_all().await;
        tally.goodput(length)
    }
}
