//! SQL statements of claims and decisions. They lock the app, its version and the submission first, in this order, as
//! the owner's statements do. So concurrent transactions run one after another and do not deadlock.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use crate::submissions::rules::findings::WrittenFinding;
use crate::submissions::rules::{ClaimStatus, WaitingOn};
use crate::versions::AppVersionState;

/// Submission locked until the transaction ends.
pub(in crate::submissions) struct LockedSubmission {
    pub(in crate::submissions) submission_uuid: Uuid,
    pub(in crate::submissions) app_uuid: Uuid,
    pub(in crate::submissions) app_name: String,
    pub(in crate::submissions) partner_uuid: Uuid,
    pub(in crate::submissions) version_uuid: Uuid,
    pub(in crate::submissions) version_number: String,
    pub(in crate::submissions) version_state: AppVersionState,
    pub(in crate::submissions) state: AppVersionState,
    pub(in crate::submissions) reviewer_uuid: Option<Uuid>,
    pub(in crate::submissions) claimed_at: Option<Time>,
    pub(in crate::submissions) rejected_by: Option<Uuid>,
    pub(in crate::submissions) appeal: bool,
    pub(in crate::submissions) waiting_on: Option<WaitingOn>,
    pub(in crate::submissions) due_at: Option<Time>,
    pub(in crate::submissions) due_left_seconds: Option<i64>,
}

impl LockedSubmission {
    /// Returns the state of the claim.
    pub(in crate::submissions) const fn claim_status(&self) -> ClaimStatus {
        ClaimStatus {
            state: self.state,
            reviewer_uuid: self.reviewer_uuid,
            claimed_at: self.claimed_at,
            rejected_by: self.rejected_by,
        }
    }
}

