//! `labs serve`: the order of startup, and the reverse order of shutdown.

use crate::config::{Config, LogFormat, TraceSettings};
use crate::database::Database;
use crate::folder::Folder;
use crate::traces::Traces;
use crate::wiring::people;
use crate::{sample, telemetry, wiring};
use anyhow::anyhow;
use labs_rest::front::stop::StopSignal;
use labs_schema::media::store::MediaStore;
use labs_schema::time::Clock;
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Serves until SIGTERM or SIGINT, then finishes in-flight requests and stops the database.
///
/// Steps that fail fastest come first: the folder's lock, the port, the media, the database.
///
/// # Errors
/// Every error that prevents startup or a graceful shutdown.
pub async fn serve(config: Config, traces: Option<TraceSettings>) -> anyhow::Result<()> {
    let stop = stop_on_signal(&config)?;
    let folder = Folder::open(&config.folder)?;
    let listeners = Listeners::open(&config).await?;
    // Takes as much time as the start of the database, and does not need it.
    wiring::prepare_embedded();
    let media = wiring::media(&config).await?;
    let database = Database::start(&folder, config.database.as_ref(), config.pg_bin.as_deref()).await?;
    let tracing = traces.as_ref().map(Traces::begin).transpose()?;
    let served = serve_with(&config, (&database, media), listeners, stop).await;
    let closed = database.close().await;
    if let Some(tracing) = tracing {
        tracing.end().await;
    }
    served.and(closed)
}

/// The listeners of the service.
struct Listeners {
    service: TcpListener,
    metrics: Option<TcpListener>,
}

impl Listeners {
    async fn open(config: &Config) -> anyhow::Result<Self> {
        let service = listen(config.listen, "--listen or LABS_LISTEN").await?;
        let metrics = match config.metrics_listen {
            Some(address) => Some(listen(address, "--metrics-listen or LABS_METRICS_LISTEN").await?),
            None => None,
        };
        Ok(Self { service, metrics })
    }
}

/// Listens on an address, which these settings configure.
async fn listen(address: SocketAddr, settings: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let what = match error.kind() {
            ErrorKind::AddrInUse => "another process uses this address: stop it, or choose another port",
            ErrorKind::AddrNotAvailable => {
                "this machine does not have this address: choose one of its addresses, or 0.0.0.0 for all of them,"
            }
            ErrorKind::PermissionDenied => "only privileged processes can use ports below 1024: choose another port",
            _ => "choose another address",
        };
        anyhow!("cannot listen on {address} ({error}): {what} with {settings}")
    })
}

/// Serves with a running database.
async fn serve_with(
    config: &Config,
    (database, media): (&Database, MediaStore),
    listeners: Listeners,
    stop: StopSignal,
) -> anyhow::Result<()> {
    let address = listeners.service.local_addr()?;
    let starting = async {
        labs_schema::open::check_server(database.urls()).await?;
        let migrations = wiring::migrate(database.urls()).await?;
        let base_url = config.base_url(address);
        if config.is_named_by_chance() {
            tracing::warn!(%base_url, "LABS_BASE_URL is not set: replicas at other addresses will reject the access \
                                       tokens of this one");
        }
        let application = wiring::application(config, media, database.urls(), &base_url, Clock::default()).await?;
        if config.sample_data {
            sample::fill(application.engine(), &config.sign_ins_file(), &base_url).await?;
        }
        anyhow::Ok((application, migrations))
    };
    let (application, migrations) = tokio::select! {
        started = starting => started?,
        () = stop.wait_for_begin() => return Ok(()),
    };
    let scraped = listeners.metrics.as_ref().map(TcpListener::local_addr).transpose()?;
    log_start(config, database, (address, scraped), migrations)?;
    let has_staff = people::has_staff(application.engine()).await?;
    match config.log_format {
        LogFormat::Text => announce(config, address, scraped, has_staff),
        // With JSON, the line above contains the address.
        LogFormat::Json if has_staff => {}
        LogFormat::Json => {
            tracing::info!("no staff member exists yet: create the first one with `labs staff create`");
        }
    }
    let metrics = application.metrics().zip(listeners.metrics).map(|(metrics, listener)| {
        tokio::spawn(metrics.serve((application.engine().clone(), application.probes()), listener, stop.clone()))
    });
    wiring::answer(listeners.service, application, stop.clone()).await?;
    // If the service stopped early, no other part waits for the grace period.
    stop.close();
    if let Some(metrics) = metrics {
        metrics.await??;
    }
    tracing::info!("the shutdown is complete");
    Ok(())
}

/// Logs the configuration of the service in one line, without passwords.
fn log_start(
    config: &Config,
    database: &Database,
    (address, metrics): (SocketAddr, Option<SocketAddr>),
    migrations: usize,
) -> anyhow::Result<()> {
    let listed = |words: Vec<String>| if words.is_empty() { "none".to_owned() } else { words.join(", ") };
    let kind = if config.database.is_some() { "" } else { "private, " };
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        %address,
        base_url = config.base_url(address),
        database = format!("{kind}{}", labs_schema::open::describe(database.urls())?),
        migrations_run = migrations,
        mail = config.mail_place(),
        media = %config.media,
        cors_origins = listed(config.cors_origins.clone()),
        trusted_proxies = listed(config.trusted_proxies.iter().map(ToString::to_string).collect()),
        metrics = metrics.map_or_else(|| "none".to_owned(), |address| address.to_string()),
        log_requests = config.log_requests,
        "Labs is ready"
    );
    Ok(())
}

