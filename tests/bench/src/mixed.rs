//! `make bench -- --mixed`: sign-ins, reads, searches, images and writes together, at a fixed number of requests per
//! second.
//!
//! The load is open: each request has a time at which it is sent, whether earlier requests were answered or not, and
//! its latency begins at that time. So a service that stops for a moment delays every request of that moment.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use http::{HeaderValue, header};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::Cli;
use crate::board::{Reader, forget_limits};
use crate::cases::{Case, FIXED, Tokens};
use crate::forms::Running;
use crate::ground::{self, Numbers, PreparedData};
use crate::hand::{apps, board, changelog, clients, comments, listings, reviews, search, suggestions};
use crate::load::{self, CONNECTIONS, Connection, Make};
use crate::reads::stage::Stage;
use crate::report::line;

/// Requests per second.
const RATE: u32 = 600;
/// Default duration in minutes.
const MINUTES: u64 = 30;
/// Maximum p99, in milliseconds.
const P99: f64 = 50.0;
/// Maximum growth of the memory in the second half.
const GROWTH: f64 = 1.1;
/// Requests that may be unanswered at once; further ones count as lost.
const UNANSWERED: usize = 4_000;
/// Time between two measurements of the memory.
const WATCHED: Duration = Duration::from_secs(15);
/// Maximum time until the images are rendered.
const RENDERING: Duration = Duration::from_secs(120);
/// Number of storefronts.
const STOREFRONTS: usize = 32;
/// Maximum number of connections of one kind. All kinds together stay within the service's limit for one network.
const PLACES: usize = 12;
/// Number of feature requests, as in the standard cases.
pub(crate) const REQUESTS: u32 = 10_000;

/// Cases, and their share in a thousand requests.
static SHARES: [(&Case, usize); 12] = [
    (&listings::CASE, 120),
    (&search::SEARCH, 60),
    (&search::CATEGORY, 50),
    (&suggestions::CASE, 80),
    (&reviews::CASE, 60),
    (&apps::LIST, 80),
    (&apps::UPDATE, 40),
    (&board::LIST, 80),
    (&board::VOTE, 60),
    (&comments::CASE, 30),
    (&clients::CASE, 60),
    (&changelog::CASE, 60),
];
/// Shares of the fixed reads, in their order.
const FIXED_SHARES: [usize; 5] = [10, 70, 10, 30, 35];
/// Share of the published images.
const IMAGES: usize = 60;
/// Share of the sign-ins.
const SIGN_INS: usize = 5;

/// Requests of one kind, each on a connection that has no other request.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) make: Box<Make>,
    idle: Mutex<Vec<Connection>>,
    opened: AtomicUsize,
    places: Semaphore,
    results: Mutex<Results>,
}

/// Responses of a kind: their latencies in microseconds, and the number of failures by message.
#[derive(Default)]
struct Results {
    latencies: Vec<u32>,
    failures: BTreeMap<String, usize>,
}

impl Kind {
    pub(crate) fn new(name: &'static str, make: Box<Make>) -> Arc<Self> {
        let places = Semaphore::new(PLACES);
        let (idle, opened, results) = (Mutex::default(), AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { name, make, idle, opened, places, results })
    }

    /// Sends the next request. `due` is the time at which it had to be sent.
    async fn send(&self, labs: std::net::SocketAddr, due: Instant) {
        let outcome = self.ask(labs).await;
        let took = u32::try_from(due.elapsed().as_micros()).unwrap_or(u32::MAX);
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.latencies.push(took);
        if let Err(error) = outcome {
            *results.failures.entry(format!("{error:#}").chars().take(200).collect()).or_default() += 1;
        }
    }

    /// Takes an idle connection. The service closes a connection that was idle for a minute.
    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|connection| !connection.is_closed());
        idle.pop()
    }

    async fn ask(&self, labs: std::net::SocketAddr) -> anyhow::Result<()> {
        let _place = self.places.acquire().await?;
        let mut connection = match self.take_idle() {
            Some(connection) => connection,
            None => Connection::open(labs, self.opened.fetch_add(1, Ordering::Relaxed) % PLACES).await?,
        };
        let (answer, _) = connection.ask(&self.make).await?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        answer.ensure_success()
    }
}

/// Measures the mixed load, and fails if a response is a server error.
pub(crate) async fn measure(cli: &Cli) -> anyhow::Result<()> {
    let ground = Stage::furnished(cli.apps, REQUESTS).await?.ground;
    let images = render(&ground).await?;
    let labs = ground.form("labs").await?;
    let storefronts = storefronts(&ground, &labs).await?;
    let people = Reader::register(&ground, &labs).await?.colleagues(&ground, CONNECTIONS).await?;
    let tokens = Tokens::issue(&ground, &labs, &people).await?;
    let minutes = if cli.minutes == 0 { MINUTES } else { cli.minutes };
    let deck = deck(&kinds(ground.numbers(), &tokens, &storefronts, images));
    line(&format!("{RATE} requests per second for {minutes} minutes"))?;
    let load = send_all(&labs, &deck, Duration::from_secs(minutes * 60));
    let (lost, memory) = tokio::select! {
        sent = load => sent?,
        ended = forget_limits(&ground) => return ended,
        ended = sign_in_in_turn(&labs, &people, &tokens) => return ended,
    };
    report(&deck, lost, &memory)
}

