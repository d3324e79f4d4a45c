//! `make bench`: what the service costs, as ratios in one interleaved run.
//!
//! Three forms of the same work take turns over the same private PostgreSQL, each under the same load of 32
//! connections: the service, hand-written axum handlers that run the service's own statements behind the same
//! token check, and pgbench with the statements alone. A form is a process of its own, so that memory can be told
//! and none warms another's caches. The bars stand beside what was measured. With `--all`, every read of the contract
//! is measured beside a replay of its own statements: [`reads`]. With `--scale`, the storefront and the board are
//! measured over ten times the tables: [`storefront`], [`board`]. What metrics and traces cost is measured beside the service without them: [`watched`].

mod board;
mod cases;
mod forms;
mod ground;
mod hand;
mod hand_of_board;
mod load;
mod pgbench;
mod reads;
mod report;
mod rows;
mod rows_of_apps;
mod rows_of_board;
mod start;
mod statements;
mod storefront;
mod watched;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measures the service beside hand-written handlers
#[derive(Debug, Parser)]
struct Cli {
    /// Apps in the tables
    #[arg(long, default_value_t = 20_000)]
    apps: u32,
    /// Measure every read of the contract beside a replay of its own statements, in place of the cases
    #[arg(long)]
    all: bool,
    /// Measure every list of the storefront and the partner's reviews over 200,000 listings, 2,000,000 reviews and
    /// 20,000 vendors, and every list of the board over 100,000 feature requests, 5,000,000 votes and 1,000,000
    /// comments, each beside a tenth of it, in place of the cases; with `--only board` the board's alone
    #[arg(long)]
    scale: bool,
    /// Rounds, in each of which every form has one turn at every case; 8 where none are named, of all reads 6
    #[arg(long)]
    rounds: Option<u32>,
    /// Seconds of a turn at a case
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Milliseconds of a turn at one of all reads
    #[arg(long, default_value_t = 500)]
    milliseconds: u64,
    /// Minutes of load, all cases in turn, before the memory is read; 0: what the rounds made of it
    #[arg(long, default_value_t = 0)]
    minutes: u64,
    /// The program whose starts are timed; none: they are not
    #[arg(long)]
    labs: Option<std::path::PathBuf>,
    /// Only cases or reads whose name holds this
    #[arg(long)]
    only: Option<String>,
    #[command(subcommand)]
    form: Option<Form>,
}

/// What the benchmark starts itself as.
#[derive(Debug, Subcommand)]
enum Form {
    /// The service
    Labs(forms::Where),
    /// The service as it is watched, by what its variables say
    Watched(forms::Where),
    /// The hand-written handlers
    Hand(forms::Where),
    /// The service without its jobs, to be recorded
    Recorded(forms::Where),
    /// What was recorded of the service
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
        None if cli.all => reads::measure(&cli).await,
        None if cli.scale => scale(&cli).await,
        None => measure(&cli).await,
    }
}

async fn measure(cli: &Cli) -> anyhow::Result<()> {
    let mut report = report::Report::default();
    let ground = ground::Ground::prepare(cli.apps / 10, ground::APIECE, ground::Documents::OneByOne).await?;
    cases::small(&ground, cli, &mut report).await?;
    ground.grow(cli.apps).await?;
    cases::all(&ground, cli, &mut report).await?;
    watched::measure(&ground, cli, &mut report).await?;
    ground.furnish().await?;
    storefront::measure(&ground, cli, &mut report).await?;
    board::measure(&ground, cli, &mut report).await?;
    if let Some(program) = &cli.labs {
        report.start(start::again(program).await?);
    }
    report.print()
}

/// Each over tables of its own, which are not made where none of its reads is named.
async fn scale(cli: &Cli) -> anyhow::Result<()> {
    let mut report = report::Report::default();
    if storefront::is_named(cli) {
        storefront::scale(cli, &mut report).await?;
    }
    if board::is_named(cli) {
        board::scale(cli, &mut report).await?;
    }
    report.print()
}