/// Prints on standard output that the service is ready, and its addresses.
fn announce(config: &Config, address: SocketAddr, metrics: Option<SocketAddr>, has_staff: bool) {
    let mut out = std::io::stdout().lock();
    let lines = format_announcement(config, address, metrics, has_staff);
    if let Err(error) = out.write_all(lines.as_bytes()).and_then(|()| out.flush()) {
        tracing::warn!(%error, "the start message could not be written to standard output");
    }
}

/// Returns the printed text. The first line contains the base address, for programs; if the service listens on another
/// address, the second line states it. The file of sign-ins is named only with the private database, to which it
/// belongs. If no staff member exists, the last line says how to create one.
fn format_announcement(config: &Config, address: SocketAddr, metrics: Option<SocketAddr>, has_staff: bool) -> String {
    let base = config.base_url(address);
    let mut lines = format!("Labs is ready at {base}\n");
    if base != format!("http://{address}") {
        lines += &format!("  Listens at     {address}\n");
    }
    lines += &format!("  API reference  {base}/reference\n  Playground     {base}/playground\n");
    if let Some(metrics) = metrics {
        lines += &format!("  Metrics        http://{metrics}/metrics\n");
    }
    let sign_ins = config.sign_ins_file();
    if config.database.is_none() && sign_ins.exists() {
        lines += &format!("  Sign-ins       {}\n", sign_ins.display());
        lines += "  Sample pages   npm run sample --prefix playground/sample\n";
    }
    if !has_staff {
        lines += "  No staff member exists yet. Create one: labs staff create --email you@example.com --name 'Your \
                  Name' --role ADMINISTRATOR\n";
    }
    lines
}

/// Returns the shutdown signal. The first system signal starts a graceful shutdown; the second one ends the process.
/// After SIGTERM, load balancers and their connections get the grace period. After Ctrl-C, the service waits only for
/// in-flight requests.
fn stop_on_signal(config: &Config) -> anyhow::Result<StopSignal> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    // No other server has a private database's data, so no load balancer redirects its requests.
    let stop = StopSignal::close_when_idle(config.database.is_none());
    let (stopping, grace) = (stop.clone(), config.stop_grace);
    tokio::spawn(async move {
        let has_grace = is_termination(&mut interrupts, &mut terminations).await && !grace.is_zero();
        let seconds = if has_grace { grace.as_secs() } else { 0 };
        tracing::info!(grace_seconds = seconds, "shutting down; another Ctrl-C stops at once");
        if has_grace {
            stopping.begin();
            tokio::select! {
                () = tokio::time::sleep(grace) => {}
                _ = is_termination(&mut interrupts, &mut terminations) => stop_at_once(),
            }
        }
        stopping.close();
        is_termination(&mut interrupts, &mut terminations).await;
        stop_at_once();
    });
    Ok(stop)
}

/// Ends the process. The private PostgreSQL detects the closed pipe and stops gracefully. This process runs no cleanup:
/// other threads continue until it has ended, and some libraries abort if they are used after cleanup.
fn stop_at_once() -> ! {
    telemetry::flush();
    signal_hook::low_level::exit(130)
}

/// Waits for a signal; returns whether it is SIGTERM.
async fn is_termination(interrupts: &mut Signal, terminations: &mut Signal) -> bool {
    tokio::select! {
        _ = interrupts.recv() => false,
        _ = terminations.recv() => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn write_announcement(arguments: &[&str]) -> String {
        let words = ["labs", "serve"].iter().chain(arguments);
        let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("`serve` is a command") };
        format_announcement(&serve.settle().unwrap(), "127.0.0.1:4711".parse().unwrap(), None, true)
    }

    #[test]
    fn sign_ins_are_announced_only_for_private_database() {
        let place = tempfile::tempdir().unwrap();
        let folder = ["--folder", place.path().to_str().unwrap()];
        assert!(!write_announcement(&folder).contains("Sign-ins"));
        std::fs::write(place.path().join("sign-ins.txt"), "").unwrap();
        let private = write_announcement(&folder);
        assert!(private.starts_with("Labs is ready at http://127.0.0.1:4711\n"), "{private}");
        assert!(
            private.contains("Sign-ins") && private.contains("npm run sample") && !private.contains("Listens at"),
            "{private}"
        );
        let named = write_announcement(&[folder.as_slice(), &["--base-url", "https://labs.example"]].concat());
        assert!(
            named.starts_with("Labs is ready at https://labs.example\n  Listens at     127.0.0.1:4711\n"),
            "{named}"
        );
        let elsewhere = write_announcement(&[folder.as_slice(), &["--database-url", "postgres://db/labs"]].concat());
        assert!(!elsewhere.contains("Sign-ins"), "{elsewhere}");
    }
}