/// Returns the kinds of requests with their shares.
pub(crate) fn kinds(
    numbers: Numbers,
    tokens: &Arc<Tokens>,
    storefronts: &Arc<[HeaderValue]>,
    images: Vec<String>,
) -> Vec<(Arc<Kind>, usize)> {
    let kind = |name, make| Kind::new(name, by_storefronts(make, storefronts));
    let cases = SHARES.iter().map(|(case, share)| (kind(case.name, case.make(numbers, tokens)), *share));
    let reads = FIXED.iter().map(|read| kind(read.name, read.make(tokens))).zip(FIXED_SHARES);
    let image = move |at: &load::At<'_>| {
        let place = at.drawn() as usize % images.len().max(1);
        load::get(images.get(place).map_or("", String::as_str), None)
    };
    cases.chain(reads).chain([(Kind::new("a published image", Box::new(image)), IMAGES)]).collect()
}

/// Sends requests to the storefront as one of the storefronts, because the reads of one account take turns.
fn by_storefronts(make: Box<Make>, storefronts: &Arc<[HeaderValue]>) -> Box<Make> {
    let storefronts = Arc::clone(storefronts);
    Box::new(move |at| {
        let mut request = make(at)?;
        if request.uri().path().starts_with("/v1/marketplace/public/") {
            let place = at.drawn() as usize % storefronts.len().max(1);
            let token = storefronts.get(place).context("a storefront")?;
            request.headers_mut().insert(header::AUTHORIZATION, token.clone());
        }
        Ok(request)
    })
}

/// Creates the storefronts, each a machine client, and returns their credentials.
pub(crate) async fn storefronts(ground: &PreparedData, labs: &Running) -> anyhow::Result<Arc<[HeaderValue]>> {
    let engine = ground.inside().await?;
    let mut tokens = Vec::new();
    for number in 0..STOREFRONTS {
        let client = ground::client(&engine, &format!("storefront {number}"), &["storefront"], None).await?;
        tokens.push(HeaderValue::from_str(&format!("Bearer {}", ground::token(labs, &client).await?))?);
    }
    engine.pool().close().await;
    Ok(tokens.into())
}

/// Waits until a service has rendered the images of the sample data, and returns their paths. The images of the other
/// apps are only rows.
pub(crate) async fn render(ground: &PreparedData) -> anyhow::Result<Vec<String>> {
    let _labs = ground.form("labs").await?;
    let (mut owner, begun) = (ground.owner().await?, Instant::now());
    let find = "select (select count(*) from media where renditions_due and app_uuid::text !~ '^0198aaaa')
                     + (select count(*) from partner_image where renditions_due)";
    while sqlx::query_scalar::<_, i64>(find).fetch_one(&mut owner).await? > 0 {
        ensure!(begun.elapsed() < RENDERING, "the images were not rendered");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let find = "select distinct '/media/' || (size ->> 'object_key') || '.' ||
                       case size ->> 'media_type' when 'image/jpeg' then 'jpg'
                           else substr(size ->> 'media_type', 7) end
                  from picture_on_show cross join jsonb_array_elements(renditions) as size
                 where owner_uuid::text !~ '^0198(aaaa|bbbb)'";
    let paths: Vec<String> = sqlx::query_scalar(find).fetch_all(&mut owner).await?;
    ensure!(!paths.is_empty(), "no image is published");
    Ok(paths)
}

/// Returns a thousand kinds in the order in which they are requested, each evenly distributed.
pub(crate) fn deck(kinds: &[(Arc<Kind>, usize)]) -> Vec<Arc<Kind>> {
    let all: usize = kinds.iter().map(|(_, share)| share).sum();
    let placed = kinds.iter().enumerate().flat_map(|(number, (kind, share))| {
        // A different offset for each kind, so that not all kinds begin together.
        let offset = (number as f64 * 0.618).fract();
        (0..*share).map(move |place| (((place as f64 + offset) / *share as f64) * all as f64, Arc::clone(kind)))
    });
    let mut placed: Vec<(f64, Arc<Kind>)> = placed.collect();
    placed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    placed.into_iter().map(|(_, kind)| kind).collect()
}

/// Sends the requests of the deck again and again. Returns the number that could not be sent, and the memory of the
/// service over time, in megabytes.
async fn send_all(labs: &Running, deck: &[Arc<Kind>], length: Duration) -> anyhow::Result<(usize, Vec<f64>)> {
    let (mut lost, mut memory, mut unanswered) = (0, vec![labs.megabytes().await?], JoinSet::new());
    let begun = Instant::now();
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / RATE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for kind in deck.iter().cycle() {
        let due = ticks.tick().await.into_std();
        while unanswered.try_join_next().is_some() {}
        if begun.elapsed() > length {
            break;
        }
        if begun.elapsed() > WATCHED * u32::try_from(memory.len())? {
            memory.push(labs.megabytes().await?);
        }
        if unanswered.len() >= UNANSWERED {
            lost += 1;
            continue;
        }
        let (kind, address) = (Arc::clone(kind), labs.address);
        unanswered.spawn(async move { kind.send(address, due).await });
    }
    unanswered.join_all().await;
    memory.push(labs.megabytes().await?);
    Ok((lost, memory))
}

/// Signs one user in after another, so that no token expires. Ends only with an error.
async fn sign_in_in_turn(labs: &Running, people: &[Reader], tokens: &Tokens) -> anyhow::Result<()> {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) * 1000 / (RATE * u32::try_from(SIGN_INS)?));
    for place in (0..people.len()).cycle() {
        ticks.tick().await;
        let person = people.get(place).context("a user of the list")?;
        tokens.renew(place, person.sign_in(labs).await?);
    }
    Ok(())
}

