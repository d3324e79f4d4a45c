//! `make soak -- overload`: more load than the service can answer, a database that stands still, and a restart.
//!
//! The load is open, as in [`mixed`](crate::mixed): clients do not wait for earlier responses, and repeat a rejected
//! request twice. A response counts only if it is a success within a second of the time at which its request was due.
//! The clients run on the same machine as the service and take a part of its processors, so goodput is also given for
//! each second of processor time that service and database used.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, timeout};

use crate::Cli;
use crate::board::{Reader, forget_limits};
use crate::cases::Tokens;
use crate::forms::Running;
use crate::ground::{self, PreparedData};
use crate::load::{self, CONNECTIONS, Connection, Make};
use crate::mixed::{self, Kind};
use crate::reads::stage::Stage;
use crate::report::line;

/// Offered load of the overload, as a multiple of the best goodput.
const OVERLOAD: f64 = 5.0;
/// Offered load that the service can answer, as a share of the best goodput.
const MODERATE: f64 = 0.5;
/// Default duration of the overload in minutes.
const MINUTES: u64 = 10;
/// Default number of short overloads.
const TRIALS: u32 = 20;
/// Duration of a phase of moderate load, and of a short overload.
const SHORT: Duration = Duration::from_secs(10);
/// Time for which the database stands still.
const STALL: Duration = Duration::from_secs(20);
/// Time within which a success counts.
const IN_TIME: Duration = Duration::from_secs(1);
/// Time after which a client gives a request up.
const PATIENCE: Duration = Duration::from_secs(5);
/// Number of times that a client repeats a rejected request, after the pause that `Retry-After` demands at least.
const REPEATS: usize = 2;
const PAUSE: Duration = Duration::from_secs(1);
/// Connections of all clients, and the networks that they come from. The service has a limit for each network.
const OPEN: usize = 2_000;
const NETWORKS: usize = 12;
/// Goodput from which on the service counts as recovered, as a share of the offered load.
const RECOVERED: f64 = 0.95;
/// Time between two probes of liveness, and between two sign-ins.
const HEALTH_EVERY: Duration = Duration::from_millis(50);
const SIGN_IN_EVERY: Duration = Duration::from_millis(300);

/// Connections of the clients to the service.
struct Clients {
    labs: Mutex<SocketAddr>,
    idle: Mutex<Vec<Connection>>,
    open: Semaphore,
    opened: AtomicUsize,
}

