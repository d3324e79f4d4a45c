//! Every statement about queued mail.

use ipnet::IpNet;
use uuid::Uuid;

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::outbox::Addressee;
use crate::core::time::Time;

/// A mail to be handed over, claimed for a while.
pub(super) struct DueRow {
    pub(super) message_uuid: Uuid,
    pub(super) recipient: String,
    pub(super) locale: String,
    pub(super) content_sealed: Vec<u8>,
    /// This try's number, counted from one.
    pub(super) attempts: i32,
    pub(super) created_at: Time,
}

/// A mail as it waits.
pub(super) struct NewMessage<'a> {
    pub(super) message_uuid: Uuid,
    pub(super) kind: &'a str,
    pub(super) subject: &'a str,
    pub(super) content_sealed: &'a [u8],
    /// Of whom it tells, where that is not who it goes to.
    pub(super) about_partner_uuid: Option<Uuid>,
    /// Where whoever asked for it comes from.
    pub(super) network: Option<IpNet>,
    /// Whether there is somebody to write to. The same statement runs in either case.
    pub(super) is_meant: bool,
}

/// Queues a mail.
pub(super) async fn insert(db: &Db, to: &Addressee, message: &NewMessage<'_>) -> Result<(), Fault> {
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

/// Makes those who are about to mail an address wait for one another until the transaction ends.
pub(super) async fn recipient_lock(db: &Db, email: &str) -> Result<(), Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('mail:' || lower($1), 0))", email)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// How many mails of these kinds an address got in the last hour, in whatever case it was written.
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

/// Whether a person got a mail of this kind in the last day.
pub(super) async fn was_told_today(db: &Db, person_uuid: Uuid, kind: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from mail_message where person_uuid = $1 and kind = $2
                             and created_at > labs_now() - interval '1 day') as "was_told!""#,
        person_uuid,
        kind
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// How many mails of some kinds an address got.
pub(super) struct AskedRow {
    /// In the last hour, on the wish of one network.
    pub(super) from_network: i64,
    /// In the last day, whoever asked.
    pub(super) today: i64,
}

/// How many mails of these kinds an address got lately, in whatever case it was written.
pub(super) async fn count_asked(db: &Db, email: &str, kinds: &[String], network: IpNet) -> Result<AskedRow, Fault> {
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

/// Claims a handful of mails that are due. Until the lease is over nobody else takes them, and when whoever
/// claimed them dies, they are due again.
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

/// The mail was handed over: what it said is forgotten.
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

/// The mail is tried again after some seconds.
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

/// The mail is given up. Its content stays, sealed, so that staff may have it tried again.
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
