//! The job that hands queued mail over.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::future::join_all;
use sqlx::PgPool;

use super::rules;
use super::store::{self, DueRow};
use crate::core::db::Db;
use crate::core::email::EmailAddress;
use crate::core::fault::Fault;
use crate::core::mail::deliver::{DeliveryError, Postman};
use crate::core::mail::message::{Letter, Locale, Message};
use crate::core::services::Services;

/// How long a claimed mail is nobody else's, in seconds: longer than the postman's patience with one mail, of
/// which a claimed handful is handed over side by side.
const LEASE_SECONDS: i32 = 120;

/// What a round of deliveries came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Mails handed over.
    pub sent: usize,
    /// Mails that will be tried again.
    pub postponed: usize,
    /// Mails given up.
    pub failed: usize,
}

/// Hands over every mail that is due. Several replicas may do so at once: each mail is claimed by one of them.
///
/// When the service dies between handing a mail over and writing that down, the mail is handed over again after
/// the lease, under the same Message-ID, so that receivers know it for the same.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the database is away. A mail server that refuses is no error here: it is
/// written on the mail.
pub fn deliver_due<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    postman: &'a Postman,
) -> BoxFuture<'a, Result<Round, Fault>> {
    async move {
        let db = Db::pooled(pool.clone());
        let mut round = Round::default();
        loop {
            let mut due = store::claim(&db, LEASE_SECONDS).await?;
            if due.is_empty() {
                return Ok(round);
            }
            due.sort_unstable_by_key(|row| row.message_uuid);
            let outcomes = join_all(due.iter().map(|row| hand_over(services, postman, row))).await;
            // What one of them came to is written down even when that of another could not be.
            let mut settled = Ok(());
            for (row, outcome) in due.iter().zip(outcomes) {
                settled = match (settled, settle(&db, row, outcome, &mut round).await) {
                    (Err(former), Err(fault)) => Err(fault.in_place_of(&former)),
                    (former, latest) => former.and(latest),
                };
            }
            settled?;
        }
    }
    .boxed()
}

async fn hand_over(services: &Services, postman: &Postman, row: &DueRow) -> Result<(), DeliveryError> {
    let letter = Letter::open(&services.key, row.message_uuid, &row.content_sealed)
        .map_err(|_| lasting("the mail message cannot be decrypted with this master key"))?;
    if let Letter::Asking { expires_at, .. } = &letter
        && *expires_at <= services.clock.now().0
    {
        return Err(lasting("the token in the mail message expired before the message could be sent"));
    }
    let recipient = EmailAddress::parse(&row.recipient).map_err(|_| lasting("the recipient's address is not valid"))?;
    let message = Message {
        message_uuid: row.message_uuid,
        recipient,
        locale: Locale::of(&row.locale),
        written_at: row.created_at.0,
        letter,
    };
    postman.send(&message).await
}

async fn settle(db: &Db, row: &DueRow, outcome: Result<(), DeliveryError>, round: &mut Round) -> Result<(), Fault> {
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
            tracing::error!(message_uuid = %row.message_uuid, attempt = row.attempts, cause = %error, "delivery of a mail message was given up");
            store::set_failed(db, row.message_uuid, &error.detail).await
        }
    }
}

fn lasting(detail: &str) -> DeliveryError {
    DeliveryError { is_permanent: true, detail: detail.to_owned() }
}
