//! Job that reminds partners whose versions wait for an answer, and withdraws versions without an answer
//! (docs/decisions/review.md#silent-partners).

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_mail::message::{MailContent, Notice, VersionReview, VersionReviewEvent};
use labs_mail::outbox;
use sqlx::PgPool;
use uuid::Uuid;

use super::store::{self, SilentSubmission};

/// Days without an answer after which the partner is reminded, once each.
const REMINDERS: [i32; 2] = [14, 30];
/// Days without an answer after which a version is withdrawn.
const END: i32 = 90;

/// Action that is due after a number of days and reminders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SilenceStep {
    Nothing,
    /// Reminder. The value is the number of reminders sent, including this one.
    Reminder(i32),
    End,
}

fn due(days: i32, reminders: i32) -> SilenceStep {
    if days >= END {
        return SilenceStep::End;
    }
    let owed = REMINDERS.iter().filter(|after| days >= **after).count();
    let owed = i32::try_from(owed).unwrap_or(i32::MAX);
    if owed > reminders { SilenceStep::Reminder(owed) } else { SilenceStep::Nothing }
}

/// Executes the due action for every submission whose partner does not answer, each in a separate transaction, and
/// returns their number. A failed submission does not block the others; the next run retries it.
///
/// # Errors
/// If the database does not answer.
pub async fn process_silent(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let mut attended = 0;
    for submission_uuid in store::silent_page(&Db::from_pool(pool.clone())).await? {
        let db = Db::own_transaction(pool.clone());
        let outcome = process_one(&db, services, submission_uuid).await;
        match db.settle(outcome).await {
            Ok(true) => attended += 1,
            Ok(false) => {}
            Err(fault) => {
                tracing::warn!(%submission_uuid, cause = fault.for_log(), "a reminder about a submission was not \
                                                                           sent to the partner; the next run retries");
            }
        }
    }
    Ok(attended)
}

async fn process_one(db: &Db, services: &Services, submission_uuid: Uuid) -> Result<bool, Fault> {
    let Some(silent) = store::lock_silent(db, submission_uuid).await? else { return Ok(false) };
    let event = match due(silent.days, silent.reminders) {
        SilenceStep::Nothing => return Ok(false),
        SilenceStep::Reminder(reminders) => {
            store::set_reminded(db, submission_uuid, reminders).await?;
            VersionReviewEvent::Reminded
        }
        SilenceStep::End => {
            store::lapse(db, submission_uuid, silent.version_uuid).await?;
            VersionReviewEvent::Lapsed
        }
    };
    for person_uuid in store::addressees_page(db, submission_uuid).await? {
        let Some(to) = outbox::load_addressee(db, person_uuid).await? else { continue };
        let message_uuid = labs_crypto::uuid_at(services.clock.now().0);
        outbox::queue_by(db, services, message_uuid, &to, &compose_mail(&silent, to.name.clone(), event)).await?;
    }
    Ok(true)
}

fn compose_mail(silent: &SilentSubmission, name: String, event: VersionReviewEvent) -> MailContent {
    let SilentSubmission { app_uuid, version_uuid, .. } = silent;
    MailContent::Telling(Notice::VersionReview(VersionReview {
        name,
        app: silent.app_name.clone(),
        version: silent.version_number.clone(),
        path: super::thread_path(*app_uuid, *version_uuid),
        event,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_partner_gets_two_reminders_before_withdrawal() {
        let told: Vec<SilenceStep> =
            [(13, 0), (14, 0), (29, 1), (30, 1), (89, 2), (90, 2)].map(|(days, reminders)| due(days, reminders)).into();
        let expected = [
            SilenceStep::Nothing,
            SilenceStep::Reminder(1),
            SilenceStep::Nothing,
            SilenceStep::Reminder(2),
            SilenceStep::Nothing,
            SilenceStep::End,
        ];
        assert_eq!(told, expected);
        assert_eq!(due(40, 0), SilenceStep::Reminder(2), "a service that was off sends one of two");
        assert_eq!(due(200, 0), SilenceStep::End);
    }
}
