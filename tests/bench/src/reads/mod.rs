//! `make bench -- --all`: every read of the contract compared with a replay of the same statements.
//!
//! The benchmark starts a service without jobs that connects to the database through a tap, and sends each read until
//! two runs in a row are alike. The statements of the last run are the recording. A separate process then serves the
//! recorded bytes behind the same token check, after it runs the same statements with the same parameters; if there is
//! an audit record, it gets a new id each time. Service and replay take turns under the same load. The replay runs
//! every statement for every request, so results that the service shares between concurrent callers count in its
//! favour.

mod recording;
pub(crate) mod replay;
mod requests;
pub(crate) mod stage;
mod table;
mod tap;
mod wire;

use std::time::Duration;

use anyhow::ensure;
use bytes::Bytes;
use sqlx::Connection as _;

use crate::Cli;
use crate::cases::{measure_turn, named};
use crate::costs::Meter;
use crate::forms::Running;
use crate::load::{self, At, Make};
use crate::report::line;
use recording::Recording;
use requests::Request;
use stage::Stage;
use table::{Measured, Table};
use tap::Tap;

/// Default number of rounds of each read: the minimum for a confidence interval of the median.
const ROUNDS: u32 = 6;

/// The processes under test.
struct Forms {
    labs: Running,
    replay: Running,
    /// The service without its jobs, behind the tap.
    recorded: Running,
    tap: Tap,
    /// Processor time of the service.
    meter: Meter,
}

impl Forms {
    async fn start(stage: &Stage) -> anyhow::Result<Self> {
        let (ground, tap) = (&stage.ground, Tap::open(stage.ground.database()).await?);
        let recorded = ground.form_by("recorded", tap.address());
        let (labs, replay, recorded) = tokio::try_join!(ground.form("labs"), ground.form("replay"), recorded)?;
        let meter = Meter::of(&labs, ground).await?;
        Ok(Self { labs, replay, recorded, tap, meter })
    }
}

/// Measures every read.
pub(crate) async fn measure(cli: &Cli) -> anyhow::Result<()> {
    let stage = Stage::prepare(cli.apps).await?;
    let forms = Forms::start(&stage).await?;
    let mut tokens = stage.tokens(&forms.labs).await?;
    let mut table = Table::default();
    line(&table::head())?;
    for request in requests(&stage).await? {
        let request = match request {
            Ok(request) => request,
            Err(why) => {
                table.lacks(why)?;
                continue;
            }
        };
        if !named(cli, &request.operation) {
            continue;
        }
        let callers = stage.may_ask(&forms.labs, &mut tokens, &request).await?;
        match read(cli, &forms, &request, callers).await {
            Ok(measured) => table.add(measured)?,
            Err(why) => table.lacks(format!("{}: {why:#}", request.operation))?,
        }
    }
    table.print()
}

/// Records, replays and compares every read once. Returns the number of reads, and the reads that could not be
/// requested or that a form did not answer as expected.
pub(crate) async fn check(stage: &Stage) -> anyhow::Result<(usize, Vec<String>)> {
    let forms = Forms::start(stage).await?;
    let (mut tokens, mut failures) = (stage.tokens(&forms.labs).await?, Vec::new());
    let requests = requests(stage).await?;
    let count = requests.len();
    for request in requests {
        let request = match request {
            Ok(request) => request,
            Err(why) => {
                failures.push(why);
                continue;
            }
        };
        let callers = stage.may_ask(&forms.labs, &mut tokens, &request).await?;
        let (scope, make) = (scope_of(&request, &callers), make(&request, callers));
        let recorded = async {
            let recording = recording::record(&forms.recorded, &forms.tap, &make, scope).await?;
            give(&forms.replay, &recording).await?;
            is_answered(&forms, &make, &recording).await
        };
        failures.extend(recorded.await.err().map(|why| format!("{}: {why:#}", request.operation)));
    }
    Ok((count, failures))
}

