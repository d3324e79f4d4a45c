//! `labs serve`: the order in which things start, and the reverse in which they stop.

use crate::config::Config;
use crate::database::Database;
use crate::folder::Folder;
use crate::{sample, wiring};
use anyhow::Context;
use labs_schema::time::Clock;
use std::io::Write;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Serves until SIGTERM or SIGINT, then ends what is under way and stops the database.
///
/// What needs least time to fail comes first: the folder's lock, the port, the database.
///
/// # Errors
/// Whatever keeps the service from starting or from stopping in order.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    let stop = stop_on_signal()?;
    let folder = Folder::open(&config.folder)?;
    let listener =
        TcpListener::bind(config.listen).await.with_context(|| format!("cannot listen on {}", config.listen))?;
    let url = config.database_url.as_ref();
    let database = Database::start(&folder, url, config.pg_bin.as_deref()).await?;
    let served = serve_with(&config, &database, listener, stop).await;
    let closed = database.close().await;
    served.and(closed)
}

/// Serves with a database that runs.
async fn serve_with(
    config: &Config,
    database: &Database,
    listener: TcpListener,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let address = listener.local_addr()?;
    let starting = async {
        wiring::durability_check(database.url()).await?;
        wiring::migrate(database.url()).await?;
        let base_url = config.base_url(address);
        if config.is_named_by_chance() {
            tracing::warn!(%base_url, "LABS_BASE_URL is not set: replicas at other addresses will refuse these tokens");
        }
        let application = wiring::application(config, database.url(), &base_url, Clock::default()).await?;
        if config.sample_data {
            sample::fill(application.engine(), &config.sign_ins_file(), &base_url).await?;
        }
        anyhow::Ok(application)
    };
    let application = tokio::select! {
        started = starting => started?,
        () = stop.cancelled() => return Ok(()),
    };
    announce(config, address);
    wiring::answer(listener, application, stop).await?;
    tracing::info!("all requests are answered");
    Ok(())
}

/// Tells whoever started the service that it is ready, and where to look.
fn announce(config: &Config, address: SocketAddr) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(announcement(config, address).as_bytes()).and_then(|()| out.flush()) {
        tracing::warn!(%error, "nobody reads standard output");
    }
}

/// The first line holds the base address, for programs; where others reach the service elsewhere than it listens, the second
/// tells where that is. The sheet of sign-ins is named only beside the private
/// database, which it belongs to.
fn announcement(config: &Config, address: SocketAddr) -> String {
    let base = config.base_url(address);
    let mut lines = format!("Labs is ready at {base}\n");
    if base != format!("http://{address}") {
        lines += &format!("  Listens at     {address}\n");
    }
    lines += &format!("  API reference  {base}/reference\n  Playground     {base}/playground\n");
    let sign_ins = config.sign_ins_file();
    if config.database_url.is_none() && sign_ins.exists() {
        lines += &format!("  Sign-ins       {}\n", sign_ins.display());
    }
    lines
}

/// The first signal cancels the token, which begins the orderly end; the second ends the process.
fn stop_on_signal() -> anyhow::Result<CancellationToken> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        either(&mut interrupts, &mut terminations).await;
        tracing::info!("stopping; another Ctrl-C stops at once");
        stopping.cancel();
        either(&mut interrupts, &mut terminations).await;
        // The private PostgreSQL notices by its pipe and ends in order. Nothing is cleared away in this process: other
        // threads go on until it is gone, and some libraries abort where they are used after that.
        signal_hook::low_level::exit(130);
    });
    Ok(stop)
}

async fn either(interrupts: &mut Signal, terminations: &mut Signal) {
    tokio::select! {
        _ = interrupts.recv() => {}
        _ = terminations.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn announced(arguments: &[&str]) -> String {
        let words = ["labs", "serve"].iter().chain(arguments);
        let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("`serve` is a command") };
        announcement(&serve.settle().unwrap(), "127.0.0.1:4711".parse().unwrap())
    }

    #[test]
    fn sign_ins_are_named_beside_the_database_that_they_open() {
        let place = tempfile::tempdir().unwrap();
        let folder = ["--folder", place.path().to_str().unwrap()];
        assert!(!announced(&folder).contains("Sign-ins"));
        std::fs::write(place.path().join("sign-ins.txt"), "").unwrap();
        let private = announced(&folder);
        assert!(private.starts_with("Labs is ready at http://127.0.0.1:4711\n"), "{private}");
        assert!(private.contains("Sign-ins") && !private.contains("Listens at"), "{private}");
        let named = announced(&[folder.as_slice(), &["--base-url", "https://labs.example"]].concat());
        assert!(
            named.starts_with("Labs is ready at https://labs.example\n  Listens at     127.0.0.1:4711\n"),
            "{named}"
        );
        let elsewhere = announced(&[folder.as_slice(), &["--database-url", "postgres://db/labs"]].concat());
        assert!(!elsewhere.contains("Sign-ins"), "{elsewhere}");
    }
}
