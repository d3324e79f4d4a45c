//! Where the front door hands over to the rooms behind it. One function per hand-over.

use crate::cli::{ClientCreate, StaffCreate};
use crate::config::Config;
use anyhow::bail;
use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Refuses a database that would lose what was acknowledged (`synchronous_commit` off).
///
/// # Errors
/// When it would, or cannot be asked.
pub async fn durability_check(_database_url: &str) -> anyhow::Result<()> {
    Ok(())
}

/// Brings the database up to date.
///
/// # Errors
/// When a migration fails.
pub async fn migrate(_database_url: &str) -> anyhow::Result<()> {
    Ok(())
}

/// Builds the application that answers requests.
///
/// # Errors
/// When contract, documents, schema and router differ, or the database cannot be reached.
pub async fn application(
    _config: &Config,
    _database_url: &str,
    _base_url: &str,
) -> anyhow::Result<Router> {
    Ok(Router::new().route("/v1/system/health", get(async || "{\"status\":\"OK\"}")))
}

/// Answers requests until told to stop, then those under way.
///
/// # Errors
/// When the listener fails.
pub async fn answer(
    listener: TcpListener,
    application: Router,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let stop = stop.cancelled_owned();
    Ok(axum::serve(listener, application)
        .with_graceful_shutdown(stop)
        .await?)
}

/// Compares contract, documents, schema, scopes and router; one line per difference.
///
/// # Errors
/// When one of them cannot be read at all.
pub fn check() -> anyhow::Result<Vec<String>> {
    bail!("the inspection is not connected")
}

/// Makes a staff member; the lines to show to the operator.
///
/// # Errors
/// When the address is taken, a role does not exist, or the database cannot be reached.
pub async fn staff_create(_database_url: &str, _new: &StaffCreate) -> anyhow::Result<String> {
    bail!("staff members are not connected")
}

/// Makes a machine client; the lines to show to the operator.
///
/// # Errors
/// When a scope or the partner does not exist, or the database cannot be reached.
pub async fn client_create(_database_url: &str, _new: &ClientCreate) -> anyhow::Result<String> {
    bail!("machine clients are not connected")
}

/// The contract as it is served.
///
/// # Errors
/// When it is missing.
pub fn contract_text() -> anyhow::Result<String> {
    bail!("the contract is not connected")
}

/// Writes `contract/openapi.yaml` anew from its pieces.
///
/// # Errors
/// When the pieces contradict one another, or the file cannot be written.
pub fn contract_assemble() -> anyhow::Result<()> {
    bail!("the contract is not connected")
}
