//! The job that warns partners whose daily budget is nearly spent.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_mail::message::{MailContent, Notice, QuotaNotice};
use labs_mail::outbox;
use sqlx::PgPool;

use super::rules::WARNED_AT_PERCENT;
use super::store::{self, NearlySpent};

/// Warns each partner that has used [`WARNED_AT_PERCENT`] of its daily budget, once a day, each in a separate transaction.
/// Returns the number of warned partners. A failure delays no other partner; the next run retries it.
///
/// # Errors
/// If the database does not answer.
pub async fn warn_of_quota(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let mut warned = 0;
    for spent in store::nearly_spent_page(&Db::from_pool(pool.clone()), WARNED_AT_PERCENT).await? {
        let db = Db::own_transaction(pool.clone());
        let outcome = warn(&db, services, &spent).await;
        match db.settle(outcome).await {
            Ok(true) => warned += 1,
            Ok(false) => {}
            Err(fault) => {
                let partner_uuid = spent.partner_uuid;
                tracing::warn!(%partner_uuid, cause = fault.for_log(), "a partner was not warned of its daily budget; \
                                                                        the next run retries");
            }
        }
    }
    Ok(warned)
}

/// Returns whether the partner was not warned on this day before.
async fn warn(db: &Db, services: &Services, spent: &NearlySpent) -> Result<bool, Fault> {
    if !store::note_warning(db, spent.partner_uuid).await? {
        return Ok(false);
    }
    let NearlySpent { company, used, limit, resets_at, .. } = spent;
    let write = |name| {
        let (company, resets_at) = (company.clone(), resets_at.0);
        MailContent::Telling(Notice::Quota(QuotaNotice { name, company, used: *used, limit: *limit, resets_at }))
    };
    outbox::queue_to_each(db, services, &store::list_warned_users(db, spent.partner_uuid).await?, write).await?;
    Ok(true)
}
