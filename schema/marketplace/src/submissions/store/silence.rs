//! SQL statements of submissions that wait for their partner: reminders and withdrawal.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Submission whose partner does not answer.
pub(in crate::submissions) struct SilentSubmission {
    pub(in crate::submissions) app_uuid: Uuid,
    pub(in crate::submissions) app_name: String,
    pub(in crate::submissions) version_uuid: Uuid,
    pub(in crate::submissions) version_number: String,
    /// Whole days without an answer.
    pub(in crate::submissions) days: i32,
    /// Number of reminders sent.
    pub(in crate::submissions) reminders: i32,
}

/// Returns the submissions with a due reminder or withdrawal, longest waiting first.
pub(in crate::submissions) async fn silent_page(db: &Db) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select submission_uuid
         from submission
         where waiting_on = 'PARTNER' and waiting_since <= labs_now() - make_interval(
             days => case reminders when 0 then 14 when 1 then 30 else 90 end)
         order by waiting_since
         limit 100"
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Locks a submission that waits for its partner, with its version and its app. Returns `None` if another transaction
/// has locked one of them, or if it does not wait any more.
pub(in crate::submissions) async fn lock_silent(
    db: &Db,
    submission_uuid: Uuid,
) -> Result<Option<SilentSubmission>, Fault> {
    Ok(sqlx::query_as!(
        SilentSubmission,
        r#"select a.app_uuid, coalesce(s.snapshot #>> '{texts,0,name}', '') as "app_name!", v.version_uuid,
               v.number as version_number,
               floor(extract(epoch from labs_now() - s.waiting_since) / 86400)::integer as "days!", s.reminders
         from app as a
         join app_version as v on v.app_uuid = a.app_uuid
         join submission as s on s.version_uuid = v.version_uuid
         where s.submission_uuid = $1 and s.waiting_on = 'PARTNER'
         for no key update of a, v, s skip locked"#,
        submission_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Increments the number of reminders.
pub(in crate::submissions) async fn set_reminded(db: &Db, submission_uuid: Uuid, reminders: i32) -> Result<(), Fault> {
    sqlx::query!(
        "update submission set reminders = $2, updated_at = labs_now() where submission_uuid = $1",
        submission_uuid,
        reminders
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Withdraws a locked version because the partner did not answer.
pub(in crate::submissions) async fn lapse(db: &Db, submission_uuid: Uuid, version_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with version as (
             update app_version
             set state = 'WITHDRAWN', publish_at = null, state_changed_at = labs_now(), updated_at = labs_now()
             where version_uuid = $2
             returning app_uuid, version_uuid, number
         ), settled as (
             update submission
             set state = 'WITHDRAWN', decided_at = labs_now(), waiting_on = null, updated_at = labs_now()
             where submission_uuid = $1
         ), told as (
             insert into review_message (message_uuid, submission_uuid, version_uuid, kind, author_kind, decision)
             values (labs_uuid(), $1, $2, 'DECISION', 'SYSTEM', 'WITHDRAWN')
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, detail)
         select labs_uuid(), app_uuid, 'VERSION_LAPSED', 'SYSTEM',
             jsonb_build_object('version_uuid', version_uuid, 'number', number, 'submission_uuid', $1)
         from version",
        submission_uuid,
        version_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
