//! `make bench`: the speed of the service, as ratios within one interleaved run, and the cost of its requests.
//!
//! Two forms of the same work take turns on the same private PostgreSQL, each under the same load of 32 connections:
//! - the service
//! - hand-written axum handlers that run the service's own statements behind the same token check: [`hand`]
//!
//! Each form is a separate process, so that its memory can be measured and no form warms another's caches. The report
//! shows each result with its bar.
//!
//! - `--all` compares every read of the contract with a replay of the same statements: [`reads`].
//! - `--scale` measures the storefront and the board over ten times the rows: [`storefront`], [`board`].
//! - The cost of metrics and traces is measured against the service without them: [`watched`].
//! - `--mixed` sends requests of all kinds at a fixed rate: [`mixed`].
//! - `--overload` sends more than the service can answer: [`overload`].
//! - `--check` sends every request of all of these once, without measuring: [`check`].

mod board;
mod cases;
mod check;
mod costs;
mod forms;
mod ground;
mod hand;
mod load;
mod machine;
mod mixed;
mod overload;
mod reads;
mod report;
mod spread;
mod start;
mod statements;
mod storefront;
mod watched;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Compares the service with hand-written handlers
#[derive(Debug, Parser)]
struct Cli {
    /// Number of apps in the tables
    #[arg(long, default_value_t = 20_000)]
    apps: u32,
    /// Instead of the cases, compare every read of the contract with a replay of the same statements
    #[arg(long)]
    all: bool,
    /// Instead of the cases, measure every list of the storefront and the partner's customer reviews over 200,000
    /// listings, 2,000,000 reviews and 20,000 partners, and every list of the board over 100,000 feature requests,
    /// 5,000,000 votes and 1,000,000 comments, each also over a tenth of the rows; with `--only board`, only the
    /// board's lists
    #[arg(long)]
    scale: bool,
    /// Instead of measuring, send every request of the cases, of `--all` and of `--scale` once over small tables, and
    /// fail if one is not answered or if two forms answer differently
    #[arg(long)]
    check: bool,
    /// Instead of the cases, send 600 requests of all kinds per second for 30 minutes, or for --minutes
    #[arg(long)]
    mixed: bool,
    /// Instead of the cases, send five times as many requests as the service can answer for 10 minutes, or for
    /// --minutes, stop the database for 20 seconds, restart the service, and repeat a short overload --rounds times
    #[arg(long)]
    overload: bool,
    /// Replace the committed costs of the requests (costs.json) with those of this run
    #[arg(long)]
    write_costs: bool,
    /// Rounds; in each, every form has one turn at every case. Default: 8, or 6 with `--all`
    #[arg(long)]
    rounds: Option<u32>,
    /// Duration of a turn at a case, in seconds
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Duration of a turn with `--all`, in milliseconds
    #[arg(long, default_value_t = 500)]
    milliseconds: u64,
    /// Minutes of load over all cases before the memory is measured, 0: measure it after the rounds; with --mixed,
    /// minutes of the load
    #[arg(long, default_value_t = 0)]
    minutes: u64,
    /// Path of the binary whose start is timed; without it, no start is timed
    #[arg(long)]
    labs: Option<std::path::PathBuf>,
    /// Run only cases or reads whose name contains this text
    #[arg(long)]
    only: Option<String>,
    #[command(subcommand)]
    form: Option<Form>,
}

/// The forms as which the benchmark starts itself.
#[derive(Debug, Subcommand)]
enum Form {
    /// The service
    Labs(forms::Where),
    /// The service with the metrics and traces that its environment variables configure
    Watched(forms::Where),
    /// The hand-written handlers
    Hand(forms::Where),
    /// The service without its jobs, to record it
    Recorded(forms::Where),
    /// Replay of a recording of the service
    Replay(forms::Where),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.form {
        Some(Form::Labs(place)) => forms::labs(&place).await,
        Some(Form::Watched(place)) => forms::watched(&place).await,
        Some(Form::Hand(place)) => forms::hand(&place).await,
        Some(Form::Recorded(place)) => forms::recorded(&place).await,
        Some(Form::Replay(place)) => forms::replay(&place).await,
        None if cli.check => check::all(&cli).await,
        None if cli.all => reads::measure(&cli).await,
        None if cli.scale => scale(&cli).await,
        None if cli.mixed => mixed::measure(&cli).await,
        None if cli.overload => overload::measure(&cli).await,
        None => measure(&cli).await,
    }
}

async fn measure(cli: &Cli) -> anyhow::Result<()> {
    let mut report = report::Report::begin()?;
    let ground = ground::PreparedData::prepare(cli.apps / 10, ground::APIECE, ground::Documents::OneByOne).await?;
    report.describe(&ground).await?;
    cases::lists(&ground, cli, &mut report).await?;
    ground.grow(cli.apps).await?;
    cases::lists(&ground, cli, &mut report).await?;
    ground.furnish().await?;
    if cases::is_named(cli) {
        ground.seed_board(board::SCALE / 10).await?;
        cases::all(&ground, cli, &mut report).await?;
    }
    storefront::measure(&ground, cli, &mut report).await?;
    watched::measure(&ground, cli, &mut report).await?;
    if let Some(program) = &cli.labs {
        report.start(start::again(program).await?);
    }
    report.print()?;
    if cli.write_costs { report.write_costs() } else { Ok(()) }
}

/// Measures the storefront and the board over separate tables. Tables are created only if one of their reads is
/// selected.
async fn scale(cli: &Cli) -> anyhow::Result<()> {
    let mut report = report::Report::begin()?;
    if storefront::is_named(cli) {
        storefront::scale(cli, &mut report).await?;
    }
    if board::is_named(cli) {
        board::scale(cli, &mut report).await?;
    }
    report.print()
}
