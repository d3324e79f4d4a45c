//! The two forms that serve HTTP, each in a separate process.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use axum::serve::ListenerExt as _;
use clap::{Args, Parser as _};
use labs::cli::{Cli, Command};
use labs::config::{self, Config, Serve};
use labs::traces::Traces;
use labs::{telemetry, wiring};
use labs_rest::contract::Contract;
use labs_rest::probes::Probes;
use labs_rest::{BoundContract, Rest};
use labs_schema::Engine;
use labs_schema::open::DatabaseUrls;
use labs_schema::time::Clock;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::hand;
use crate::reads::replay;

/// Base URL of every form.
const BASE: &str = "http://bench";

/// Resources that a form serves from.
#[derive(Args, Clone, Debug)]
pub(crate) struct Where {
    /// The database, as its owner
    #[arg(long)]
    database: String,
    /// Secrets and media
    #[arg(long)]
    folder: PathBuf,
}

/// A running form.
pub(crate) struct Running {
    /// Address on which it listens.
    pub(crate) address: SocketAddr,
    child: tokio::process::Child,
}

impl Running {
    /// Starts this program as the form with these environment variables and waits for its address.
    pub(crate) async fn start(
        form: &str,
        database: &str,
        folder: &std::path::Path,
        variables: &[(&str, String)],
    ) -> anyhow::Result<Self> {
        let mut child = tokio::process::Command::new(std::env::current_exe()?)
            .args([form, "--database", database, "--folder"])
            .arg(folder)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let out = child.stdout.take().context("a form has a standard output")?;
        let line = BufReader::new(out).lines().next_line().await?.with_context(|| format!("{form} did not start"))?;
        Ok(Self { address: line.parse()?, child })
    }

    /// Returns the id of the process.
    pub(crate) fn id(&self) -> anyhow::Result<u32> {
        self.child.id().context("the form has ended")
    }

    /// Returns the current resident memory in megabytes.
    pub(crate) async fn megabytes(&self) -> anyhow::Result<f64> {
        let id = self.id()?.to_string();
        let kilobytes = if std::path::Path::new("/proc/self").exists() {
            let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
            line.trim().trim_end_matches(" kB").to_owned()
        } else {
            let out = tokio::process::Command::new("ps").args(["-o", "rss=", "-p", &id]).output().await?;
            String::from_utf8_lossy(&out.stdout).trim().to_owned()
        };
        Ok(kilobytes.parse::<f64>()? / 1024.0)
    }
}

/// Runs the service with the same setup as `labs serve`.
pub(crate) async fn labs(place: &Where) -> anyhow::Result<()> {
    let (listener, application) = application(place).await?;
    wiring::answer(listener, application, CancellationToken::new()).await
}

/// Runs the service with the logs, metrics and traces that its environment variables configure.
pub(crate) async fn watched(place: &Where) -> anyhow::Result<()> {
    let traces = config::traces(|name| std::env::var(name).ok())?;
    telemetry::start(&serve(place)?.common, false, traces.is_some())?;
    let _traces = traces.as_ref().map(Traces::begin).transpose()?;
    let (listener, application) = application(place).await?;
    if let Some(metrics) = application.metrics() {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        tokio::spawn(metrics.serve(
            (application.engine().clone(), application.probes()),
            listener,
            CancellationToken::new(),
        ));
    }
    wiring::answer(listener, application, CancellationToken::new()).await
}

/// Runs the hand-written handlers with the service's own pool and token check.
pub(crate) async fn hand(place: &Where) -> anyhow::Result<()> {
    let (listener, application) = application(place).await?;
    let router = hand::router(application.engine().clone());
    answer(listener, application.engine(), router).await
}

/// Replays a recording of the service, with the service's own pool and token check.
pub(crate) async fn replay(place: &Where) -> anyhow::Result<()> {
    let (listener, application) = application(place).await?;
    let router = replay::router(application.engine().clone());
    answer(listener, application.engine(), router).await
}

async fn answer(listener: TcpListener, engine: &Engine, router: Router) -> anyhow::Result<()> {
    // Keeps cached principals valid. Without it, every request would load its principal again.
    let authority = Arc::clone(&engine.services().authority);
    tokio::spawn(authority.watch(CancellationToken::new()));
    let listener = listener.tap_io(|stream| {
        // Without it, the last packet of a response waits for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, router).await?)
}

/// Runs the service without jobs, so that only requests access the database. No probe changes its readiness.
pub(crate) async fn recorded(place: &Where) -> anyhow::Result<()> {
    let (listener, application) = application(place).await?;
    let (engine, config) = (application.engine().clone(), config(place)?);
    tokio::spawn(Arc::clone(&engine.services().authority).watch(CancellationToken::new()));
    let Config { cors_origins, trusted_proxies, limits, .. } = config;
    let settings = labs_rest::Settings {
        serves_agents: false,
        base_url: BASE.to_owned(),
        cors_origins,
        trusted_proxies,
        limits,
        security_contact: None,
    };
    let contract = Contract::embedded().map_err(|found| anyhow::anyhow!("the contract cannot be read: {found:?}"))?;
    let bound = BoundContract::to(engine.plan(), contract).await;
    let bound = bound.map_err(|found| anyhow::anyhow!("the parts do not agree: {found:?}"))?;
    let probes = Probes::new(Vec::new(), Box::new(|| Box::pin(async { Vec::new() })));
    let router = labs_rest::dispatch::router(&Arc::new(Rest::new(engine, Arc::new(bound), settings, probes)));
    Ok(labs_rest::front::server::serve(listener, router, Vec::new(), CancellationToken::new()).await?)
}

fn config(place: &Where) -> anyhow::Result<Config> {
    serve(place)?.settle()
}

fn serve(place: &Where) -> anyhow::Result<Box<Serve>> {
    let folder = place.folder.to_string_lossy();
    let place_of = ["labs", "serve", "--folder", &folder, "--database-url", &place.database, "--base-url", BASE];
    // All clients request their tokens at once, and no client may exhaust a budget.
    let roomy = ["--attempts-per-minute", "100000", "--anonymous-per-second", "1000000"];
    let roomy = roomy.into_iter().chain(["--anonymous-per-day", "1000000000", "--own-per-second", "1000000"]);
    let words = place_of.into_iter().chain(roomy);
    let Command::Serve(serve) = Cli::parse_from(words).command else { anyhow::bail!("`serve` is a command") };
    Ok(serve)
}

async fn application(place: &Where) -> anyhow::Result<(TcpListener, wiring::Application)> {
    let config = config(place)?;
    let (media, database) = (wiring::media(&config).await?, DatabaseUrls::new(&place.database));
    let application = wiring::application(&config, media, &database, BASE, Clock::default()).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    crate::report::line(&listener.local_addr()?.to_string())?;
    Ok((listener, application))
}
