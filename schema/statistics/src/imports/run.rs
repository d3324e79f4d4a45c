//! The import job: claims an import, renews its lease, and ends it.
//!
//! Every replica runs the job; one replica claims each import. If that replica dies, another one claims the import
//! again. A replica that returns late detects that it has lost the claim.

use std::pin::Pin;
use std::time::Duration;

use labs_core::day::Day;
use labs_core::db::{Db, TransactionOptions};
use labs_core::fault::Fault;
use labs_core::services::Services;
use sqlx::PgPool;
use tokio::time::Instant;
use uuid::Uuid;

use super::report::{ImportError, ImportErrorCode, MOST_PAGES, Report};
use super::rules::{self, ImportAction, StatisticsImportState, Step};
use super::store::{self, Claim};

/// Time that a replica works on an import before it checks whether it must stop.
const TURN: Duration = Duration::from_secs(5);
/// Interval at which the replica renews its lease while it reads. The lease lasts a minute.
const RENEW: Duration = Duration::from_secs(20);

/// A page of a day, or the error.
pub type PageAnswer = Result<Vec<u8>, ImportError>;

/// Source that reports the number of customers of each app per day: `contract/platform-statistics.yaml`.
pub trait UsageSource: Send + Sync {
    /// Returns a page of a day: the first one, or the page of a cursor.
    fn page<'a>(&'a self, day: Day, cursor: Option<&'a str>) -> Pin<Box<dyn Future<Output = PageAnswer> + Send + 'a>>;
}

/// Imports missing and requested days for the length of one turn. Returns the number of requested days.
///
/// # Errors
/// If the database does not answer. The import runs contain the error of each day that was not imported.
pub async fn import_due(pool: &PgPool, services: &Services, source: &dyn UsageSource) -> Result<u64, Fault> {
    let Some(settings) = &services.settings.statistics else { return Ok(0) };
    let db = Db::from_pool(pool.clone());
    store::delete_sample(&db).await?;
    store::schedule(&db, settings.first_day).await?;
    let running = rules::next_state(StatisticsImportState::Queued, ImportAction::Start)?;
    let Some(claim) = store::claim(&db, running).await? else { return Ok(0) };
    store::mark_broken(&db, &claim).await?;
    let (begun, mut asked) = (Instant::now(), 0);
    loop {
        let (next, outcomes) = store::progress(&db, &claim).await?;
        match rules::step(next, &outcomes) {
            Step::Ask(day) if begun.elapsed() < TURN => {
                if !import_day(&db, source, &claim, day).await? {
                    return Ok(asked);
                }
                asked += 1;
            }
            Step::Ask(_) => {
                store::release(&db, &claim).await?;
                return Ok(asked);
            }
            Step::End(action) => {
                store::end(&db, &claim, rules::next_state(running, action)?).await?;
                return Ok(asked);
            }
        }
    }
}

/// Requests a day and stores it, or logs the error; false if another replica has claimed the import.
async fn import_day(db: &Db, source: &dyn UsageSource, claim: &Claim, day: Day) -> Result<bool, Fault> {
    let Some(run_uuid) = store::begin_run(db, claim, day).await? else { return Ok(false) };
    let mut report = Report::default();
    match read(db, source, claim, day, &mut report).await? {
        Some(Ok(())) => keep(db, claim, run_uuid, day, &report).await,
        Some(Err(error)) => {
            tracing::warn!(%day, code = error.code.name(), cause = error.message, "a day of statistics was not imported");
            store::run_fail(db, run_uuid, report.pages, &error).await?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Reads every page of a day; `None` if another replica has claimed the import since.
async fn read(
    db: &Db,
    source: &dyn UsageSource,
    claim: &Claim,
    day: Day,
    report: &mut Report,
) -> Result<Option<Result<(), ImportError>>, Fault> {
    let (mut cursor, mut held) = (None::<String>, Instant::now());
    for _ in 0..MOST_PAGES {
        if held.elapsed() >= RENEW {
            if !store::renew(db, claim).await? {
                return Ok(None);
            }
            held = Instant::now();
        }
        let page = source.page(day, cursor.as_deref()).await;
        match page.and_then(|page| report.add(day, &page)) {
            Ok(None) => return Ok(Some(Ok(()))),
            Ok(next) => cursor = next,
            Err(error) => return Ok(Some(Err(error))),
        }
    }
    let message = format!("One day has more than {MOST_PAGES} pages.");
    Ok(Some(Err(ImportError::new(ImportErrorCode::TooLarge, message))))
}

/// Stores all figures of a day in one transaction; false, without a write, if another replica has claimed the import
/// since.
async fn keep(db: &Db, claim: &Claim, run_uuid: Uuid, day: Day, report: &Report) -> Result<bool, Fault> {
    let db =
        Db::own_transaction_with(db.pool().clone(), TransactionOptions::default().with("statement_timeout", "2min"));
    let kept = async {
        if !store::lock(&db, claim).await? {
            return Ok(false);
        }
        store::keep(&db, run_uuid, day, report).await?;
        Ok(true)
    };
    let kept = kept.await;
    db.settle(kept).await
}
