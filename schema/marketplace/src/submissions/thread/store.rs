//! SQL statements of the conversation.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use uuid::Uuid;

use super::types::SubmissionMessageKind;

/// Last submission of an owner's version.
pub(super) struct LastSubmission {
    /// `None` if the version was never submitted.
    pub(super) submission_uuid: Option<Uuid>,
}

/// Loads the last submission of a version; `None` if the owner does not have the version.
pub(super) async fn get_last(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<Option<LastSubmission>, Fault> {
    Ok(sqlx::query_as!(
        LastSubmission,
        r#"select (
               select s.submission_uuid
               from submission as s
               where s.version_uuid = v.version_uuid
               order by s.submitted_at desc, s.submission_uuid desc
               limit 1) as submission_uuid
         from app as a
         join app_version as v on v.app_uuid = a.app_uuid
         where a.partner_uuid = $1 and a.app_uuid = $2 and v.version_uuid = $3"#,
        owner.uuid(),
        app_uuid,
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Values of a message about a locked submission.
pub(super) struct NewMessage<'a> {
    pub(super) message_uuid: Uuid,
    pub(super) submission_uuid: Uuid,
    pub(super) version_uuid: Uuid,
    pub(super) kind: SubmissionMessageKind,
    pub(super) body: &'a str,
}

/// Adds a message to the conversation.
pub(super) async fn insert(db: &Db, actor: Actor, new: &NewMessage<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into review_message (message_uuid, submission_uuid, version_uuid, kind, internal, author_kind, author_uuid,
             body)
         values ($1, $2, $3, $4, $4 = 'NOTE', $5, $6, $7)",
        new.message_uuid,
        new.submission_uuid,
        new.version_uuid,
        new.kind as SubmissionMessageKind,
        actor.kind,
        actor.uuid,
        new.body
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Number of messages and notes of one side about a version, and whether this side wrote the last entry, ignoring
/// notes.
pub(super) struct ThreadCounts {
    pub(super) count: i64,
    pub(super) spoke_last: bool,
}

/// Counts the messages and notes of the reviewers, or else the messages of the partner, about a version.
pub(super) async fn get_counts(db: &Db, version_uuid: Uuid, is_reviewers: bool) -> Result<ThreadCounts, Fault> {
    Ok(sqlx::query_as!(
        ThreadCounts,
        r#"select count(*) filter (where kind in ('MESSAGE', 'NOTE') and (author_kind = 'STAFF_USER') = $2) as "count!",
               coalesce((array_agg(kind = 'MESSAGE' and (author_kind = 'STAFF_USER') = $2
                   order by created_at desc, message_uuid desc) filter (where not internal))[1], false) as "spoke_last!"
         from review_message
         where version_uuid = $1"#,
        version_uuid,
        is_reviewers
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Stops the clock of a submission while it waits for its partner, and stores the remaining time.
pub(super) async fn set_waiting_on_partner(db: &Db, submission_uuid: Uuid, left_seconds: i64) -> Result<(), Fault> {
    sqlx::query!(
        "update submission
         set waiting_on = 'PARTNER', waiting_since = labs_now(), due_left_seconds = $2, reminders = 0,
             updated_at = labs_now()
         where submission_uuid = $1",
        submission_uuid,
        left_seconds
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Restarts the clock of a submission with this due time.
pub(super) async fn set_waiting_on_reviewers(db: &Db, submission_uuid: Uuid, due_at: Time) -> Result<(), Fault> {
    sqlx::query!(
        "update submission
         set waiting_on = 'REVIEWERS', waiting_since = labs_now(), due_at = $2, updated_at = labs_now()
         where submission_uuid = $1",
        submission_uuid,
        due_at as Time
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Restarts the count of days without an answer.
pub(super) async fn set_heard(db: &Db, submission_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update submission set waiting_since = labs_now(), reminders = 0, updated_at = labs_now()
         where submission_uuid = $1",
        submission_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Stores the time until which a user has read the conversation about a version.
pub(super) async fn set_read(db: &Db, version_uuid: Uuid, person_uuid: Uuid, until: Time) -> Result<(), Fault> {
    sqlx::query!(
        "insert into review_thread_read as read (version_uuid, person_uuid, read_until) values ($1, $2, $3)
         on conflict on constraint review_thread_read_pkey do update
         set read_until = greatest(read.read_until, excluded.read_until)",
        version_uuid,
        person_uuid,
        until as Time
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
