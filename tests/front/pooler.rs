//! PgBouncer between the service and its database. They run where it is: `./test pooler` brings it.

use std::process::{Command, Output};

use tempfile::TempDir;

use super::{LABS, said, serve};
use crate::harness::{Harness, Pooler, Replica};

/// What a start comes to whose requests go this way, and its listening connections that one.
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

/// A house whose database is as safe as a service of its own asks.
async fn house() -> Harness {
    let harness = Harness::new().await;
    harness.sql(&of_database("alter database %I set synchronous_commit = on")).await;
    harness
}

/// A statement that names the database for which it is.
fn of_database(statement: &str) -> String {
    format!("do $$ begin execute format($_${statement}$_$, current_database()); end $$")
}

#[tokio::test]
#[ignore = "takes PgBouncer: ./test pooler"]
async fn by_sessions_a_replica_works_as_without_and_hears_of_rights_that_end() {
    let mut harness = house().await;
    let beside = harness.twin(&[]).await;
    let person = harness.partner("Tischwerk").await;
    let pooler = Pooler::start(&harness.database_url, "session");
    let place = TempDir::new().unwrap();
    let replica = Replica::start_at(&harness, &place, &pooler.url(&harness.database_url)).await;
    harness.stand_behind(replica.address());
    harness.call("auth_account_get").token(&person.token).expect(200).await;
    beside.call("auth_sessions_sign_out_everywhere").token(&person.token).send().await;
    let is_refused = || async { harness.call("auth_account_get").token(&person.token).send().await.status == 401 };
    harness.soon("the replica hears of the sessions' end", is_refused).await;
}

#[tokio::test]
#[ignore = "takes PgBouncer: ./test pooler"]
async fn by_transactions_a_start_is_refused_until_all_is_set_that_it_takes() {
    let harness = house().await;
    let pooler = Pooler::start(&harness.database_url, "transaction");
    let (straight, pooled) = (harness.database_url.as_str(), pooler.url(&harness.database_url));
    refused(&start(&pooled, None), "Set LABS_LISTEN_DATABASE_URL to an address of PostgreSQL itself");
    refused(&start(&pooled, Some(&pooled)), "Set LABS_LISTEN_DATABASE_URL to another address");
    refused(&start(&pooled, Some(straight)), "ALTER ROLE labs SET role = 'labs_service'");

    // What the sentence says, for this database alone: others share the role. Whoever signs in after the last one sets no more.
    for setting in [
        "statement_timeout = '10s'",
        "lock_timeout = '3s'",
        "idle_in_transaction_session_timeout = '15s'",
        "role = 'labs_service'",
    ] {
        harness.sql(&of_database(&format!("alter role labs in database %I set {setting}"))).await;
    }
    // Debian 12 has PgBouncer 1.18, which does not know what was prepared.
    let fresh = Pooler::start(straight, "transaction");
    refused(&start(&fresh.url(straight), Some(straight)), "PgBouncer 1.21 or later with max_prepared_statements");
}

#[tokio::test]
#[ignore = "takes PgBouncer: ./test pooler"]
async fn migrations_are_not_run_over_connections_that_are_lent_for_a_transaction() {
    let harness = house().await;
    let pooler = Pooler::start(&harness.database_url, "transaction");
    let newest = "delete from _sqlx_migrations where version = (select max(version) from _sqlx_migrations)";
    harness.sql(newest).await;
    let output = Command::new(LABS).args(["migrate", "--database-url", &pooler.url(&harness.database_url)]).output();
    refused(&output.unwrap(), "Set LABS_MIGRATE_URL to an address of PostgreSQL itself");
}
