//! A newer version beside an older one, which serves on until the newer one does.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{Connection as _, PgConnection, SqlSafeStr as _};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::harness::{Harness, Replica};

/// What the newer version brings: a table, a column with a default, rows that change, an index.
const PREPARED: &str = "
    set lock_timeout = '10s';
    create table upgrade_of_tests (partner_uuid uuid primary key);
    alter table partner add column upgraded boolean not null default false;
    update partner set upgraded = true;
    create index partner_upgraded_idx on partner (upgraded);
    reset lock_timeout;
";

/// Applies it as the newer version would: by the same migrator, behind all that there are.
async fn migrate(database_url: &str) {
    let mut migrations: Vec<Migration> = sqlx::migrate!().iter().cloned().collect();
    let (name, sql) = (Cow::from("prepared"), PREPARED.into_sql_str());
    migrations.push(Migration::new(9000, name, MigrationType::Simple, sql, false));
    let mut owner = PgConnection::connect(database_url).await.unwrap();
    Migrator::with_migrations(migrations).run(&mut owner).await.unwrap();
}

/// Callers who read and write without a pause. Where to is looked up before each call, as a balancer does that takes a
/// replica out before it stops.
struct Load {
    to: watch::Sender<String>,
    callers: Vec<Caller>,
}

/// One of them, and how many of their calls were answered.
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

    /// Waits until everybody had some more calls answered, all of them well. Who looked up the former address is done with it.
    async fn goes_on(&self, harness: &Harness) {
        let count = |caller: &Caller| caller.answered.load(Ordering::Acquire);
        let before: Vec<u64> = self.callers.iter().map(count).collect();
        let have_gone_on = || {
            let all = self.callers.iter().zip(&before).all(|(caller, before)| count(caller) > before + 5);
            async move { all }
        };
        harness.soon("everybody is answered", have_gone_on).await;
        assert!(self.callers.iter().all(|caller| !caller.asks.is_finished()), "a caller was refused");
    }

    /// Ends them; what a refused one says.
    async fn end(self) {
        drop(self.to);
        for caller in self.callers {
            caller.asks.await.unwrap();
        }
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
async fn a_newer_version_takes_over_under_load_and_nobody_is_refused() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 100000, daily_requests = 10000000").await;
    let mut tokens = Vec::new();
    for company in ["Tischwerk", "Nordsee Kassen", "Alpenglut"] {
        tokens.push(harness.partner(company).await.token);
    }
    let place = TempDir::new().unwrap();
    let older = Replica::start(&harness, &place).await;
    let load = Load::start(tokens, format!("http://{}", older.address()));
    load.goes_on(&harness).await;
    migrate(&harness.database_url).await;
    load.goes_on(&harness).await;
    let newer = harness.twin(&["--attempts-per-minute", "100000"]).await;
    load.to.send(newer.base_url.clone()).unwrap();
    load.goes_on(&harness).await;
    older.end().await;
    load.goes_on(&harness).await;
    let readiness = format!("{}/v1/system/readiness", newer.base_url);
    let is_ready = || async { harness.http().get(&readiness).send().await.unwrap().status() == 200 };
    harness.soon("the newer one is ready", is_ready).await;
    load.end().await;
}