fn report(deck: &[Arc<Kind>], lost: usize, memory: &[f64]) -> anyhow::Result<()> {
    let mut kinds: BTreeMap<&str, &Arc<Kind>> = BTreeMap::new();
    kinds.extend(deck.iter().map(|kind| (kind.name, kind)));
    let (mut all, mut failures) = (Vec::new(), Vec::new());
    line("\n| request | number | p50, ms | p99, ms | slowest, ms |\n|---|---|---|---|---|")?;
    for (name, kind) in kinds {
        let mut results = std::mem::take(&mut *kind.results.lock().unwrap_or_else(PoisonError::into_inner));
        line(&row(&format!("`{name}`"), &mut results.latencies))?;
        all.append(&mut results.latencies);
        failures.extend(results.failures.into_iter().map(|(error, times)| format!("{name}: {times} times: {error}")));
    }
    line(&row("all", &mut all))?;
    let p99 = at(&all, 0.99);
    let middle = memory.get(memory.len() / 2).copied().unwrap_or_default();
    let last = memory.last().copied().unwrap_or_default();
    let word = |holds: bool| if holds { "passes" } else { "ABOVE THE BAR" };
    line(&format!("\n- p99 of all requests: {p99:.1} ms (bar {P99:.0}): {}", word(p99 <= P99)))?;
    let grown = last / middle;
    line(&format!(
        "- Memory: {:.0} MB at first, {middle:.0} MB after half of the time, {last:.0} MB at the end: {}",
        memory.first().copied().unwrap_or_default(),
        word(grown <= GROWTH)
    ))?;
    ensure!(lost == 0 && failures.is_empty(), "{lost} requests were not sent; failures:\n{}", failures.join("\n"));
    line("- Every request succeeded.")
}

/// Returns a row of the table; sorts the latencies.
fn row(name: &str, latencies: &mut [u32]) -> String {
    latencies.sort_unstable();
    let (number, slowest) = (latencies.len(), at(latencies, 1.0));
    format!("| {name} | {number} | {:.1} | {:.1} | {slowest:.1} |", at(latencies, 0.5), at(latencies, 0.99))
}

/// Returns a quantile of sorted latencies, in milliseconds.
pub(crate) fn at(sorted: &[u32], part: f64) -> f64 {
    let place = (sorted.len() as f64 * part) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).map_or(f64::NAN, |micros| f64::from(*micros) / 1000.0)
}

/// Sends one request of each kind, except for an image.
pub(crate) async fn check(
    ground: &PreparedData,
    labs: &Running,
    tokens: &Arc<Tokens>,
) -> anyhow::Result<(usize, Vec<String>)> {
    let storefronts = storefronts(ground, labs).await?;
    let (mut kinds, mut failures) = (kinds(ground.numbers(), tokens, &storefronts, Vec::new()), Vec::new());
    kinds.pop();
    for (kind, _) in &kinds {
        failures
            .extend(kind.ask(labs.address).await.err().map(|error| format!("mixed load, {}: {error:#}", kind.name)));
    }
    Ok((kinds.len(), failures))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_a_thousand_and_evenly_distributed() {
        let shares: usize = SHARES.iter().map(|(_, share)| share).chain(&FIXED_SHARES).sum();
        assert_eq!(shares + IMAGES + SIGN_INS, 1000);
        let make = || Box::new(|_: &load::At<'_>| load::get("/", None));
        let deck = deck(&[(Kind::new("often", make()), 9), (Kind::new("rarely", make()), 1)]);
        let names: Vec<&str> = deck.iter().map(|kind| kind.name).collect();
        assert_eq!((names.len(), names.iter().filter(|name| **name == "rarely").count()), (10, 1));
        let half = names.len() / 2;
        assert!(names[..half].iter().filter(|name| **name == "often").count() >= 4, "{names:?}");
    }
}
