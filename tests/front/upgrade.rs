//! Tests of an upgrade and of the way back: the older version keeps serving while the newer version starts, and starts
//! again on the database that the newer version has migrated.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::json;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{Connection as _, PgConnection, SqlSafeStr as _};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::harness::{Harness, Replica};
use crate::soak;

/// Schema changes of the newer version: a table, a column with a default, changed rows, an index.
const PREPARED: &str = "
    set lock_timeout = '10s';
    create table upgrade_of_tests (partner_uuid uuid primary key);
    alter table partner add column upgraded boolean not null default false;
    update partner set upgraded = true;
    create index partner_upgraded_idx on partner (upgraded);
    reset lock_timeout;
";

/// Applies them as the newer version would: with the same migrator, after all existing migrations.
async fn migrate(database_url: &str) {
    let mut migrations: Vec<Migration> = sqlx::migrate!().iter().cloned().collect();
    let (name, sql) = (Cow::from("prepared"), PREPARED.into_sql_str());
    migrations.push(Migration::new(9000, name, MigrationType::Simple, sql, false));
    let mut owner = PgConnection::connect(database_url).await.unwrap();
    Migrator::with_migrations(migrations).run(&mut owner).await.unwrap();
    // The newer version says that the older one can run after its migration.
    let allow = "insert into migration_compatibility (version, oldest_program)
                 select 9000, max(version) from _sqlx_migrations where version < 9000";
    sqlx::raw_sql(allow).execute(&mut owner).await.unwrap();
}

/// Callers that read and write without a pause. Each call looks up its target, like a load balancer that removes a
/// replica before it stops.
struct Load {
    to: watch::Sender<String>,
    callers: Vec<Caller>,
}

/// One caller, and the number of its answered calls.
struct Caller {
    answered: Arc<AtomicU64>,
    asks: tokio::task::JoinHandle<()>,
}

impl Load {
    fn start(tokens: Vec<String>, base_url: String) -> Self {
        let (to, looked_up) = watch::channel(base_url);
        let call = |token| {
            let answered = Arc::new(AtomicU64::new(0));
            let asks = tokio::spawn(ask_on(token, looked_up.clone(), Arc::clone(&answered)));
            Caller { answered, asks }
        };
        let callers = tokens.into_iter().map(call).collect();
        Self { to, callers }
    }

    /// Waits until each caller has several more successful responses. After that, no caller uses the former address.
    async fn wait_for_more_calls(&self, harness: &Harness) {
        let count = |caller: &Caller| caller.answered.load(Ordering::Acquire);
        let before: Vec<u64> = self.callers.iter().map(count).collect();
        let have_gone_on = || {
            let all = self.callers.iter().zip(&before).all(|(caller, before)| count(caller) > before + 5);
            async move { all }
        };
        harness.soon("everybody is answered", have_gone_on).await;
        assert!(self.callers.iter().all(|caller| !caller.asks.is_finished()), "a caller was refused");
    }

    /// Stops the callers and panics if a call was rejected. Returns the number of answered calls.
    async fn end(self) -> u64 {
        drop(self.to);
        let mut answered = 0;
        for caller in self.callers {
            caller.asks.await.unwrap();
            answered += caller.answered.load(Ordering::Acquire);
        }
        answered
    }
}

async fn ask_on(token: String, to: watch::Receiver<String>, answered: Arc<AtomicU64>) {
    let client = reqwest::Client::new();
    while to.has_changed().is_ok() {
        let account = format!("{}/v1/auth/account", to.borrow().as_str());
        let read = client.get(&account).bearer_auth(&token).send().await.unwrap();
        assert_eq!(read.status(), 200, "{}", read.text().await.unwrap());
        let number = answered.fetch_add(1, Ordering::AcqRel);
        let body = json!({ "name": format!("Mara {number}") });
        let written = client.patch(&account).bearer_auth(&token).json(&body).send().await.unwrap();
        assert_eq!(written.status(), 200, "{}", written.text().await.unwrap());
        answered.fetch_add(1, Ordering::AcqRel);
    }
}

#[tokio::test]
async fn rolling_upgrade_and_downgrade_under_load_reject_no_request() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 100000, daily_requests = 10000000").await;
    let mut tokens = Vec::new();
    for company in ["Tischwerk", "Nordsee Kassen", "Alpenglut"] {
        tokens.push(harness.partner(company).await.token);
    }
    let place = TempDir::new().unwrap();
    let older = Replica::start_former(&harness, &place).await;
    let begun = Instant::now();
    let load = Load::start(tokens, format!("http://{}", older.address()));
    load.wait_for_more_calls(&harness).await;
    migrate(&harness.database_url).await;
    load.wait_for_more_calls(&harness).await;
    let newer = harness.twin(&["--attempts-per-minute", "100000"]).await;
    load.to.send(newer.base_url.clone()).unwrap();
    load.wait_for_more_calls(&harness).await;
    older.end().await;
    load.wait_for_more_calls(&harness).await;
    let readiness = format!("{}/v1/system/readiness", newer.base_url);
    let is_ready = || async { harness.http().get(&readiness).send().await.unwrap().status() == 200 };
    harness.soon("the newer one is ready", is_ready).await;
    let place_of_older = TempDir::new().unwrap();
    let older = Replica::start_former(&harness, &place_of_older).await;
    load.to.send(format!("http://{}", older.address())).unwrap();
    load.wait_for_more_calls(&harness).await;
    let (answered, seconds) = (load.end().await, begun.elapsed().as_secs_f64());
    older.end().await;
    soak::figure(&format!(
        "upgrade and way back: {answered} requests, {:.0} a second, none rejected",
        answered as f64 / seconds
    ));
}