/// Locks a submission with its version and its app.
pub(in crate::submissions) async fn lock(db: &Db, submission_uuid: Uuid) -> Result<Option<LockedSubmission>, Fault> {
    Ok(sqlx::query_as!(
        LockedSubmission,
        r#"select s.submission_uuid, a.app_uuid, coalesce(s.snapshot #>> '{texts,0,name}', '') as "app_name!",
               s.partner_uuid, v.version_uuid, v.number as version_number,
               v.state as "version_state: AppVersionState", s.state as "state: AppVersionState", s.reviewer_uuid,
               s.claimed_at as "claimed_at: Time", (
                   select former.reviewer_uuid
                   from submission as former
                   where former.version_uuid = v.version_uuid and former.state = 'REJECTED'
                   order by former.submitted_at
                   limit 1) as rejected_by,
               s.appeal, s.waiting_on as "waiting_on: WaitingOn", s.due_at as "due_at: Time", s.due_left_seconds
         from app as a
         join app_version as v on v.app_uuid = a.app_uuid
         join submission as s on s.version_uuid = v.version_uuid
         where s.submission_uuid = $1
         for no key update of a, v, s"#,
        submission_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Assigns a locked submission to a reviewer, even if another reviewer's claim has expired.
pub(in crate::submissions) async fn set_claimed(db: &Db, actor: Actor, locked: &LockedSubmission) -> Result<(), Fault> {
    set_reviewer(db, actor, locked, (AppVersionState::InReview, actor.uuid, "VERSION_CLAIMED")).await
}

/// Returns a locked submission to the queue at its former position.
pub(in crate::submissions) async fn set_unclaimed(
    db: &Db,
    actor: Actor,
    locked: &LockedSubmission,
) -> Result<(), Fault> {
    set_reviewer(db, actor, locked, (AppVersionState::Submitted, None, "VERSION_UNCLAIMED")).await
}

async fn set_reviewer(
    db: &Db,
    actor: Actor,
    locked: &LockedSubmission,
    (to, reviewer_uuid, event): (AppVersionState, Option<Uuid>, &str),
) -> Result<(), Fault> {
    sqlx::query!(
        "with handed as (
             update submission
             set state = $2, reviewer_uuid = $3, claimed_at = case when $3::uuid is not null then labs_now() end,
                 updated_at = labs_now()
             where submission_uuid = $1
         ), version as (
             update app_version
             set state = $2, updated_at = labs_now(),
                 state_changed_at = case state when $2 then state_changed_at else labs_now() end
             where version_uuid = $4
             returning app_uuid, version_uuid, number
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, $5, $6, $7,
             jsonb_build_object('version_uuid', version_uuid, 'number', number, 'submission_uuid', $1)
         from version",
        locked.submission_uuid,
        to as AppVersionState,
        reviewer_uuid,
        locked.version_uuid,
        event,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Decision with its message and findings.
pub(in crate::submissions) struct Decision<'a> {
    /// Target state.
    pub(in crate::submissions) to: AppVersionState,
    /// Kind of the event in the app's history.
    pub(in crate::submissions) event: &'a str,
    /// Message to the partner.
    pub(in crate::submissions) note: Option<&'a str>,
    /// Findings.
    pub(in crate::submissions) findings: &'a [(Uuid, WrittenFinding)],
    /// Whether an appeal succeeded, so that the former findings were incorrect.
    pub(in crate::submissions) is_upheld: bool,
    /// Remaining time while the partner fixes the findings, in business seconds.
    pub(in crate::submissions) due_left_seconds: i64,
}

/// Decides a locked submission. Open findings of the version that are not named again count as fixed. If an appeal
/// proved them incorrect, they are withdrawn instead.
pub(in crate::submissions) async fn set_decided(
    db: &Db,
    actor: Actor,
    locked: &LockedSubmission,
    decision: &Decision<'_>,
) -> Result<(), Fault> {
    let (codes, places): (Vec<String>, Vec<String>) =
        decision.findings.iter().map(|(_, finding)| (finding.requirement_code.clone(), finding.place.clone())).unzip();
    sqlx::query!(
        "with decided as (
             update submission
             set state = $4, decided_at = labs_now(), decision_note = $5, updated_at = labs_now(),
                 waiting_on = case when $4 = 'CHANGES_REQUESTED' then 'PARTNER' end, waiting_since = labs_now(),
                 due_left_seconds = $10, reminders = 0
             where submission_uuid = $1
         ), version as (
             update app_version
             set state = $4, state_changed_at = labs_now(), updated_at = labs_now()
             where version_uuid = $3
             returning app_uuid, version_uuid, number
         ), settled as (
             update submission_finding as f
             set resolved = not $9, withdrawn_at = case when $9 then labs_now() end
             from submission as o
             where o.version_uuid = $3 and f.submission_uuid = o.submission_uuid and not f.resolved
                 and f.withdrawn_at is null and not exists (
                     select from unnest($6::text[], $11::text[]) as again (code, place)
                     where again.code = f.requirement_code and again.place = coalesce(f.place, again.place))
         ), told as (
             insert into review_message (message_uuid, submission_uuid, version_uuid, kind, author_kind, author_uuid,
                 body, decision)
             values (labs_uuid(), $1, $3, 'DECISION', $8, $2, $5, $4)
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, $7, $8, $2, jsonb_build_object('version_uuid', version_uuid, 'number', number,
             'submission_uuid', $1, 'findings', cardinality($6))
         from version",
        locked.submission_uuid,
        actor.uuid,
        locked.version_uuid,
        decision.to as AppVersionState,
        decision.note,
        &codes,
        decision.event,
        actor.kind,
        decision.is_upheld,
        decision.due_left_seconds,
        &places
    )
    .execute(&mut *db.conn().await?)
    .await?;
    insert_findings(db, locked.submission_uuid, decision.findings).await
}

async fn insert_findings(db: &Db, submission_uuid: Uuid, findings: &[(Uuid, WrittenFinding)]) -> Result<(), Fault> {
    if findings.is_empty() {
        return Ok(());
    }
    let each = |of: fn(&WrittenFinding) -> &str| {
        findings.iter().map(|(_, finding)| of(finding).to_owned()).collect::<Vec<_>>()
    };
    let uuids: Vec<Uuid> = findings.iter().map(|(uuid, _)| *uuid).collect();
    let why_now: Vec<Option<String>> = findings.iter().map(|(_, finding)| finding.why_now.clone()).collect();
    sqlx::query!(
        "insert into submission_finding (finding_uuid, submission_uuid, requirement_code, text, place, observed, why_now,
             position)
         select finding_uuid, $1, requirement_code, text, place, observed, why_now, ordinal - 1
         from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) with ordinality
             as found (finding_uuid, requirement_code, text, place, observed, why_now, ordinal)",
        submission_uuid,
        &uuids,
        &each(|finding| &finding.requirement_code),
        &each(|finding| &finding.text),
        &each(|finding| &finding.place),
        &each(|finding| &finding.observed),
        &why_now as &[Option<String>]
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the numbers of the active requirements.
pub(in crate::submissions) async fn get_requirement_codes(db: &Db) -> Result<Vec<String>, Fault> {
    Ok(sqlx::query_scalar!("select code from listing_requirement where active")
        .fetch_all(&mut *db.conn().await?)
        .await?)
}

/// Returns the recipients of mails about a submission: the user who submitted the version. If a machine client
/// submitted it or the user has left, the recipients are the partner's administrators.
pub(in crate::submissions) async fn addressees_page(db: &Db, submission_uuid: Uuid) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select p.person_uuid
         from submission as s
         join app as a on a.app_uuid = s.app_uuid
         join person as p on p.partner_uuid = a.partner_uuid and p.state = 'ACTIVE'
         where s.submission_uuid = $1 and (p.person_uuid = s.submitted_by or p.role = 'ADMINISTRATOR' and not exists (
             select from person as author
             where author.person_uuid = s.submitted_by and author.partner_uuid = a.partner_uuid
                 and author.state = 'ACTIVE'))
         order by p.created_at, p.person_uuid
         limit 20",
        submission_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
