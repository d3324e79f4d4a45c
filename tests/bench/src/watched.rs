//! Cost of monitoring: the service with metrics, with traces of a tenth of the requests, and with traces of all
//! requests, each compared with the service without both. The forms take turns in each round. The collector runs in
//! this process and discards its input, so its CPU time counts as a cost of the traces.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use tokio::net::TcpListener;

use crate::Cli;
use crate::cases::{mixed, named};
use crate::forms::Running;
use crate::ground::PreparedData;
use crate::load::{self, Make, Turn};
use crate::report::Report;

/// Default number of rounds: each form starts equally often.
const ROUNDS: u32 = 12;
/// Environment variables of one form, in addition to the common ones.
type Variables = Vec<(&'static str, String)>;

/// Measures the two reads of the cases: the listing and the page of apps.
pub(crate) async fn measure(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    let reads = ["watched: marketplace_listings_get", "watched: marketplace_apps_list"];
    if !reads.iter().any(|read| named(cli, read)) {
        return Ok(());
    }
    let mut forms = Vec::new();
    for (name, variables) in forms_of(&collector().await?) {
        forms.push((name, ground.watched(&variables).await?));
    }
    let Some((_, first)) = forms.first() else { return Ok(()) };
    let token = ground.tokens(first).await?.swap_remove(0);
    let (apps, of_page) = (ground.apps(), token.clone());
    let listing: Box<Make> = Box::new(move |connection, n| {
        let number = 1 + mixed(connection, n) % apps;
        load::get(&format!("/v1/marketplace/public/listings/app-{number}"), Some(&token))
    });
    let page: Box<Make> = Box::new(move |_, _| load::get("/v1/marketplace/apps", Some(&of_page)));
    for (read, make) in reads.into_iter().zip([listing, page]).filter(|(read, _)| named(cli, read)) {
        report.watched(read, rounds(cli, &forms, &make).await?)?;
    }
    Ok(())
}

/// Returns the forms by name. The first has neither metrics nor traces.
fn forms_of(collector: &str) -> [(&'static str, Variables); 4] {
    let metrics = || ("LABS_METRICS_LISTEN", "127.0.0.1:0".to_owned());
    let traces = || ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.to_owned());
    let sampler = ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio".to_owned());
    [
        ("nothing", Vec::new()),
        ("metrics", vec![metrics()]),
        ("metrics, a tenth traced", vec![metrics(), traces(), sampler, ("OTEL_TRACES_SAMPLER_ARG", "0.1".to_owned())]),
        ("metrics, all traced", vec![metrics(), traces()]),
    ]
}

/// Runs the turns of each form. A different form starts in each round.
async fn rounds(
    cli: &Cli,
    forms: &[(&'static str, Running)],
    make: &Make,
) -> anyhow::Result<Vec<(&'static str, Vec<Turn>)>> {
    let length = Duration::from_secs(cli.seconds);
    let mut turns: Vec<(&'static str, Vec<Turn>)> = forms.iter().map(|(name, _)| (*name, Vec::new())).collect();
    for (_, form) in forms {
        load::turn(form.address, make, length / 3).await?;
    }
    for round in 0..cli.rounds.unwrap_or(ROUNDS) as usize {
        for place in 0..forms.len() {
            let place = (round + place) % forms.len();
            if let (Some((_, form)), Some((_, turns))) = (forms.get(place), turns.get_mut(place)) {
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
