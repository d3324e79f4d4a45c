//! Cost of monitoring: the service with metrics, with traces of a tenth of the requests, and with traces of all
//! requests, each compared with the service without both. The forms take turns in each round. The collector runs in
//! this process and discards its input, so its CPU time counts as a cost of the traces.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use tokio::net::TcpListener;

use crate::Cli;
use crate::cases::{Case, Tokens, named};
use crate::forms::Running;
use crate::ground::PreparedData;
use crate::hand::{apps, listings};
use crate::load::{self, Make, Turn};
use crate::report::Report;

/// Minimum number of rounds, so that the interval is narrow enough for the bars. Each form starts equally often.
const ROUNDS: u32 = 12;
/// Measured reads.
static READS: [(&str, &Case); 2] =
    [("watched: marketplace_listings_get", &listings::CASE), ("watched: marketplace_apps_list", &apps::LIST)];

/// Monitoring settings of a form.
struct Setting {
    name: &'static str,
    /// Minimum rate compared with the form without metrics and traces.
    bar: f64,
    /// Environment variables, in addition to the common ones.
    variables: Vec<(&'static str, String)>,
}

/// Measures two of the cases, the listing and the page of apps, with each setting.
pub(crate) async fn measure(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    if !READS.iter().any(|(name, _)| named(cli, name)) {
        return Ok(());
    }
    let mut forms = Vec::new();
    for setting in settings(&collector().await?) {
        let form = ground.watched(&setting.variables).await?;
        forms.push((setting, form));
    }
    let Some((_, first)) = forms.first() else { return Ok(()) };
    let tokens = Tokens::issue(ground, first, &[]).await?;
    for (name, case) in READS.into_iter().filter(|(name, _)| named(cli, name)) {
        let make = case.make(ground.numbers(), &tokens);
        report.watched(name, &rounds(cli, &forms, &make).await?)?;
    }
    Ok(())
}

/// Requests each read once from a form with all settings. Returns the reads that did not answer.
pub(crate) async fn check(ground: &PreparedData) -> anyhow::Result<Vec<String>> {
    let mut failures = Vec::new();
    for setting in settings(&collector().await?).into_iter().skip(2).take(1) {
        let form = ground.watched(&setting.variables).await?;
        let tokens = Tokens::issue(ground, &form, &[]).await?;
        for (name, case) in READS {
            let answer = load::answer(form.address, &case.make(ground.numbers(), &tokens)).await?;
            failures.extend(answer.ensure_success().err().map(|error| format!("{name}: {error:#}")));
        }
    }
    Ok(failures)
}

/// Returns the settings. The first has neither metrics nor traces.
fn settings(collector: &str) -> [Setting; 4] {
    let metrics = || ("LABS_METRICS_LISTEN", "127.0.0.1:0".to_owned());
    let traces = || ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.to_owned());
    let sampler = ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio".to_owned());
    let tenth = vec![metrics(), traces(), sampler, ("OTEL_TRACES_SAMPLER_ARG", "0.1".to_owned())];
    [
        Setting { name: "nothing", bar: 1.0, variables: Vec::new() },
        Setting { name: "metrics", bar: 0.97, variables: vec![metrics()] },
        Setting { name: "metrics, a tenth traced", bar: 0.97, variables: tenth },
        Setting { name: "metrics, all traced", bar: 0.94, variables: vec![metrics(), traces()] },
    ]
}

/// Runs the turns of each form. A different form starts in each round.
async fn rounds(
    cli: &Cli,
    forms: &[(Setting, Running)],
    make: &Make,
) -> anyhow::Result<Vec<(&'static str, f64, Vec<Turn>)>> {
    let length = Duration::from_secs(cli.seconds);
    let mut turns: Vec<_> = forms.iter().map(|(setting, _)| (setting.name, setting.bar, Vec::new())).collect();
    for (_, form) in forms {
        load::turn(form.address, make, length / 3).await?;
    }
    for round in 0..cli.rounds.unwrap_or(ROUNDS).max(ROUNDS) as usize {
        for place in 0..forms.len() {
            let place = (round + place) % forms.len();
            if let (Some((_, form)), Some((_, _, turns))) = (forms.get(place), turns.get_mut(place)) {
                turns.push(load::turn(form.address, make, length).await?);
            }
        }
    }
    Ok(turns)
}

/// Starts a collector that discards its input, and returns its address.
async fn collector() -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new().route("/v1/traces", post(async |_: Bytes| ()));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(format!("http://{address}"))
}
