//! Benchmark of the storefront: four reads in every run, and with `--scale` each of its lists over ten times the rows.
//!
//! Each read uses a different parameter every time, as real readers do, so that the benchmark does not measure one
//! cached response.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sqlx::Connection as _;

use crate::Cli;
use crate::cases::{measure_turn, named};
use crate::costs::Meter;
use crate::forms::Running;
use crate::ground::{Documents, PreparedData};
use crate::load::{self, At, Make};
use crate::report::Report;

/// Apps per partner if there are 20,000 partners.
const APIECE: u32 = 10;
/// Number of listings with `--scale`. The comparison uses a tenth of it.
const SCALE: u32 = 200_000;
/// Maximum time until the changes of the inserted rows have positions.
const SEALING: Duration = Duration::from_secs(300);

/// Path of a read for a number.
type Path = dyn Fn(u32) -> String + Send + Sync;

/// One read of the storefront.
struct Read {
    name: &'static str,
    /// Path for a number that differs each time.
    path: Arc<Path>,
    /// Limits of p50 and p99 in milliseconds, over 20,000 listings.
    most: Option<(f64, f64)>,
}

impl Read {
    fn new(name: &'static str, path: impl Fn(u32) -> String + Send + Sync + 'static) -> Self {
        Self { name, path: Arc::new(path), most: None }
    }

    fn at_most(self, p50: f64, p99: f64) -> Self {
        Self { most: Some((p50, p99)), ..self }
    }

    fn make(&self, token: &str) -> Box<Make> {
        let (path, token) = (Arc::clone(&self.path), token.to_owned());
        Box::new(move |at: &At<'_>| load::get(&path(at.drawn()), Some(&token)))
    }
}

/// Measures the four reads of every run: search, the page of one category, suggestions, and customer reviews.
pub(crate) async fn measure(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    let reads = cases(ground.numbers().favourite());
    for (read, turn) in turns(ground, cli, &reads).await? {
        report.read(read.name, read.most, &turn)?;
    }
    Ok(())
}

/// Whether the command line selects a read of the storefront.
pub(crate) fn is_named(cli: &Cli) -> bool {
    reads(1, 1, 1).iter().any(|read| named(cli, read.name))
}

/// Measures every list over a tenth of the rows and over all of them.
pub(crate) async fn scale(cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    let ground = PreparedData::prepare(SCALE / 10, APIECE, Documents::AtOnce).await?;
    report.describe(&ground).await?;
    for apps in [SCALE / 10, SCALE] {
        ground.grow(apps).await?;
        ground.furnish().await?;
        for (read, turn) in turns(&ground, cli, &all(&ground)).await? {
            report.list(read.name, (ground.apps(), "apps"), turn)?;
        }
    }
    Ok(())
}

/// Requests every list once. Returns the number of lists, and the lists that did not answer.
pub(crate) async fn check(ground: &PreparedData, labs: &Running, token: &str) -> anyhow::Result<(usize, Vec<String>)> {
    wait_until_sealed(ground).await?;
    let (reads, mut failures) = (all(ground), Vec::new());
    for read in &reads {
        if let Err(error) = load::answer(labs.address, &read.make(token)).await?.ensure_success() {
            failures.push(format!("{}: {error:#}", read.name));
        }
    }
    Ok((reads.len(), failures))
}

fn all(ground: &PreparedData) -> Vec<Read> {
    let numbers = ground.numbers();
    reads(numbers.apps, numbers.partners, numbers.favourite())
}

/// Returns every read of the storefront over this many apps and partners. One app has more customer reviews than the
/// others.
fn reads(apps: u32, partners: u32, favourite: u32) -> Vec<Read> {
    cases(favourite).into_iter().chain(searches()).chain(things(apps, partners, favourite)).collect()
}

/// Runs one turn of each read on a newly started service.
async fn turns<'r>(ground: &PreparedData, cli: &Cli, reads: &'r [Read]) -> anyhow::Result<Vec<(&'r Read, load::Turn)>> {
    let labs = ground.form("labs").await?;
    wait_until_sealed(ground).await?;
    let (token, meter) = (ground.tokens(&labs).await?.swap_remove(0), Meter::of(&labs, ground).await?);
    let mut turns = Vec::new();
    for read in reads.iter().filter(|read| named(cli, read.name)) {
        let make = read.make(&token);
        load::turn(labs.address, &make, Duration::from_secs(1)).await?;
        let turn = measure_turn(&meter, labs.address, &make, Duration::from_secs(cli.seconds)).await;
        turns.push((read, turn.context(read.name)?));
    }
    Ok(turns)
}

