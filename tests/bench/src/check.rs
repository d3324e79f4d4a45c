//! `--check`: every request of the benchmark once, over small tables.
//!
//! A benchmark that runs rarely breaks unnoticed when an operation or a table changes. So `./test` sends each request
//! of the cases, of `--all` and of `--scale`, and compares what the measurement compares. Nothing is measured.

use std::time::Instant;

use anyhow::ensure;

use crate::Cli;
use crate::board::{self, Reader};
use crate::cases::{CASES, FIXED, Tokens};
use crate::ground::PreparedData;
use crate::hand::clients;
use crate::load;
use crate::reads;
use crate::reads::stage::Stage;
use crate::report::line;
use crate::{mixed, start, storefront, watched};

/// Number of apps. Each of five partners has a hundred.
const APPS: u32 = 500;
/// Number of feature requests.
const REQUESTS: u32 = 1000;

/// Requests that were sent, and the failures by name.
#[derive(Default)]
struct Checked {
    cases: usize,
    lists: usize,
    failures: Vec<String>,
}

/// Sends every request once.
///
/// # Errors
/// If a request was not answered, or if two forms answered differently.
pub(crate) async fn all(cli: &Cli) -> anyhow::Result<()> {
    let begun = Instant::now();
    let told = |what: &str| line(&format!("{:>5.1} s  {what}", begun.elapsed().as_secs_f64()));
    let stage = Stage::furnished(APPS, REQUESTS).await?;
    told("tables")?;
    let of_contract = async {
        let (reads, failures) = reads::check(&stage).await?;
        told(&format!("{reads} reads of the contract"))?;
        anyhow::Ok(failures)
    };
    let of_cases = async {
        let Checked { cases, lists, failures } = check_cases_and_lists(cli, &stage.ground).await?;
        told(&format!("{cases} cases, {lists} lists and a start"))?;
        anyhow::Ok(failures)
    };
    let (failures, lost, unwatched) = tokio::try_join!(of_cases, of_contract, watched::check(&stage.ground))?;
    let failures: Vec<String> = [failures, lost, unwatched].concat();
    ensure!(failures.is_empty(), "{} requests of the benchmark failed:\n{}", failures.len(), failures.join("\n"));
    Ok(())
}

/// Compares the forms of each case, and requests the fixed reads and the lists of the storefront and of the board.
async fn check_cases_and_lists(cli: &Cli, ground: &PreparedData) -> anyhow::Result<Checked> {
    let (labs, hand) = tokio::try_join!(ground.form("labs"), ground.form("hand"))?;
    let reader = Reader::register(ground, &labs).await?;
    let people = reader.colleagues(ground, 1).await?;
    let tokens = Tokens::issue(ground, &labs, &people).await?;
    let mut failures = Vec::new();
    for case in CASES {
        let make = case.make(ground.numbers(), &tokens);
        let compared = case.compare(&labs, &hand, &make).await;
        failures.extend(compared.err().map(|error| format!("{}: {error:#}", case.name)));
    }
    failures.extend(compare_records(ground).await?);
    for read in &FIXED {
        let answer = load::answer(labs.address, &read.make(&tokens)).await?;
        failures.extend(answer.ensure_success().err().map(|error| format!("{}: {error:#}", read.name)));
    }
    let partner = tokens.clients.first().map(String::as_str).unwrap_or_default();
    let (of_storefront, lost) = storefront::check(ground, &labs, partner).await?;
    failures.extend(lost);
    let (of_board, lost) = board::check(ground, &labs, &reader, REQUESTS).await?;
    failures.extend(lost);
    let (of_mixed_load, lost) = mixed::check(ground, &labs, &tokens).await?;
    failures.extend(lost);
    failures.extend(start_binary(cli, ground).await.err().map(|error| format!("start: {error:#}")));
    Ok(Checked { cases: CASES.len() + FIXED.len() + of_mixed_load, lists: of_storefront + of_board, failures })
}

/// Returns a failure if the forms wrote different audit records for the audited case.
async fn compare_records(ground: &PreparedData) -> anyhow::Result<Option<String>> {
    let query = "select count(distinct (channel, outcome, actor_kind, scope, target_kind, address, parameters))
                   from audit_log where operation = 'admin_machine_clients_list'";
    let kinds: i64 = sqlx::query_scalar(query).fetch_one(&mut ground.owner().await?).await?;
    Ok((kinds != 1).then(|| format!("{}: the forms write different audit records", clients::CASE.name)))
}

/// Starts the binary on the existing folder and database.
async fn start_binary(cli: &Cli, ground: &PreparedData) -> anyhow::Result<()> {
    let Some(program) = &cli.labs else { return Ok(()) };
    start::once(program, &ground.service(), &["--database-url", ground.database()]).await.map(drop)
}
