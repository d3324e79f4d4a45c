//! SQL statements of submissions and findings.

mod decision;
mod pictures;
mod queue_position;
mod silence;

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::FindingStatus;
use crate::release::Snapshot;

pub(super) use decision::{
    Decision, LockedSubmission, addressees_page, get_requirement_codes, lock, set_claimed, set_decided, set_unclaimed,
};
pub(super) use pictures::get_media;
pub(crate) use queue_position::{QueuePosition, list_queue_positions, load_queue_positions};
pub(super) use silence::{SilentSubmission, lapse, lock_silent, set_reminded, silent_page};

/// Finding of a reviewer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FindingRow {
    pub(crate) finding_uuid: Uuid,
    pub(crate) requirement_code: String,
    pub(crate) text: String,
    pub(crate) place: Option<String>,
    pub(crate) observed: Option<String>,
    pub(crate) why_now: Option<String>,
    pub(crate) resolved: bool,
    pub(crate) status: FindingStatus,
}

/// Further data for the reviewer's decision.
pub(super) struct DetailRow {
    pub(super) snapshot: Json<Snapshot>,
    pub(super) appeal_text: Option<String>,
    pub(super) decision_note: Option<String>,
    pub(super) findings: Json<Vec<FindingRow>>,
}

/// Loads the snapshot of a submission, and the findings in the version, open findings first.
pub(super) async fn get_detail(db: &Db, submission_uuid: Uuid) -> Result<Option<DetailRow>, Fault> {
    Ok(sqlx::query_as!(
        DetailRow,
        r#"select s.snapshot as "snapshot: Json<Snapshot>", s.appeal_text, s.decision_note,
               coalesce(found.findings, '[]') as "findings!: Json<Vec<FindingRow>>"
         from submission as s
         left join lateral (
             select jsonb_agg(to_jsonb(f) order by f.ordinal) as findings
             from (
                 select f.*, row_number() over (
                     order by f.status in ('MENDED', 'WITHDRAWN'), f.submitted_at desc, f.position, f.finding_uuid)
                     as ordinal
                 from version_finding as f
                 where f.version_uuid = s.version_uuid
             ) as f
             where f.ordinal <= 200
         ) as found on true
         where s.submission_uuid = $1"#,
        submission_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Data that constrains a version to be submitted.
pub(crate) struct SubmissionLinks {
    /// Whether a rejection of the version was appealed before.
    pub(crate) was_appealed: bool,
    /// Another version of the app that is with the reviewers.
    pub(crate) other_uuid: Option<Uuid>,
    /// Number of that version.
    pub(crate) other_number: Option<String>,
    /// Queue time of that version.
    pub(crate) other_queued_at: Option<Time>,
    /// Due time of that version's decision, while the clock runs.
    pub(crate) other_due_at: Option<Time>,
    /// Remaining time of that version while the clock is stopped, in business seconds.
    pub(crate) other_due_left_seconds: Option<i64>,
    /// Queue time of this version's submission for which changes were requested.
    pub(crate) former_queued_at: Option<Time>,
    /// Remaining time of that submission, in business seconds.
    pub(crate) former_due_left_seconds: Option<i64>,
    /// Business days within which a decision is promised.
    pub(crate) promised_days: i32,
}

/// Loads this data. The caller has locked the app, so that one of two concurrent submissions sees the other.
pub(crate) async fn get_links(db: &Db, app_uuid: Uuid, version_uuid: Uuid) -> Result<SubmissionLinks, Fault> {
    Ok(sqlx::query_as!(
        SubmissionLinks,
        r#"select exists (select from submission where version_uuid = $2 and appeal) as "was_appealed!",
             other.version_uuid as "other_uuid?", other.number as "other_number?",
             other.queued_at as "other_queued_at?: Time",
             case other.waiting_on when 'PARTNER' then null else other.due_at end as "other_due_at: Time",
             other.due_left_seconds as "other_due_left_seconds?",
             former.queued_at as "former_queued_at?: Time", former.due_left_seconds as "former_due_left_seconds?",
             (select value::text::integer from service_setting where key = 'marketplace.review_promise_days')
                 as "promised_days!"
         from (select) as always
         left join lateral (
             select s.version_uuid, v.number, s.queued_at, s.waiting_on, s.due_at, s.due_left_seconds
             from submission as s
             join app_version as v on v.version_uuid = s.version_uuid
             where s.app_uuid = $1 and s.version_uuid <> $2 and s.state in ('SUBMITTED', 'IN_REVIEW')
             limit 1
         ) as other on true
         left join lateral (
             select s.queued_at, s.due_left_seconds
             from submission as s
             where s.version_uuid = $2 and s.state = 'CHANGES_REQUESTED' and s.waiting_on = 'PARTNER'
             order by s.submitted_at desc
             limit 1
         ) as former on true"#,
        app_uuid,
        version_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Values of a new submission.
pub(crate) struct NewSubmission<'a> {
    pub(crate) submission_uuid: Uuid,
    pub(crate) version_uuid: Uuid,
    pub(crate) appeal_text: Option<&'a str>,
    pub(crate) snapshot: &'a Snapshot,
    /// Queue time to take over; `None` for the end of the queue.
    pub(crate) queued_at: Option<Time>,
    /// Due time of the decision.
    pub(crate) due_at: Time,
}

/// Submits a version: inserts the submission with its snapshot, sets the version's state, and adds an entry to the
/// app's history. The statement also writes the app row without a change, so that a conditional update that waits with
/// an older snapshot of the row starts again.
pub(crate) async fn insert(db: &Db, actor: Actor, new: &NewSubmission<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with version as (
             update app_version
             set state = 'SUBMITTED', state_changed_at = labs_now(), updated_at = labs_now()
             where version_uuid = $2
             returning app_uuid, version_uuid, number
         ), turn as (
             update app set updated_at = app.updated_at
             from version
             where app.app_uuid = version.app_uuid
         ), taken_over as (
             update submission set waiting_on = null, updated_at = labs_now()
             where version_uuid = $2 and waiting_on is not null
         ), handed as (
             insert into submission (submission_uuid, version_uuid, app_uuid, partner_uuid, submitted_by, appeal,
                 appeal_text, snapshot, queued_at, waiting_on, waiting_since, due_at, asks_more)
             select $1, v.version_uuid, v.app_uuid, a.partner_uuid, $3, $4::text is not null, $4, $5,
                 coalesce($7, labs_now()), 'REVIEWERS', labs_now(), $8, exists (
                     select
                     from jsonb_to_recordset($5::jsonb #> '{version,manifest,permissions}') as asked (code text)
                     where not exists (
                         select
                         from app_version as live
                         cross join jsonb_to_recordset(live.manifest -> 'permissions') as had (code text)
                         where live.app_uuid = v.app_uuid and live.state = 'PUBLISHED' and had.code = asked.code))
             from version as v
             join app as a on a.app_uuid = v.app_uuid
         ), told as (
             insert into review_message (message_uuid, submission_uuid, version_uuid, kind, author_kind, author_uuid, body)
             values (labs_uuid(), $1, $2, 'SUBMISSION', $6, $3, coalesce($4, nullif($5::jsonb ->> 'note', '')))
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_SUBMITTED', $6, $3, jsonb_build_object('version_uuid', version_uuid,
             'number', number, 'submission_uuid', $1, 'appeal', $4 is not null)
         from version",
        new.submission_uuid,
        new.version_uuid,
        actor.uuid,
        new.appeal_text,
        Json(new.snapshot) as _,
        actor.kind,
        new.queued_at as Option<Time>,
        new.due_at as Time
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