/// Outcomes of the requests of a phase.
struct Tally {
    begun: Instant,
    /// Successes in time, by second.
    good: Mutex<Vec<f64>>,
    /// Latencies of successes in microseconds.
    latencies: Mutex<Vec<u32>>,
    rejected: AtomicUsize,
    unsent: AtomicUsize,
    /// Other outcomes and their numbers.
    others: Mutex<BTreeMap<String, usize>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tally {
    fn begin() -> Arc<Self> {
        Arc::new(Self {
            begun: Instant::now(),
            good: Mutex::default(),
            latencies: Mutex::default(),
            rejected: AtomicUsize::new(0),
            unsent: AtomicUsize::new(0),
            others: Mutex::default(),
        })
    }

    fn succeed(&self, took: Duration) {
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

    fn note(&self, outcome: String) {
        *locked(&self.others).entry(outcome.chars().take(120).collect()).or_default() += 1;
    }

    /// Returns the goodput per second of a phase of this length.
    fn goodput(&self, length: Duration) -> f64 {
        locked(&self.good).iter().sum::<f64>() / length.as_secs_f64()
    }

    /// Returns the second from which on the goodput reaches this rate; `None` if it does not.
    fn recovered_after(&self, rate: f64, length: Duration) -> Option<usize> {
        let good = locked(&self.good);
        let seconds = length.as_secs() as usize;
        let late = (0..seconds).rev().find(|second| good.get(*second).copied().unwrap_or(0.0) < rate * RECOVERED);
        let after = late.map_or(0, |second| second + 1);
        (after < seconds).then_some(after)
    }
}

impl Clients {
    fn of(labs: SocketAddr) -> Arc<Self> {
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
    async fn send(&self, kind: &Kind, due: Instant, tally: &Tally) {
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
    async fn offer(self: &Arc<Self>, deck: &[Arc<Kind>], rate: f64, length: Duration) -> Arc<Tally> {
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
    async fn find_best(self: &Arc<Self>, deck: &[Arc<Kind>], length: Duration) -> f64 {
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

/// Latencies of the probes of a phase, in microseconds, and the number of failures.
#[derive(Default)]
struct Probed {
    health: Vec<u32>,
    sign_ins: Vec<u32>,
    failures: [usize; 2],
}

/// The service under load, with what the probes need.
struct Scene {
    ground: PreparedData,
    labs: Mutex<Option<Running>>,
    clients: Arc<Clients>,
    people: Vec<Reader>,
    tokens: Arc<Tokens>,
    deck: Vec<Arc<Kind>>,
    /// Token of an account that no other request uses.
    noisy: String,
    probed: Mutex<Probed>,
    best: f64,
}

impl Scene {
    async fn prepare(cli: &Cli) -> anyhow::Result<Self> {
        let ground = Stage::furnished(cli.apps, mixed::REQUESTS).await?.ground;
        let images = mixed::render(&ground).await?;
        let labs = ground.form("labs").await?;
        let storefronts = mixed::storefronts(&ground, &labs).await?;
        let people = Reader::register(&ground, &labs).await?.colleagues(&ground, CONNECTIONS).await?;
        let tokens = Tokens::issue(&ground, &labs, &people).await?;
        let deck = mixed::deck(&mixed::kinds(ground.numbers(), &tokens, &storefronts, images));
        let engine = ground.inside().await?;
        let noisy = ground::client(&engine, "noisy", &["storefront"], None).await?;
        engine.pool().close().await;
        let noisy = ground::token(&labs, &noisy).await?;
        let clients = Clients::of(labs.address);
        let (labs, probed) = (Mutex::new(Some(labs)), Mutex::default());
        Ok(Self { ground, labs, clients, people, tokens, deck, noisy, probed, best: 0.0 })
    }

    fn address(&self) -> SocketAddr {
        *locked(&self.clients.labs)
    }

    /// Probes liveness all the time.
    async fn probe_health(&self) {
        let make = |_: &load::At<'_>| load::get("/v1/system/health", None);
        let mut ticks = tokio::time::interval(HEALTH_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let begun = Instant::now();
            let answered = timeout(PATIENCE, load::answer(self.address(), &make)).await;
            let mut probed = locked(&self.probed);
            match answered {
                Ok(Ok(answer)) if answer.status == 200 => probed.health.push(begun.elapsed().as_micros() as u32),
                _ => probed.failures[0] += 1,
            }
        }
    }

    /// Signs one user in after another, which also renews their tokens.
    async fn probe_sign_in(&self) {
        let mut ticks = tokio::time::interval(SIGN_IN_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for (place, person) in self.people.iter().enumerate().cycle() {
            ticks.tick().await;
            let begun = Instant::now();
            let signed_in = timeout(PATIENCE, person.sign_in_at(self.address())).await;
            let mut probed = locked(&self.probed);
            match signed_in {
                Ok(Ok(token)) => {
                    probed.sign_ins.push(begun.elapsed().as_micros() as u32);
                    self.tokens.renew(place, token);
                }
                _ => probed.failures[1] += 1,
            }
        }
    }

    /// Offers a load and prints its row.
    async fn phase(&self, name: &str, deck: &[Arc<Kind>], rate: f64, length: Duration) -> anyhow::Result<Arc<Tally>> {
        *locked(&self.probed) = Probed::default();
        let before = self.processor_seconds();
        let tally = self.clients.offer(deck, rate, length).await;
        let used = self.processor_seconds() - before;
        let probed = std::mem::take(&mut *locked(&self.probed));
        let good = tally.goodput(length);
        let per_second = |count: &AtomicUsize| count.load(Ordering::Relaxed) as f64 / length.as_secs_f64();
        let (mut latencies, mut health, mut sign_ins) =
            (std::mem::take(&mut *locked(&tally.latencies)), probed.health, probed.sign_ins);
        line(&format!(
            "| {name} | {rate:.0} | {good:.0} | {:.2} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} ({}) | {:.0} ({}) |",
            good / self.best,
            good * length.as_secs_f64() / used,
            per_second(&tally.rejected),
            per_second(&tally.unsent),
            p99(&mut latencies),
            p99(&mut health),
            probed.failures[0],
            p99(&mut sign_ins),
            probed.failures[1],
        ))?;
        let others = locked(&tally.others);
        let wrong: Vec<_> = others.iter().filter(|(outcome, _)| outcome.starts_with('5')).collect();
        ensure!(wrong.is_empty(), "server errors: {wrong:?}");
        Ok(Arc::clone(&tally))
    }

    /// Offers a moderate load and prints after how many seconds it was answered.
    async fn recovery(&self, after: &str) -> anyhow::Result<Option<usize>> {
        let rate = self.best * MODERATE;
        let tally = self.phase(&format!("after {after}"), &self.deck, rate, SHORT).await?;
        Ok(tally.recovered_after(rate, SHORT))
    }

    /// Returns the processor time of the service and the database so far, in seconds.
    fn processor_seconds(&self) -> f64 {
        let service = locked(&self.labs).as_ref().and_then(|labs| labs.id().ok());
        let own = service.map(|id| ticks_of(id, false)).unwrap_or_default();
        let database = self.postmaster().map(|id| ticks_of(id, true)).unwrap_or_default();
        let backends: u64 = children(self.postmaster().unwrap_or(0)).into_iter().map(|id| ticks_of(id, false)).sum();
        (own + database + backends) as f64 / 100.0
    }

    fn postmaster(&self) -> Option<u32> {
        let file = self.ground.database_folder().join("postgres/postmaster.pid");
        std::fs::read_to_string(file).ok()?.lines().next()?.trim().parse().ok()
    }

    /// Sends a signal to every process of the database.
    async fn signal_database(&self, signal: &str) -> anyhow::Result<()> {
        let postmaster = self.postmaster().context("the database runs")?;
        let all: Vec<String> = children(postmaster).into_iter().chain([postmaster]).map(|id| id.to_string()).collect();
        let script = r#"signal=$1; shift; kill -s "$signal" "$@""#;
        let mut command = tokio::process::Command::new("sh");
        // A backend may have ended since.
        command.args(["-c", script, "signal", signal]).args(all).status().await?;
        Ok(())
    }
}

/// Returns the children of a process.
fn children(of: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| fields(*id).and_then(|fields| fields.get(1)?.parse().ok()) == Some(of)).collect()
}

/// Returns the fields of `/proc/<id>/stat` after the name: state, parent and so on.
fn fields(id: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// Returns the processor time of a process in ticks, or that of its ended children.
fn ticks_of(id: u32, of_children: bool) -> u64 {
    let first = if of_children { 13 } else { 11 };
    let number = |fields: &Vec<String>, place: usize| fields.get(place).and_then(|text| text.parse::<u64>().ok());
    fields(id).map_or(0, |fields| number(&fields, first).unwrap_or(0) + number(&fields, first + 1).unwrap_or(0))
}

/// Returns the p99 in milliseconds; sorts the latencies.
fn p99(latencies: &mut [u32]) -> f64 {
    latencies.sort_unstable();
    mixed::at(latencies, 0.99)
}

/// Measures all phases.
pub(crate) async fn measure(cli: &Cli) -> anyhow::Result<()> {
    let mut scene = Scene::prepare(cli).await?;
    scene.best = scene.clients.find_best(&scene.deck, SHORT).await;
    // Once more with warm caches.
    scene.best = scene.clients.find_best(&scene.deck, SHORT).await.max(scene.best);
    let minutes = if cli.minutes == 0 { MINUTES } else { cli.minutes };
    line(&format!(
        "Best goodput: {:.0} requests a second. Overload: {OVERLOAD:.0} times as many for {minutes} minutes.\n",
        scene.best
    ))?;
    line(
        "| phase | offered/s | good/s | of best | good per processor second | rejected/s | not sent/s | p99, ms | health p99, ms (failed) | sign-in p99, ms (failed) |",
    )?;
    line("|---|---|---|---|---|---|---|---|---|---|")?;
    let scene = scene;
    tokio::select! {
        ended = run(&scene, Duration::from_secs(minutes * 60), cli.rounds.unwrap_or(TRIALS)) => ended,
        ended = forget_limits(&scene.ground) => ended,
        () = scene.probe_health() => Ok(()),
        () = scene.probe_sign_in() => Ok(()),
    }
}

async fn run(scene: &Scene, length: Duration, trials: u32) -> anyhow::Result<()> {
    let (moderate, overload) = (scene.best * MODERATE, scene.best * OVERLOAD);
    let mut recovered = Vec::new();
    scene.phase("moderate load", &scene.deck, moderate, SHORT).await?;
    scene.phase("overload", &scene.deck, overload, length).await?;
    recovered.push(("overload", scene.recovery("overload").await?));

    let noise = noise(scene);
    let noisy = scene.clients.offer(&noise, overload - moderate, SHORT);
    let others = scene.phase("others beside a noisy account", &scene.deck, moderate, SHORT);
    let (others, _) = tokio::join!(others, noisy);
    let share = others?.goodput(SHORT) / moderate;

    let stall = async {
        scene.signal_database("STOP").await?;
        tokio::time::sleep(STALL).await;
        scene.signal_database("CONT").await
    };
    let stalled = scene.phase("database stands still", &scene.deck, moderate, STALL);
    let (stalled, ended) = tokio::join!(stalled, stall);
    stalled.and(ended)?;
    recovered.push(("a still database", scene.recovery("a still database").await?));

    drop(locked(&scene.labs).take());
    let restarted = scene.ground.form("labs").await?;
    *locked(&scene.clients.labs) = restarted.address;
    *locked(&scene.labs) = Some(restarted);
    recovered.push(("a restart", scene.recovery("a restart").await?));

    let mut trials_failed = 0;
    for _ in 0..trials {
        scene.phase("short overload", &scene.deck, overload, SHORT).await?;
        let after = scene.recovery("a short overload").await?;
        trials_failed += usize::from(after.is_none_or(|seconds| seconds > 2));
    }
    line("")?;
    for (name, after) in recovered {
        let after = after.map_or("not within ten seconds".to_owned(), |seconds| format!("after {seconds} s"));
        line(&format!("- Full goodput after {name}: {after}"))?;
    }
    line(&format!("- Share that others keep beside a noisy account: {share:.2}"))?;
    line(&format!("- Short overloads without full goodput within two seconds: {trials_failed} of {trials}"))
}

/// Returns the requests of one account that sends far more than all others.
fn noise(scene: &Scene) -> Vec<Arc<Kind>> {
    let token = scene.noisy.clone();
    let make = move |_: &load::At<'_>| load::get("/v1/marketplace/public/listings?limit=50", Some(&token));
    vec![Kind::new("a noisy account", Box::new(make))]
}
