//! Every statement about submissions and findings.

mod decision;
mod standing;

use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::marketplace::publication::Snapshot;

pub(super) use decision::{
    Decision, NewFinding, addressees_page, obstacle_get, requirement_codes_get, set_claimed, set_decided,
};
pub(in crate::marketplace) use standing::{Standing, standings};

/// What a reviewer found.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::marketplace) struct FindingRow {
    pub(in crate::marketplace) finding_uuid: Uuid,
    pub(in crate::marketplace) requirement_code: String,
    pub(in crate::marketplace) text: String,
    pub(in crate::marketplace) resolved: bool,
}

/// What else a reviewer weighs.
pub(super) struct DetailRow {
    pub(super) snapshot: Json<Snapshot>,
    pub(super) appeal_text: Option<String>,
    pub(super) decision_note: Option<String>,
    pub(super) findings: Json<Vec<FindingRow>>,
}

/// What was handed in, and what reviewers found in the version, the open findings first.
pub(super) async fn detail_get(db: &Db, submission_uuid: Uuid) -> Result<Option<DetailRow>, Fault> {
    Ok(sqlx::query_as!(
        DetailRow,
        r#"select s.snapshot as "snapshot: Json<Snapshot>", s.appeal_text, s.decision_note,
               coalesce(found.findings, '[]') as "findings!: Json<Vec<FindingRow>>"
         from submission as s
         left join lateral (
             select jsonb_agg(to_jsonb(f) order by f.place) as findings
             from (
                 select f.finding_uuid, f.requirement_code, f.text, f.resolved, row_number() over (
                     order by f.resolved, o.submitted_at desc, f.position, f.finding_uuid) as place
                 from submission as o
                 join submission_finding as f on f.submission_uuid = o.submission_uuid
                 where o.version_uuid = s.version_uuid
             ) as f
             where f.place <= 200
         ) as found on true
         where s.submission_uuid = $1"#,
        submission_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// What binds a version that is to be handed in.
pub(in crate::marketplace) struct Ties {
    /// Whether a rejection of it was appealed before.
    pub(in crate::marketplace) was_appealed: bool,
    /// The number of another version of the app that is with the reviewers.
    pub(in crate::marketplace) other_in_review: Option<String>,
}

/// Read after the app was locked, so that of two versions handed in at once one sees the other.
pub(in crate::marketplace) async fn ties_get(db: &Db, app_uuid: Uuid, version_uuid: Uuid) -> Result<Ties, Fault> {
    Ok(sqlx::query_as!(
        Ties,
        r#"select exists (select from submission where version_uuid = $2 and appeal) as "was_appealed!",
             (select v.number
              from submission as s
              join app_version as v on v.version_uuid = s.version_uuid
              where s.app_uuid = $1 and s.version_uuid <> $2 and s.state in ('SUBMITTED', 'IN_REVIEW')
              limit 1) as other_in_review"#,
        app_uuid,
        version_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// What a new submission is made of.
pub(in crate::marketplace) struct NewSubmission<'a> {
    pub(in crate::marketplace) submission_uuid: Uuid,
    pub(in crate::marketplace) version_uuid: Uuid,
    pub(in crate::marketplace) appeal_text: Option<&'a str>,
    pub(in crate::marketplace) snapshot: &'a Snapshot,
}

/// Hands a version in: the submission with its snapshot, the version's state, and the app's history. The app is written
/// as it is, so that a conditional change of it that waits meanwhile, with a snapshot of before, begins anew.
pub(in crate::marketplace) async fn insert(db: &Db, actor: Actor, new: &NewSubmission<'_>) -> Result<(), Fault> {
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
         ), handed as (
             insert into submission (submission_uuid, version_uuid, app_uuid, partner_uuid, submitted_by, appeal,
                 appeal_text, snapshot)
             select $1, v.version_uuid, v.app_uuid, a.partner_uuid, $3, $4::text is not null, $4, $5
             from version as v
             join app as a on a.app_uuid = v.app_uuid
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
        actor.kind
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
