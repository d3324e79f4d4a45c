//! `make soak -- overload`: more load than the service can answer, a database that stands still, and a restart.
//!
//! The load is open, as in [`mixed`](crate::mixed): clients do not wait for earlier responses, and repeat a rejected
//! request twice. A response counts only if it is a success within a second of the time at which its request was due.
//! The clients run on the same machine as the service and take a part of its processors, so goodput is also given for
//! each second of processor time that service and database used.

mod clients;
mod processes;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use tokio::time::{MissedTickBehavior, timeout};

use self::clients::{Clients, PATIENCE, Tally, locked};
use self::processes::{children, ticks_of};
use crate::Cli;
use crate::board::{Reader, forget_limits};
use crate::cases::Tokens;
use crate::forms::Running;
use crate::ground::{self, PreparedData};
use crate::load::{self, CONNECTIONS};
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
/// Time between two probes of liveness, and between two sign-ins.
const HEALTH_EVERY: Duration = Duration::from_millis(50);
const SIGN_IN_EVERY: Duration = Duration::from_millis(300);

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
