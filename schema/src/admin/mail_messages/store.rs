//! Every statement about mail that staff cause.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// A mail without its content.
pub(super) struct MailRow {
    pub(super) message_uuid: Uuid,
    pub(super) kind: String,
    pub(super) recipient: String,
    pub(super) locale: String,
    pub(super) subject: String,
    pub(super) state: String,
    pub(super) attempts: i32,
    pub(super) next_attempt_at: Time,
    pub(super) sent_at: Option<Time>,
    pub(super) last_error: Option<String>,
    pub(super) created_at: Time,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) partner_uuid: Option<Uuid>,
}

impl MailRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.message_uuid)]
    }
}

/// What the list is narrowed to.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) state: Option<Vec<String>>,
    pub(super) kind: Option<Vec<String>>,
    /// In lower case.
    pub(super) recipient: Option<Vec<String>>,
    pub(super) person_uuid: Option<Vec<Uuid>>,
    pub(super) partner_uuid: Option<Vec<Uuid>>,
    pub(super) created_at_from: Option<Time>,
    pub(super) created_at_until: Option<Time>,
    pub(super) oldest_first: bool,
}

/// A page under the filter; `$tail` places it.
macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            MailRow,
            r#"select message_uuid, kind, recipient, locale, subject, state, attempts, next_attempt_at, sent_at,
                   last_error, created_at, person_uuid, partner_uuid
              from mail_message
             where ($1::text[] is null or state = any($1)) and ($2::text[] is null or kind = any($2))
               and ($3::text[] is null or lower(recipient) = any($3))
               and ($4::uuid[] is null or person_uuid = any($4)) and ($5::uuid[] is null or partner_uuid = any($5))
               and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)"#
                + $tail,
            $filter.state.as_deref(),
            $filter.kind.as_deref(),
            $filter.recipient.as_deref(),
            $filter.person_uuid.as_deref(),
            $filter.partner_uuid.as_deref(),
            $filter.created_at_from as Option<Time>,
            $filter.created_at_until as Option<Time>,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of mails.
pub(super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<MailRow>, Fault> {
    Ok(if filter.oldest_first {
        filtered!(
            window,
            db,
            filter,
            "
            and (created_at, message_uuid)
                > (coalesce($8, '-infinity'::timestamptz), coalesce($9, '00000000-0000-0000-0000-000000000000'::uuid))
          order by created_at, message_uuid"
        )
    } else {
        filtered!(
            window,
            db,
            filter,
            "
            and (created_at, message_uuid)
                < (coalesce($8, 'infinity'::timestamptz), coalesce($9, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by created_at desc, message_uuid desc"
        )
    }?)
}

/// How many mails the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from mail_message
            where ($1::text[] is null or state = any($1)) and ($2::text[] is null or kind = any($2))
              and ($3::text[] is null or lower(recipient) = any($3))
              and ($4::uuid[] is null or person_uuid = any($4)) and ($5::uuid[] is null or partner_uuid = any($5))
              and created_at >= coalesce($6, '-infinity'::timestamptz)
              and created_at < coalesce($7, 'infinity'::timestamptz)"#,
        filter.state.as_deref(),
        filter.kind.as_deref(),
        filter.recipient.as_deref(),
        filter.person_uuid.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.created_at_from as Option<Time>,
        filter.created_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A mail held for a change.
pub(super) struct HeldRow {
    pub(super) state: String,
    pub(super) subject: String,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) content_sealed: Option<Vec<u8>>,
    /// Whether somebody is handing it over.
    pub(super) is_claimed: bool,
}

/// Holds a mail until the transaction ends: nobody claims it meanwhile.
pub(super) async fn lock(db: &Db, message_uuid: Uuid) -> Result<Option<HeldRow>, Fault> {
    Ok(sqlx::query_as!(
        HeldRow,
        r#"select state, subject, partner_uuid, content_sealed,
                  coalesce(claimed_until > labs_now(), false) as "is_claimed!"
             from mail_message where message_uuid = $1 for update"#,
        message_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Makes a mail due now, with all its tries before it.
pub(super) async fn set_queued(db: &Db, message_uuid: Uuid) -> Result<MailRow, Fault> {
    Ok(sqlx::query_as!(
        MailRow,
        "update mail_message set state = 'QUEUED', attempts = 0, next_attempt_at = labs_now(), claimed_until = null
          where message_uuid = $1
         returning message_uuid, kind, recipient, locale, subject, state, attempts, next_attempt_at, sent_at,
             last_error, created_at, person_uuid, partner_uuid",
        message_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
