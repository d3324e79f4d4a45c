//! The job that reminds partners of their calls to deprecated elements.

use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::deprecation::DeprecationTarget;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_mail::message::{DeprecatedCall, DeprecationNotice, MailContent, Notice};
use labs_mail::outbox;
use sqlx::PgPool;
use uuid::Uuid;

use super::store::{self, Due};

/// Sends each due partner one reminder of all its due deprecations, each partner in a separate transaction. Returns the
/// number of reminded partners. A failure delays no other partner; the next run retries it.
///
/// # Errors
/// If the database does not answer.
pub async fn remind_callers(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let mut by_partner = BTreeMap::<Uuid, Vec<Due>>::new();
    for due in store::due_page(&Db::from_pool(pool.clone())).await? {
        by_partner.entry(due.partner_uuid).or_default().push(due);
    }
    let mut notified = 0;
    for (partner_uuid, due) in by_partner {
        let db = Db::own_transaction(pool.clone());
        let outcome = remind(&db, services, partner_uuid, &due).await;
        match db.settle(outcome).await {
            Ok(true) => notified += 1,
            Ok(false) => {}
            Err(fault) => {
                tracing::warn!(%partner_uuid, cause = fault.for_log(), "a deprecation reminder was not sent to a \
                                                                        partner; the next run retries");
            }
        }
    }
    Ok(notified)
}

/// Returns whether there was anything to remind of.
async fn remind(db: &Db, services: &Services, partner_uuid: Uuid, due: &[Due]) -> Result<bool, Fault> {
    let mut is_new = false;
    for step in due {
        is_new |= store::insert_reminder(db, step).await?;
    }
    if !is_new {
        return Ok(false);
    }
    let still_called = store::still_called_page(db, partner_uuid).await?;
    let calls: Vec<DeprecatedCall> = still_called
        .into_iter()
        .filter_map(|call| {
            let what = DeprecationTarget::of_columns(call.columns)?.describe().replace('`', "");
            let requests = u64::try_from(call.requests).unwrap_or_default();
            Some(DeprecatedCall { what, requests, program: call.program, sunset_at: call.sunset_at.0 })
        })
        .collect();
    let write = |name| MailContent::Telling(Notice::Deprecation(DeprecationNotice { name, calls: calls.clone() }));
    outbox::queue_to_administrators(db, services, partner_uuid, write).await?;
    Ok(true)
}
