//! Job that sends queued mail.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::future::join_all;
use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_core::services::Services;
use sqlx::PgPool;

use super::rules;
use super::store::{self, DueRow};
use crate::deliver::{DeliveryError, Mailer};
use crate::message::{Locale, MailContent, Message};

/// Seconds for which a claimed message is reserved: longer than the mailer's time limit for one message. The few
/// messages of a claim are sent in parallel.
const LEASE_SECONDS: i32 = 120;

/// Result of a delivery run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryRound {
    /// Messages sent.
    pub sent: usize,
    /// Messages to be retried.
    pub postponed: usize,
    /// Messages given up.
    pub failed: usize,
}

/// Sends every due message. Several replicas can run it at once: each message is claimed by one of them.
///
/// If the service stops after sending a message and before recording it, the message is sent again after the lease. The
/// Message-ID is the same, so that receivers recognise it.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer. A rejection by the mail server is not an error
/// here; it is recorded on the message.
pub fn deliver_due<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    mailer: &'a Mailer,
) -> BoxFuture<'a, Result<DeliveryRound, Fault>> {
    async move {
        let db = Db::from_pool(pool.clone());
        let mut round = DeliveryRound::default();
        loop {
            let mut due = store::claim(&db, LEASE_SECONDS).await?;
            if due.is_empty() {
                return Ok(round);
            }
            due.sort_unstable_by_key(|row| row.message_uuid);
            let outcomes = join_all(due.iter().map(|row| hand_over(services, mailer, row))).await;
            // The result of each message is recorded even if recording another one failed.
            let mut settled = Ok(());
            for (row, outcome) in due.iter().zip(outcomes) {
                settled = match (settled, settle(&db, row, outcome, &mut round).await) {
                    (Err(former), Err(fault)) => Err(fault.replacing(&former)),
                    (former, latest) => former.and(latest),
                };
            }
            settled?;
        }
    }
    .boxed()
}

async fn hand_over(services: &Services, mailer: &Mailer, row: &DueRow) -> Result<(), DeliveryError> {
    let content = MailContent::open(&services.key, row.message_uuid, &row.content_sealed)
        .map_err(|_| permanent_error("the mail message cannot be decrypted with this master key"))?;
    if let MailContent::Asking { expires_at, .. } = &content
        && *expires_at <= services.clock.now().0
    {
        return Err(permanent_error("the token in the mail message expired before the message could be sent"));
    }
    let recipient =
        EmailAddress::parse(&row.recipient).map_err(|_| permanent_error("the recipient's address is not valid"))?;
    let message = Message {
        message_uuid: row.message_uuid,
        recipient,
        locale: Locale::of(&row.locale),
        written_at: row.created_at.0,
        content,
    };
    mailer.send(&message).await
}

async fn settle(
    db: &Db,
    row: &DueRow,
    outcome: Result<(), DeliveryError>,
    round: &mut DeliveryRound,
) -> Result<(), Fault> {
    let Err(error) = outcome else {
        round.sent += 1;
        return store::set_sent(db, row.message_uuid).await;
    };
    let wait = if error.is_permanent { None } else { rules::wait_after(row.attempts) };
    match wait {
        Some(seconds) => {
            round.postponed += 1;
            tracing::warn!(message_uuid = %row.message_uuid, attempt = row.attempts, wait_seconds = seconds, cause = %error, "a mail message was not delivered; delivery is retried");
            store::set_postponed(db, row.message_uuid, seconds, &error.detail).await
        }
        None => {
            round.failed += 1;
            tracing::error!(message_uuid = %row.message_uuid, attempt = row.attempts, cause = %error, "a mail message failed permanently; delivery is not retried");
            store::set_failed(db, row.message_uuid, &error.detail).await
        }
    }
}

fn permanent_error(detail: &str) -> DeliveryError {
    DeliveryError { is_permanent: true, detail: detail.to_owned() }
}