async fn requests(stage: &Stage) -> anyhow::Result<Vec<Result<Request, String>>> {
    let mut owner = stage.ground.owner().await?;
    let requests = requests::all(&mut owner).await?;
    owner.close().await?;
    Ok(requests)
}

/// Returns the scope that the replay requires. Empty: any token is sufficient.
fn scope_of(request: &Request, callers: &[String]) -> Option<String> {
    (!callers.is_empty()).then(|| request.access.scope().unwrap_or_default().to_owned())
}

fn make(request: &Request, callers: Vec<String>) -> Box<Make> {
    let path = request.path.clone();
    Box::new(move |at: &At<'_>| {
        let caller = callers.get((at.connection * 2 + at.n % 2) % callers.len().max(1));
        load::get(&path, caller.map(String::as_str))
    })
}

async fn read(cli: &Cli, forms: &Forms, request: &Request, callers: Vec<String>) -> anyhow::Result<Measured> {
    let (scope, make) = (scope_of(request, &callers), make(request, callers));
    let recording = recording::record(&forms.recorded, &forms.tap, &make, scope).await?;
    give(&forms.replay, &recording).await?;
    is_answered(forms, &make, &recording).await?;
    let size = recording.body.len();
    let mut measured = Measured::new(&request.operation, recording.statements.len(), size, &notes(&recording));
    drop(recording);
    let (labs, replay) = (forms.labs.address, forms.replay.address);
    let turn = Duration::from_millis(cli.milliseconds);
    load::turn(labs, &make, turn / 2).await?;
    load::turn(replay, &make, turn / 2).await?;
    for round in 0..cli.rounds.unwrap_or(ROUNDS) {
        // The form that runs second slows down because of the remaining work of the first. The order alternates, so
        // that each form runs second in half of the rounds.
        let (of_labs, of_replay) = if round % 2 == 0 {
            let of_labs = measure_turn(&forms.meter, labs, &make, turn).await?;
            (of_labs, load::turn(replay, &make, turn).await?)
        } else {
            let of_replay = load::turn(replay, &make, turn).await?;
            (measure_turn(&forms.meter, labs, &make, turn).await?, of_replay)
        };
        measured.round(of_labs, of_replay);
    }
    Ok(measured)
}

/// Returns remarks about a read, for example that it is audited.
fn notes(recording: &Recording) -> Vec<&str> {
    let is_audited = recording.statements.iter().any(|statement| statement.text.starts_with("insert into audit_log"));
    let notes = [
        ("transaction", recording.has_transaction()),
        ("audited", is_audited),
        ("from a file", recording.is_file()),
        (recording.media_type.as_str(), !recording.media_type.starts_with("application/json")),
        ("EMPTY LIST", recording.is_empty_list()),
    ];
    notes.into_iter().filter_map(|(note, holds)| holds.then_some(note)).collect()
}

/// Sets the response that the replay serves from now on.
async fn give(replay: &Running, recording: &Recording) -> anyhow::Result<()> {
    let body = Bytes::from(serde_json::to_vec(recording)?);
    let make = move |_: &At<'_>| load::request(http::Method::PUT, replay::RECORDING, None, Some(("", body.clone())));
    let answer = load::answer(replay.address, &make).await?;
    ensure!(answer.status == 204, "the replay does not take the recording: {}", answer.status);
    Ok(())
}

/// Rejects a read that either form no longer answers as recorded: a comparison of speed would mean nothing. The
/// service's response may differ in its request id and in the records of a list of audit records.
async fn is_answered(forms: &Forms, make: &Make, recording: &Recording) -> anyhow::Result<()> {
    let labs = load::answer(forms.labs.address, make).await?;
    ensure!(labs.status == 200 && labs.media_type == recording.media_type, "the service answers {}", labs.status);
    let replayed = load::answer(forms.replay.address, make).await?;
    ensure!(replayed.status == 200, "the replay answers {}", replayed.status);
    ensure!(replayed.body == recording.body, "the replay answers other bytes");
    Ok(())
}