/// Waits until the service has assigned a position to every change, so that it is idle during the measurement.
async fn wait_until_sealed(ground: &PreparedData) -> anyhow::Result<()> {
    let mut owner = ground.owner().await?;
    let begun = Instant::now();
    let waiting = "select count(*) from listing_change where place is null";
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut owner).await? > 0 {
        anyhow::ensure!(begun.elapsed() < SEALING, "the changes were not put into their order");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(owner.close().await?)
}

/// Returns the storefront reads of every run.
fn cases(favourite: u32) -> Vec<Read> {
    vec![
        Read::new("search with two filters", |n| {
            format!("/v1/marketplace/public/listings?q=table&category=category-{}&rating_from=3", 1 + n % 30)
        }),
        Read::new("one category's page", |n| {
            format!("/v1/marketplace/public/listings?category=category-{}", 1 + n % 30)
        }),
        Read::new("suggest", |n| format!("/v1/marketplace/public/search-suggestions?q=app%20{}", n % 1000))
            .at_most(15.0, 40.0),
        Read::new("reviews of what has most", move |n| {
            let sort = ["-written_at", "-rating", "rating"].get(n as usize % 3).copied().unwrap_or_default();
            format!("/v1/marketplace/public/listings/app-{favourite}/reviews?sort={sort}")
        }),
    ]
}

/// Returns the search in every sort order and with each filter.
fn searches() -> Vec<Read> {
    const SEARCH: &str = "/v1/marketplace/public/listings";
    vec![
        Read::new("search: published last", |_| SEARCH.to_owned()),
        Read::new("search: first published last", |_| format!("{SEARCH}?sort=-first_published_at")),
        Read::new("search: rated best", |_| format!("{SEARCH}?sort=-rating")),
        Read::new("search: by name", |_| format!("{SEARCH}?sort=name")),
        Read::new("search: a word of all", |_| format!("{SEARCH}?q=table")),
        Read::new("search: a word of one", |n| format!("{SEARCH}?q=number%20{}", 1 + n % 20_000)),
        Read::new("search: of a vendor", |n| format!("{SEARCH}?partner=partner-{}", 1 + n % 2000)),
        Read::new("search: in a language", |_| format!("{SEARCH}?language=de&locale=de")),
    ]
}

/// Returns the reads of one listing, category, collection or partner, the feed, and the customer reviews as the partner
/// reads them.
fn things(apps: u32, partners: u32, favourite: u32) -> Vec<Read> {
    let listing = move |n: u32, what: &str| format!("/v1/marketplace/public/listings/app-{}{what}", 1 + n % apps);
    let own = format!("/v1/marketplace/apps/0198aaaa-0000-7000-8000-{favourite:012x}/reviews");
    let (newest, worst, unanswered) = (own.clone(), format!("{own}?sort=rating"), format!("{own}?answered=false"));
    vec![
        Read::new("listing", move |n| listing(n, "")),
        Read::new("its pictures", move |n| listing(n, "/media")),
        Read::new("its versions", move |n| listing(n, "/versions")),
        Read::new("related to it", move |n| listing(n, "/related")),
        Read::new("its reviews", move |n| listing(n, "/reviews")),
        Read::new("changes", |_| "/v1/marketplace/public/listing-changes".to_owned()),
        Read::new("categories", |_| "/v1/marketplace/public/categories".to_owned()),
        Read::new("category", |n| format!("/v1/marketplace/public/categories/category-{}", 1 + n % 30)),
        Read::new("collections", |_| "/v1/marketplace/public/collections".to_owned()),
        Read::new("collection", |n| format!("/v1/marketplace/public/collections/collection-{}", 1 + n % 10)),
        Read::new("vendor", move |n| format!("/v1/marketplace/public/partners/partner-{}", 1 + n % partners)),
        Read::new("partner's reviews: newest", move |_| newest.clone()),
        Read::new("partner's reviews: worst", move |_| worst.clone()),
        Read::new("partner's reviews: unanswered", move |_| unanswered.clone()),
    ]
}
