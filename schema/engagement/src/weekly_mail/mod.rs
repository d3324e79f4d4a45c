//! Weekly mail about the board: the number of answers and status changes by staff in the previous week. It is the same
//! for every subscribed user, so that it reveals no votes or follows.

mod store;
mod unsubscribe;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_mail::message::{BoardWeek, MailContent, Notice};
use labs_mail::outbox;
use sqlx::PgPool;
use uuid::Uuid;

pub use unsubscribe::{is_token, unsubscribe};

/// Users who are read per query.
const PAGE: i64 = 200;

/// Writes to every subscribed user who has not received this week's mail: once per user and week, even if it runs often
/// or was interrupted. Without activity on the board, no mail is sent. Returns the number of queued mails.
///
/// # Errors
/// If the database does not answer.
pub async fn mail_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let reads = Db::from_pool(pool.clone());
    let week = store::week(&reads).await?;
    if week.status_changes == 0 && week.answers == 0 {
        return Ok(0);
    }
    let (mut written, mut last) = (0, Uuid::nil());
    loop {
        let people = store::due_page(&reads, last, PAGE).await?;
        for person_uuid in &people {
            let db = Db::own_transaction(pool.clone());
            let outcome = write(&db, services, *person_uuid, week).await;
            match db.settle(outcome).await {
                Ok(is_written) => written += u64::from(is_written),
                Err(fault) => {
                    tracing::warn!(%person_uuid, cause = fault.for_log(), "a weekly e-mail was not queued; the next \
                                                                           run retries");
                }
            }
        }
        match people.last() {
            Some(person_uuid) => last = *person_uuid,
            None => return Ok(written),
        }
    }
}

/// Queues the mail for a user; false if it was already sent.
async fn write(db: &Db, services: &Services, person_uuid: Uuid, week: store::Week) -> Result<bool, Fault> {
    if !store::lock_due(db, person_uuid).await? {
        return Ok(false);
    }
    let Some(to) = outbox::load_addressee(db, person_uuid).await? else { return Ok(false) };
    let content = MailContent::Telling(Notice::BoardWeek(BoardWeek {
        name: to.name.clone(),
        status_changes: week.status_changes,
        answers: week.answers,
        token: unsubscribe::token(&services.key, person_uuid),
    }));
    let message_uuid = labs_crypto::uuid_at(services.clock.now().0);
    outbox::queue_by(db, services, message_uuid, &to, &content).await?;
    Ok(true)
}
