//! `make bench -- --all`: every read of the contract beside a replay of its own statements.
//!
//! A service without jobs that reaches the database through a tap is asked for each read until it does the same twice in
//! a row; what it said to PostgreSQL then is the recording. A process of its own answers the recorded bytes behind the same token check,
//! after the same statements with the same parameters, an audit record under a new id each time included. Service and
//! replay take turns under the same load. What the service shares between callers who ask at the same moment is its
//! merit: the replay runs every statement for every request.

mod recording;
pub(crate) mod replay;
mod requests;
mod stage;
mod table;
mod tap;
mod wire;

use std::time::Duration;

use anyhow::ensure;
use bytes::Bytes;
use http_body_util::Full;
use sqlx::Connection as _;

use crate::Cli;
use crate::forms::Running;
use crate::load::{self, Make};
use crate::report::line;
use recording::Recording;
use requests::Request;
use stage::Stage;
use table::{Measured, Table};
use tap::Tap;

/// Rounds of each read when none are asked for: the fewest that tell how sure the middle one is.
const ROUNDS: u32 = 6;

/// The processes that answer.
struct Forms {
    labs: Running,
    replay: Running,
    /// The service without its jobs, behind the tap.
    recorded: Running,
    tap: Tap,
}

/// Measures every read.
pub(crate) async fn measure(cli: &Cli) -> anyhow::Result<()> {
    let stage = Stage::prepare(cli.apps).await?;
    let mut owner = stage.ground.owner().await?;
    let requests = requests::all(&mut owner).await?;
    owner.close().await?;
    let tap = Tap::open(stage.ground.database()).await?;
    let recorded = stage.ground.form_by("recorded", tap.address()).await?;
    let (labs, replay) = (stage.ground.form("labs").await?, stage.ground.form("replay").await?);
    let forms = Forms { labs, replay, recorded, tap };
    let mut tokens = stage.tokens(&forms.labs).await?;
    let mut table = Table::default();
    line(&table::head())?;
    for request in requests {
        let request = match request {
            Ok(request) => request,
            Err(why) => {
                table.lacks(why)?;
                continue;
            }
        };
        if cli.only.as_ref().is_some_and(|only| !request.operation.contains(only.as_str())) {
            continue;
        }
        let callers = stage.may_ask(&forms.labs, &mut tokens, &request.access).await?;
        match read(cli, &forms, &request, callers).await {
            Ok(measured) => table.add(measured)?,
            Err(why) => table.lacks(format!("{}: {why:#}", request.operation))?,
        }
    }
    table.print()
}

/// Measures one read.
async fn read(cli: &Cli, forms: &Forms, request: &Request, callers: Vec<String>) -> anyhow::Result<Measured> {
    let scope = (!callers.is_empty()).then(|| request.access.scope().unwrap_or_default().to_owned());
    let path = request.path.clone();
    let make = move |connection: usize, n: usize| {
        let caller = callers.get((connection * 2 + n % 2) % callers.len().max(1));
        load::get(&path, caller.map(String::as_str))
    };
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
        // Whoever comes first finds what the other left: each does half of the time.
        let (of_labs, of_replay) = if round % 2 == 0 {
            let of_labs = load::turn(labs, &make, turn).await?;
            (of_labs, load::turn(replay, &make, turn).await?)
        } else {
            let of_replay = load::turn(replay, &make, turn).await?;
            (load::turn(labs, &make, turn).await?, of_replay)
        };
        measured.round(&of_labs, &of_replay);
    }
    Ok(measured)
}

/// What is to be known of a read beside its rate.
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

/// Has the replay answer this from now on.
async fn give(replay: &Running, recording: &Recording) -> anyhow::Result<()> {
    let body = Bytes::from(serde_json::to_vec(recording)?);
    let make = move |_: usize, _: usize| {
        let request = http::Request::put(replay::RECORDING).header("host", "bench");
        Ok(request.body(Full::new(body.clone()))?)
    };
    let answer = load::answer(replay.address, &make).await?;
    ensure!(answer.status == 204, "the replay does not take the recording: {}", answer.status);
    Ok(())
}

/// Both must answer what was recorded before it means anything that one is faster. What the service answers may have
/// changed meanwhile: another request id, another record in a list of records.
async fn is_answered(forms: &Forms, make: &Make, recording: &Recording) -> anyhow::Result<()> {
    let labs = load::answer(forms.labs.address, make).await?;
    ensure!(labs.status == 200 && labs.media_type == recording.media_type, "the service answers {}", labs.status);
    let replayed = load::answer(forms.replay.address, make).await?;
    ensure!(replayed.status == 200, "the replay answers {}", replayed.status);
    ensure!(replayed.body == recording.body, "the replay answers other bytes");
    Ok(())
}
