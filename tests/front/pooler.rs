//! Tests with PgBouncer between the service and its database. They run only if PgBouncer is available: `./test pooler`
//! downloads it.

use std::process::{Command, Output};

use tempfile::TempDir;

use super::{LABS, said, serve};
use crate::harness::{Harness, Pooler, Replica};

/// Starts a service whose queries use the first URL and whose notification listener uses the second, and returns its
/// output.
fn start(url: &str, listen_url: Option<&str>) -> Output {
    let place = tempfile::tempdir().unwrap();
    let mut command = serve(&Command::new(LABS), "127.0.0.1:0", place.path());
    command.env("DATABASE_URL", url);
    if let Some(url) = listen_url {
        command.env("LABS_LISTEN_DATABASE_URL", url);
    }
    command.output().unwrap()
}

fn refused(output: &Output, words: &str) {
    let told = said(output);
    assert!(!output.status.success() && told.contains(words), "not {words:?}: {told}");
}

/// A harness whose database is as durable as the service requires in production.
async fn house() -> Harness {
    let harness = Harness::new().await;
    harness.sql(&of_database("alter database %I set synchronous_commit = on")).await;
    harness
}

/// A statement that names the current database.
fn of_database(statement: &str) -> String {
    format!("do $$ begin execute format($_${statement}$_$, current_database()); end $$")
}

#[tokio::test]
#[ignore = "takes PgBouncer: ./test pooler"]
async fn session_pooling_works_and_receives_revocations() {
    let mut harness = house().await;
    let beside = harness.twin(&[]).await;
    let person = harness.partner("Tischwerk").await;
    let pooler = Pooler::start(&harness.database_url, "session");
    let place = TempDir::new().unwrap();
    let replica = Replica::start_at(&harness, &place, &pooler.url(&harness.database_url)).await;
    harness.use_address(replica.address());
    harness.call("auth_account_get").token(&person.token).expect(200).await;
    beside.call("auth_sessions_sign_out_everywhere").token(&person.token).send().await;
    let is_refused = || async { harness.call("auth_account_get").token(&person.token).send().await.status == 401 };
    harness.soon("the replica hears of the sessions' end", is_refused).await;
}

#[tokio::test]
#[ignore = "takes PgBouncer: ./test pooler"]
async fn transaction_pooling_requires_further_settings_at_start() {
    let harness = house().await;
    let pooler = Pooler::start(&harness.database_url, "transaction");
    let (straight, pooled) = (harness.database_url.as_str(), pooler.url(&harness.database_url));
    refused(&start(&pooled, None), "Set LABS_LISTEN_DATABASE_URL to an address of PostgreSQL itself");
    refused(&start(&pooled, Some(&pooled)), "Set LABS_LISTEN_DATABASE_URL to another address");
    refused(&start(&pooled, Some(straight)), "ALTER ROLE labs SET role = 'labs_service'");

    // Applies the settings of the error message, for this database only, because others share the role. After the last
    // setting, the service sets nothing more at connect.
    for setting in [
        "statement_timeout = '10s'",
        "lock_timeout = '3s'",
        "idle_in_transaction_session_timeout = '15s'",
        "role = 'labs_service'",
    ] {
        harness.sql(&of_database(&format!("alter role labs in database %I set {setting}"))).await;
    }
    // Debian 12 has PgBouncer 1.18, which does not support prepared statements.
    let fresh = Pooler::start(straight, "transaction");
    refused(&start(&fresh.url(straight), Some(straight)), "PgBouncer 1.21 or later with max_prepared_statements");
}

#[tokio::test]
#[ignore = "takes PgBouncer: ./test pooler"]
async fn migrations_are_rejected_over_transaction_pooling() {
    let harness = house().await;
    let pooler = Pooler::start(&harness.database_url, "transaction");
    let newest = "delete from _sqlx_migrations where version = (select max(version) from _sqlx_migrations)";
    harness.sql(newest).await;
    let output = Command::new(LABS).args(["migrate", "--database-url", &pooler.url(&harness.database_url)]).output();
    refused(&output.unwrap(), "Set LABS_MIGRATE_URL to an address of PostgreSQL itself");
}
