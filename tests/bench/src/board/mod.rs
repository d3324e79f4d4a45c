//! Benchmark of the board: its callers, and with `--scale` each of its lists over ten times the rows.
//!
//! The caller is a user of a partner that registered through the API, because machine clients cannot vote.

mod reader;
mod reads;

use std::time::Duration;

use anyhow::{Context as _, ensure};
use http::Method;

use crate::Cli;
use crate::cases::{measure_turn, named};
use crate::costs::Meter;
use crate::forms::Running;
use crate::ground::{Credentials, PreparedData, client, token};
use crate::load::{self, At, Make};
use crate::report::Report;
pub(crate) use reader::Reader;
pub(crate) use reads::id;
use reads::{By, Read};

/// Number of feature requests with `--scale`. A normal run has a tenth of it.
pub(crate) const SCALE: u32 = 100_000;
/// Number of feature requests that the reader proposes: the daily maximum of one user.
const PROPOSALS: u32 = 20;
/// Interval at which the benchmark clears the votes and comments of the day, because it sends more than a user may.
const FORGETTING: Duration = Duration::from_millis(200);

/// Clears the votes and comments of the day repeatedly, so that no user reaches a daily maximum. Never ends by itself.
pub(crate) async fn forget_limits(ground: &PreparedData) -> anyhow::Result<()> {
    let mut owner = ground.owner().await?;
    loop {
        sqlx::query("delete from board_vote_budget").execute(&mut owner).await?;
        sqlx::query("delete from board_daily_use").execute(&mut owner).await?;
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
    report.describe(&ground).await?;
    let staff = create_staff_client(&ground).await?;
    ground.seed_board(SCALE / 10).await?;
    let labs = ground.form("labs").await?;
    let reader = Reader::register(&ground, &labs).await?;
    take_part(&labs, &reader, SCALE / 10).await?;
    lists(cli, &ground, &labs, (&reader, &staff), (SCALE / 10, report)).await?;
    drop(labs);
    ground.seed_board(SCALE).await?;
    let labs = ground.form("labs").await?;
    lists(cli, &ground, &labs, (&reader, &staff), (SCALE, report)).await
}

async fn create_staff_client(ground: &PreparedData) -> anyhow::Result<Credentials> {
    let engine = ground.inside().await?;
    let staff = client(&engine, "bench of the board", &["labs.admin.engagement"], None).await?;
    engine.pool().close().await;
    Ok(staff)
}

/// Measures every list over this many feature requests.
async fn lists(
    cli: &Cli,
    ground: &PreparedData,
    labs: &Running,
    (reader, staff): (&Reader, &Credentials),
    (requests, report): (u32, &mut Report),
) -> anyhow::Result<()> {
    let (of_staff, meter) = (token(labs, staff).await?, Meter::of(labs, ground).await?);
    for read in reads::all(requests).iter().filter(|read| named(cli, read.name)) {
        let make = read.make(match read.by {
            By::Reader => reader.token(labs).await?,
            By::Staff => of_staff.clone(),
        });
        read.finds_something(labs, &make).await?;
        load::turn(labs.address, &make, Duration::from_secs(1)).await?;
        let turn = measure_turn(&meter, labs.address, &make, Duration::from_secs(cli.seconds)).await;
        report.list(read.name, (requests, "feature requests"), turn.context(read.name)?)?;
    }
    Ok(())
}

/// Requests every list once, over this many feature requests. Returns the number of lists, and the lists that did not
/// answer or found nothing.
pub(crate) async fn check(
    ground: &PreparedData,
    labs: &Running,
    reader: &Reader,
    requests: u32,
) -> anyhow::Result<(usize, Vec<String>)> {
    take_part(labs, reader, requests).await?;
    let of_staff = token(labs, &create_staff_client(ground).await?).await?;
    let (reads, of_reader, mut failures) = (reads::all(requests), reader.token(labs).await?, Vec::new());
    for read in &reads {
        let make = read.make(match read.by {
            By::Reader => of_reader.clone(),
            By::Staff => of_staff.clone(),
        });
        if let Err(error) = read.finds_something(labs, &make).await {
            failures.push(format!("{error:#}"));
        }
    }
    Ok((reads.len(), failures))
}

impl Read {
    fn make(&self, token: String) -> Box<Make> {
        let path = self.path.clone();
        Box::new(move |at: &At<'_>| load::get(&path(at.drawn()), Some(&token)))
    }

    /// Rejects a read that finds nothing.
    async fn finds_something(&self, labs: &Running, make: &Make) -> anyhow::Result<()> {
        let answer = load::answer(labs.address, make).await?.json().context(self.name)?;
        let is_empty = answer.get("data").and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty);
        ensure!(!is_empty, "{}: it finds nothing", self.name);
        Ok(())
    }
}

/// Makes the reader propose some feature requests, and vote for one and follow one of each hundred of these many.
async fn take_part(labs: &Running, reader: &Reader, requests: u32) -> anyhow::Result<()> {
    let token = reader.sign_in(labs).await?;
    for n in 0..PROPOSALS {
        let text =
            serde_json::json!({ "title": format!("Propose the reader's own, number {n}"), "body": "As it says." });
        let body = Some(("application/json", text.to_string().into_bytes()));
        load::send(labs, Method::POST, "/v1/engagement/feature-requests", Some(&token), body).await?;
    }
    for hundred in 0..requests / 100 {
        for (what, number) in [("vote", hundred * 100 + 11), ("follow", hundred * 100 + 10)] {
            let path = format!("/v1/engagement/feature-requests/{}/{what}", id(number));
            load::send(labs, Method::PUT, &path, Some(&token), None).await?;
        }
    }
    Ok(())
}
