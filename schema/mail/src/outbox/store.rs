//! SQL statements of queued mail.

pub(super) mod addressee;

use ipnet::IpNet;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use crate::outbox::Recipient;

/// Message to send, claimed for a limited time.
pub(super) struct DueRow {
    pub(super) message_uuid: Uuid,
    pub(super) recipient: String,
    pub(super) locale: String,
    pub(super) content_sealed: Vec<u8>,
    /// Number of this attempt, counted from one.
    pub(super) attempts: i32,
    pub(super) created_at: Time,
}

/// Message to insert.
pub(super) struct NewMessage<'a> {
    pub(super) message_uuid: Uuid,
    pub(super) kind: &'a str,
    pub(super) subject: &'a str,
    pub(super) content_sealed: &'a [u8],
    /// Partner that the message is about, if it is not the recipient's partner.
    pub(super) about_partner_uuid: Option<Uuid>,
    /// Network of the request that caused the message.
    pub(super) network: Option<IpNet>,
    /// Whether there is a recipient. The same statement runs in both cases.
    pub(super) is_meant: bool,
}

pub(super) async fn insert(db: &Db, to: &Recipient, message: &NewMessage<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into mail_message (message_uuid, kind, recipient, locale, subject, content_sealed, person_uuid, partner_uuid,
                                   about_partner_uuid, asked_from)
         select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 where $11",
        message.message_uuid,
        message.kind,
        to.email,
        to.locale,
        message.subject,
        message.content_sealed,
        to.person_uuid,
        to.partner_uuid,
        message.about_partner_uuid,
        message.network as Option<IpNet>,
        message.is_meant,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Makes concurrent requests that mail this address wait until the transaction ends.
pub(super) async fn lock_recipient(db: &Db, email: &str) -> Result<(), Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('mail:' || lower($1), 0))", email)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Counts the messages of these kinds queued for an address in the last hour, ignoring case.
pub(super) async fn count_recent(db: &Db, email: &str, kinds: &[String]) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from mail_message
            where lower(recipient) = lower($1) and created_at > labs_now() - interval '1 hour' and kind = any($2)"#,
        email,
        kinds
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether a message of this kind was queued for a user in the last day.
pub(super) async fn was_mailed_today(db: &Db, person_uuid: Uuid, kind: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from mail_message where person_uuid = $1 and kind = $2
                             and created_at > labs_now() - interval '1 day') as "was_told!""#,
        person_uuid,
        kind
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Numbers of messages of some kinds to an address.
pub(super) struct AskedRow {
    /// In the last hour, caused by one network.
    pub(super) from_network: i64,
    /// In the last day, from all networks.
    pub(super) today: i64,
}

/// Counts the recent messages of these kinds to an address, ignoring case.
pub(super) async fn count_requested(db: &Db, email: &str, kinds: &[String], network: IpNet) -> Result<AskedRow, Fault> {
    Ok(sqlx::query_as!(
        AskedRow,
        r#"select count(*) filter (where asked_from = $3 and created_at > labs_now() - interval '1 hour') as "from_network!",
                  count(*) as "today!"
             from mail_message
            where lower(recipient) = lower($1) and created_at > labs_now() - interval '1 day' and kind = any($2)"#,
        email,
        kinds,
        network as IpNet,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Claims a few due messages. Other replicas do not take them until the lease ends; if the claiming replica stops, they
/// become due again.
pub(super) async fn claim(db: &Db, lease_seconds: i32) -> Result<Vec<DueRow>, Fault> {
    Ok(sqlx::query_as!(
        DueRow,
        r#"with due as (
             select message_uuid from mail_message
              where state = 'QUEUED' and next_attempt_at <= labs_now()
              order by next_attempt_at, message_uuid
              limit 8
                for update skip locked
           )
           update mail_message
              set attempts = attempts + 1, next_attempt_at = labs_now() + make_interval(secs => $1),
                  claimed_until = labs_now() + make_interval(secs => $1)
             from due
            where mail_message.message_uuid = due.message_uuid
           returning mail_message.message_uuid, recipient, locale, content_sealed as "content_sealed!", attempts, created_at"#,
        f64::from(lease_seconds)
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Marks a message as sent and deletes its content.
pub(super) async fn set_sent(db: &Db, message_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update mail_message set state = 'SENT', sent_at = labs_now(), content_sealed = null, last_error = null,
                claimed_until = null
          where message_uuid = $1 and state = 'QUEUED'",
        message_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Schedules the next attempt after some seconds.
pub(super) async fn set_postponed(db: &Db, message_uuid: Uuid, seconds: i64, error: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update mail_message
            set next_attempt_at = labs_now() + $2::bigint * interval '1 second', last_error = $3, claimed_until = null
          where message_uuid = $1 and state = 'QUEUED'",
        message_uuid,
        seconds,
        error
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Gives a message up. Its content stays sealed, so that staff can retry it.
pub(super) async fn set_failed(db: &Db, message_uuid: Uuid, error: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update mail_message set state = 'FAILED', last_error = $2, claimed_until = null
          where message_uuid = $1 and state = 'QUEUED'",
        message_uuid,
        error
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
