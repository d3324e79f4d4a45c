//! Benchmark of the board: in every run, its page and a vote compared with hand-written handlers; with `--scale`, each
//! of its lists over ten times the rows.
//!
//! The caller is a user of a partner that registered through the API, because machine clients cannot vote.

mod reader;
mod reads;

use std::time::Duration;

use anyhow::ensure;
use http::{Method, Request};
use http_body_util::Full;

use crate::Cli;
use crate::cases::{self, Work, mixed, named};
use crate::forms::Running;
use crate::ground::{Credentials, PreparedData, client, token};
use crate::load::{self, CONNECTIONS};
use crate::report::{Bars, Report};
use reader::Reader;
use reads::{By, Read, id};

/// Number of feature requests with `--scale`. A normal run has a tenth of it.
const SCALE: u32 = 100_000;
/// Number of feature requests that the reader votes for, and number that the reader follows.
const KNOWN: u32 = 100;
/// Number of feature requests that the reader proposes: the daily maximum of one user.
const PROPOSALS: u32 = 20;
/// The cases of every run.
const PAGE: &str = "engagement_feature_requests_list";
const VOTE: &str = "engagement_votes_cast and withdraw";
/// Interval at which the benchmark clears the vote counts of the day, because it casts more votes than a user may.
const FORGETTING: Duration = Duration::from_secs(1);

/// Compares the board's page and a vote with hand-written handlers.
pub(crate) async fn measure(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    if ![PAGE, VOTE].iter().any(|name| named(cli, name)) {
        return Ok(());
    }
    ground.seed_board(SCALE / 10).await?;
    let (labs, hand) = (ground.form("labs").await?, ground.form("hand").await?);
    let reader = Reader::register(ground, &labs).await?;
    take_part(&labs, &reader).await?;
    let colleagues = reader.colleagues(ground, CONNECTIONS).await?;
    for name in [PAGE, VOTE].into_iter().filter(|name| named(cli, name)) {
        // A token is valid for ten minutes, longer than a case takes.
        let work = match name {
            PAGE => page(reader.sign_in(&labs).await?),
            _ => vote(tokens(&labs, &colleagues).await?),
        };
        tokio::select! {
            measured = cases::measure(ground, cli, (&labs, &hand), &work, report) => measured.map(drop)?,
            ended = forget_votes(ground) => ended?,
        }
    }
    Ok(())
}

async fn tokens(labs: &Running, people: &[Reader]) -> anyhow::Result<Vec<String>> {
    let mut tokens = Vec::new();
    for person in people {
        tokens.push(person.sign_in(labs).await?);
    }
    Ok(tokens)
}

fn page(token: String) -> Work {
    Work {
        name: PAGE,
        bars: Bars { rate: 0.85, aim: 0.95, p99: Some(1.0), limit: None },
        make: Box::new(move |_, _| load::get("/v1/engagement/feature-requests", Some(&token))),
        limit: None,
    }
}

/// Casts and withdraws a vote in turn. Each connection has a separate user and three feature requests, so that no
/// connection waits for another's row.
fn vote(tokens: Vec<String>) -> Work {
    Work {
        name: VOTE,
        bars: Bars { rate: 0.90, aim: 0.95, p99: Some(1.0), limit: None },
        make: Box::new(move |connection, n| {
            let token = tokens.get(connection % tokens.len().max(1)).map(String::as_str).unwrap_or_default();
            let number = u32::try_from(connection * 3 + n / 2 % 3)? * 100 + 12;
            Ok(Request::builder()
                .method(if n % 2 == 0 { Method::PUT } else { Method::DELETE })
                .uri(format!("/v1/engagement/feature-requests/{}/vote", id(number)))
                .header("host", "bench")
                .header("authorization", format!("Bearer {token}"))
                .body(Full::default())?)
        }),
        limit: None,
    }
}

/// Clears the vote counts of the day repeatedly, so that no user reaches the daily maximum.
async fn forget_votes(ground: &PreparedData) -> anyhow::Result<()> {
    let mut owner = ground.owner().await?;
    loop {
        sqlx::query("delete from board_vote_budget").execute(&mut owner).await?;
        tokio::time::sleep(FORGETTING).await;
    }
}

/// Whether the command line selects a read of the board.
pub(crate) fn is_named(cli: &Cli) -> bool {
    reads::all(SCALE).iter().any(|read| named(cli, read.name))
}

/// Measures every list over a tenth of the rows and over all of them.
pub(crate) async fn scale(cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    let ground = PreparedData::empty(0).await?;
    let engine = ground.inside().await?;
    let staff = client(&engine, "bench of the staff", &["labs.admin.engagement"], None).await?;
    engine.pool().close().await;
    ground.seed_board(SCALE / 10).await?;
    let labs = ground.form("labs").await?;
    let reader = Reader::register(&ground, &labs).await?;
    take_part(&labs, &reader).await?;
    lists(cli, &labs, (&reader, &staff), SCALE / 10, report).await?;
    drop(labs);
    ground.seed_board(SCALE).await?;
    let labs = ground.form("labs").await?;
    lists(cli, &labs, (&reader, &staff), SCALE, report).await
}

/// Measures every list over this many feature requests.
async fn lists(
    cli: &Cli,
    labs: &Running,
    (reader, staff): (&Reader, &Credentials),
    requests: u32,
    report: &mut Report,
) -> anyhow::Result<()> {
    let of_staff = token(labs, staff).await?;
    for read in reads::all(requests).iter().filter(|read| named(cli, read.name)) {
        let token = match read.by {
            By::Reader => reader.token(labs).await?,
            By::Staff => of_staff.clone(),
        };
        report.list(read.name, (requests, "feature requests"), turn(cli, labs, read, token).await?)?;
    }
    Ok(())
}

/// Runs one turn of a read, after a check that the read finds something.
async fn turn(cli: &Cli, labs: &Running, read: &Read, token: String) -> anyhow::Result<load::Turn> {
    let path = read.path.clone();
    let make = move |connection: usize, n: usize| load::get(&path(mixed(connection, n)), Some(&token));
    let answer = load::once(labs.address, &make).await?;
    let is_empty = answer.get("data").and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty);
    ensure!(!is_empty, "{}: it finds nothing", read.name);
    load::turn(labs.address, &make, Duration::from_secs(1)).await?;
    load::turn(labs.address, &make, Duration::from_secs(cli.seconds)).await
}

/// Makes the reader propose some feature requests, vote for some and follow others.
async fn take_part(labs: &Running, reader: &Reader) -> anyhow::Result<()> {
    let token = reader.sign_in(labs).await?;
    for n in 0..PROPOSALS {
        let text =
            serde_json::json!({ "title": format!("Propose the reader's own, number {n}"), "body": "As it says." });
        let body = Some(("application/json", text.to_string().into_bytes()));
        load::send(labs, Method::POST, "/v1/engagement/feature-requests", &token, body).await?;
    }
    for hundred in 0..KNOWN {
        for (what, number) in [("vote", hundred * 100 + 11), ("follow", hundred * 100 + 10)] {
            let path = format!("/v1/engagement/feature-requests/{}/{what}", id(number));
            load::send(labs, Method::PUT, &path, &token, None).await?;
        }
    }
    Ok(())
}
