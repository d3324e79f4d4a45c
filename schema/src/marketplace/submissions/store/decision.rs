//! Claims and decisions: each one guarded statement, so that of several reviewers at once one is heard.

use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::marketplace::versions::AppVersionState;

/// Why a claim or a decision found nothing to change.
pub(in crate::marketplace::submissions) struct Obstacle {
    pub(in crate::marketplace::submissions) state: AppVersionState,
    pub(in crate::marketplace::submissions) reviewer_uuid: Option<Uuid>,
}

/// The state of a submission and whose it is.
pub(in crate::marketplace::submissions) async fn obstacle_get(
    db: &Db,
    submission_uuid: Uuid,
) -> Result<Option<Obstacle>, Fault> {
    Ok(sqlx::query_as!(
        Obstacle,
        r#"select state as "state: AppVersionState", reviewer_uuid from submission where submission_uuid = $1"#,
        submission_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Gives a submission to a reviewer. Of several at once one gets it; who rejected a version never gets its
/// appeal, nor what is handed in after changes were asked of that. False when it is not to be had.
pub(in crate::marketplace::submissions) async fn set_claimed(
    db: &Db,
    actor: Actor,
    submission_uuid: Uuid,
    from: &str,
    to: &str,
) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with claimed as (
             update submission as s
             set state = $4, reviewer_uuid = $2, claimed_at = labs_now(), updated_at = labs_now()
             where s.submission_uuid = $1 and s.state = $3 and not exists (
                 select from submission as former
                 where former.version_uuid = s.version_uuid and former.state = 'REJECTED' and former.reviewer_uuid = $2)
             returning version_uuid
         ), version as (
             update app_version as v
             set state = $4, state_changed_at = labs_now(), updated_at = labs_now()
             from claimed
             where v.version_uuid = claimed.version_uuid
             returning v.app_uuid, v.version_uuid, v.number
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_CLAIMED', $5, $2,
             jsonb_build_object('version_uuid', version_uuid, 'number', number, 'submission_uuid', $1)
         from version",
        submission_uuid,
        actor.uuid,
        from,
        to,
        actor.kind
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// A decision and what goes with it.
pub(in crate::marketplace::submissions) struct Decision<'a> {
    pub(in crate::marketplace::submissions) submission_uuid: Uuid,
    /// The state in which a submission can be decided so.
    pub(in crate::marketplace::submissions) from: &'a str,
    /// The state it leads to.
    pub(in crate::marketplace::submissions) to: &'a str,
    /// The kind of the event in the app's history.
    pub(in crate::marketplace::submissions) event: &'a str,
    pub(in crate::marketplace::submissions) note: Option<&'a str>,
    pub(in crate::marketplace::submissions) findings: &'a [NewFinding],
}

/// Something found.
pub(in crate::marketplace::submissions) struct NewFinding {
    pub(in crate::marketplace::submissions) finding_uuid: Uuid,
    pub(in crate::marketplace::submissions) requirement_code: String,
    pub(in crate::marketplace::submissions) text: String,
}

/// Decides a submission that this reviewer has claimed. Open findings of the version that are not named again count
/// as mended. False when it is not this reviewer's to decide.
pub(in crate::marketplace::submissions) async fn set_decided(
    db: &Db,
    actor: Actor,
    decision: &Decision<'_>,
) -> Result<bool, Fault> {
    let codes: Vec<String> = decision.findings.iter().map(|finding| finding.requirement_code.clone()).collect();
    let done = sqlx::query!(
        "with decided as (
             update submission
             set state = $4, decided_at = labs_now(), decision_note = $5, updated_at = labs_now()
             where submission_uuid = $1 and reviewer_uuid = $2 and state = $3
             returning version_uuid
         ), version as (
             update app_version as v
             set state = $4, state_changed_at = labs_now(), updated_at = labs_now()
             from decided
             where v.version_uuid = decided.version_uuid
             returning v.app_uuid, v.version_uuid, v.number
         ), mended as (
             update submission_finding as f
             set resolved = true
             from decided
             join submission as o on o.version_uuid = decided.version_uuid
             where f.submission_uuid = o.submission_uuid and not f.resolved and f.requirement_code <> all($6)
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, $7, $8, $2, jsonb_build_object('version_uuid', version_uuid, 'number', number,
             'submission_uuid', $1, 'findings', cardinality($6))
         from version",
        decision.submission_uuid,
        actor.uuid,
        decision.from,
        decision.to,
        decision.note,
        &codes,
        decision.event,
        actor.kind
    )
    .execute(&mut *db.conn().await?)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    findings_insert(db, decision).await?;
    Ok(true)
}

async fn findings_insert(db: &Db, decision: &Decision<'_>) -> Result<(), Fault> {
    if decision.findings.is_empty() {
        return Ok(());
    }
    let uuids: Vec<Uuid> = decision.findings.iter().map(|finding| finding.finding_uuid).collect();
    let codes: Vec<String> = decision.findings.iter().map(|finding| finding.requirement_code.clone()).collect();
    let texts: Vec<String> = decision.findings.iter().map(|finding| finding.text.clone()).collect();
    sqlx::query!(
        "insert into submission_finding (finding_uuid, submission_uuid, requirement_code, text, position)
         select finding_uuid, $1, requirement_code, text, place - 1
         from unnest($2::uuid[], $3::text[], $4::text[]) with ordinality
             as found (finding_uuid, requirement_code, text, place)",
        decision.submission_uuid,
        &uuids,
        &codes,
        &texts
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// The numbers of the requirements in force.
pub(in crate::marketplace::submissions) async fn requirement_codes_get(db: &Db) -> Result<Vec<String>, Fault> {
    Ok(sqlx::query_scalar!("select code from listing_requirement where active")
        .fetch_all(&mut *db.conn().await?)
        .await?)
}

/// Whom a decision is told: the person who handed the version in or, when that was a program or the person has left,
/// the administrators of the partner.
pub(in crate::marketplace::submissions) async fn addressees_page(
    db: &Db,
    submission_uuid: Uuid,
) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select p.person_uuid
         from submission as s
         join person as p on p.partner_uuid = s.partner_uuid and p.state = 'ACTIVE'
         where s.submission_uuid = $1 and (p.person_uuid = s.submitted_by or p.role = 'ADMINISTRATOR' and not exists (
             select from person as author
             where author.person_uuid = s.submitted_by and author.partner_uuid = s.partner_uuid
                 and author.state = 'ACTIVE'))
         order by p.created_at, p.person_uuid
         limit 20",
        submission_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
