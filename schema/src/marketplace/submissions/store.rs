//! Every statement about submissions and findings.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::marketplace::publication::{Actor, Snapshot};
use crate::page::{Keys, Window};
use crate::time::Time;

/// A submission as the queue shows it.
#[derive(Clone, Debug)]
pub(super) struct SubmissionRow {
    pub(super) submission_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) app_name: String,
    pub(super) partner_uuid: Uuid,
    pub(super) partner_name: String,
    pub(super) version_uuid: Uuid,
    pub(super) version_number: String,
    pub(super) state: String,
    pub(super) appeal: bool,
    pub(super) submitted_at: Time,
    pub(super) submitted_by: Uuid,
    pub(super) reviewer_uuid: Option<Uuid>,
    pub(super) reviewer_name: Option<String>,
    pub(super) claimed_at: Option<Time>,
    pub(super) decided_at: Option<Time>,
    pub(super) age_seconds: i32,
}

/// What a reviewer found.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::marketplace) struct FindingRow {
    pub(in crate::marketplace) finding_uuid: Uuid,
    pub(in crate::marketplace) requirement_code: String,
    pub(in crate::marketplace) text: String,
    pub(in crate::marketplace) resolved: bool,
}

/// What a list is narrowed to.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// In one of these states, each named once.
    pub(super) states: Vec<String>,
    pub(super) app_uuid: Option<Uuid>,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) reviewer_uuid: Option<Uuid>,
    /// Only those of this reviewer, besides.
    pub(super) mine: Option<Uuid>,
    /// Only those that are not of this reviewer.
    pub(super) not_mine: Option<Uuid>,
    pub(super) appeal: Option<bool>,
    pub(super) submitted_at_from: Option<Time>,
    pub(super) submitted_at_until: Option<Time>,
    pub(super) order: Order,
}

/// The orders a list can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    OldestFirst,
    NewestFirst,
}

impl Filter {
    /// Whether an app, a partner or a reviewer is named, of which there are few rows.
    fn is_narrow(&self) -> bool {
        self.app_uuid.is_some() || self.partner_uuid.is_some() || self.reviewer_uuid.is_some() || self.mine.is_some()
    }
}

impl SubmissionRow {
    /// Whether its decision is still to come.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state.as_str(), "SUBMITTED" | "IN_REVIEW")
    }

    fn keys(&self) -> Keys {
        vec![json!(self.submitted_at), json!(self.submission_uuid)]
    }
}

/// Submissions out of a table expression that picks them as `s`.
macro_rules! submissions {
    ([$($picked:literal)+] [$($tail:literal)+] $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            SubmissionRow,
            r#"select s.submission_uuid, s.app_uuid, coalesce(s.snapshot #>> '{texts,0,name}', '') as "app_name!",
                s.partner_uuid, p.company_name as partner_name, s.version_uuid, v.number as version_number, s.state,
                s.appeal, s.submitted_at, s.submitted_by as "submitted_by!", s.reviewer_uuid,
                r.name as "reviewer_name?", s.claimed_at, s.decided_at,
                least(greatest(extract(epoch from coalesce(s.decided_at, labs_now()) - s.submitted_at), 0), 2147483647)
                    ::integer as "age_seconds!"
            from "# $(+ $picked)+ + r#" as s
            join app_version as v on v.version_uuid = s.version_uuid
            join partner as p on p.partner_uuid = s.partner_uuid
            left join person as r on r.person_uuid = s.reviewer_uuid "# $(+ $tail)+ $(, $argument)*
        )
    };
}

/// A page of the queue. Each state is read from the index in the order asked for, so that the many that were decided
/// long ago cost nothing; who names an app, a partner or a reviewer is led there by theirs.
macro_rules! page_of {
    ($filter:expr, $window:expr, $db:expr, [$($narrow:literal)+], $after:literal, $order:literal, $limit:literal) => {
        submissions!(
            ["(select o.* from unnest($1::text[]) as wanted (state)
               cross join lateral (
                   select * from submission as s
                   where s.state = wanted.state " $($narrow)+
                      "and ($2::uuid is null or s.app_uuid = $2) and ($3::uuid is null or s.partner_uuid = $3)
                       and ($4::uuid is null or s.reviewer_uuid = $4) and ($5::uuid is null or s.reviewer_uuid = $5)
                       and ($6::uuid is null or s.reviewer_uuid is distinct from $6)
                       and ($7::boolean is null or s.appeal = $7)
                       and ($8::timestamptz is null or s.submitted_at >= $8)
                       and ($9::timestamptz is null or s.submitted_at < $9)
                       and ($10::timestamptz is null or (s.submitted_at, s.submission_uuid) " $after " ($10, $11)) "
             "order by " $order $limit ") as o order by " $order $limit ")"]
            ["order by " $order],
            &$filter.states,
            $filter.app_uuid,
            $filter.partner_uuid,
            $filter.reviewer_uuid,
            $filter.mine,
            $filter.not_mine,
            $filter.appeal,
            $filter.submitted_at_from as Option<Time>,
            $filter.submitted_at_until as Option<Time>,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
        .fetch_all(&mut *$db.conn().await?)
        .await
    };
}

/// The same in either width.
macro_rules! page_in {
    ($filter:expr, $window:expr, $db:expr, $after:literal, $order:literal, $limit:literal) => {
        if $filter.is_narrow() {
            page_of!(
                $filter,
                $window,
                $db,
                ["and (s.app_uuid = $2 or s.partner_uuid = $3 or s.reviewer_uuid = $4 or s.reviewer_uuid = $5) "],
                $after,
                $order,
                $limit
            )
        } else {
            page_of!($filter, $window, $db, [" "], $after, $order, $limit)
        }
    };
}

/// A page of the queue.
pub(super) async fn page(
    db: &Db,
    filter: &Filter,
    window: &Window,
) -> Result<(Vec<SubmissionRow>, crate::page::Page), Fault> {
    let rows = match (filter.order, window.limit <= 20) {
        (Order::OldestFirst, true) => page_in!(filter, window, db, ">", "submitted_at, submission_uuid", " limit 21"),
        (Order::OldestFirst, false) => page_in!(filter, window, db, ">", "submitted_at, submission_uuid", " limit 101"),
        (Order::NewestFirst, true) => {
            page_in!(filter, window, db, "<", "submitted_at desc, submission_uuid desc", " limit 21")
        }
        (Order::NewestFirst, false) => {
            page_in!(filter, window, db, "<", "submitted_at desc, submission_uuid desc", " limit 101")
        }
    }?;
    Ok(window.cut(rows, SubmissionRow::keys))
}

/// How many there are in all.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!"
         from submission as s
         where s.state = any($1)
             and ($2::uuid is null or s.app_uuid = $2) and ($3::uuid is null or s.partner_uuid = $3)
             and ($4::uuid is null or s.reviewer_uuid = $4) and ($5::uuid is null or s.reviewer_uuid = $5)
             and ($6::uuid is null or s.reviewer_uuid is distinct from $6)
             and ($7::boolean is null or s.appeal = $7)
             and ($8::timestamptz is null or s.submitted_at >= $8)
             and ($9::timestamptz is null or s.submitted_at < $9)"#,
        &filter.states,
        filter.app_uuid,
        filter.partner_uuid,
        filter.reviewer_uuid,
        filter.mine,
        filter.not_mine,
        filter.appeal,
        filter.submitted_at_from as Option<Time>,
        filter.submitted_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// One submission.
pub(super) async fn get(db: &Db, submission_uuid: Uuid) -> Result<Option<SubmissionRow>, Fault> {
    Ok(submissions!(["submission"]["where s.submission_uuid = $1"], submission_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
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

/// Where a submission that is not decided stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::marketplace) struct Standing {
    pub(in crate::marketplace) submission_uuid: Uuid,
    /// 1 is next; `None` once a reviewer has it.
    pub(in crate::marketplace) place: Option<i64>,
    /// How many wait in all; `None` once a reviewer has it.
    pub(in crate::marketplace) length: Option<i64>,
    /// When to expect the decision, to the full hour; `None` when too few were decided lately to tell.
    pub(in crate::marketplace) expected_at: Option<Time>,
}

/// Where these submissions stand, as far as they are not decided.
///
/// The date to expect comes from how long the last fifty decisions of ninety days took: the middle one of those that
/// took longer than this one has waited already, so that it never lies in the past. It takes three of them to tell.
pub(in crate::marketplace) async fn standings(db: &Db, submissions: &[Uuid]) -> Result<HashMap<Uuid, Standing>, Fault> {
    let rows = sqlx::query_as!(
        Standing,
        r#"with recent as materialized (
             select decided_at - submitted_at as took
             from submission
             where decided_at > labs_now() - interval '90 days'
                 and state in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED')
             order by decided_at desc
             limit 50
         ), waiting as materialized (
             select submission_uuid, count(*) over () as length,
                 row_number() over (order by submitted_at, submission_uuid) as place
             from submission
             where state = 'SUBMITTED'
         )
         select s.submission_uuid, w.place as "place?", w.length as "length?", pace.expected_at as "expected_at?"
         from submission as s
         left join waiting as w on w.submission_uuid = s.submission_uuid
         left join lateral (
             select date_trunc('hour', s.submitted_at + interval '1 hour'
                 + percentile_cont(0.5) within group (order by took), 'UTC') as expected_at
             from recent
             where took > labs_now() - s.submitted_at
             having (select count(*) from recent) >= 3
         ) as pace on true
         where s.submission_uuid = any($1) and s.state in ('SUBMITTED', 'IN_REVIEW')"#,
        submissions
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.submission_uuid, row)).collect())
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

/// Hands a version in: the submission with its snapshot, the version's state, and the app's history. Findings on
/// requirements that the service checks are mended by this, because it has just found them met.
pub(in crate::marketplace) async fn insert(db: &Db, actor: Actor, new: &NewSubmission<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with version as (
             update app_version
             set state = 'SUBMITTED', state_changed_at = labs_now(), updated_at = labs_now()
             where version_uuid = $2
             returning app_uuid, version_uuid, number
         ), handed as (
             insert into submission (submission_uuid, version_uuid, app_uuid, partner_uuid, submitted_by, appeal,
                 appeal_text, snapshot)
             select $1, v.version_uuid, v.app_uuid, a.partner_uuid, $3, $4::text is not null, $4, $5
             from version as v
             join app as a on a.app_uuid = v.app_uuid
         ), mended as (
             update submission_finding as f
             set resolved = true
             from submission as o, listing_requirement as r
             where o.version_uuid = $2 and f.submission_uuid = o.submission_uuid and not f.resolved
                 and r.code = f.requirement_code and r.automatic
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

/// Why a claim or a decision found nothing to change.
pub(super) struct Obstacle {
    pub(super) state: String,
    pub(super) reviewer_uuid: Option<Uuid>,
}

/// The state of a submission and whose it is.
pub(super) async fn obstacle_get(db: &Db, submission_uuid: Uuid) -> Result<Option<Obstacle>, Fault> {
    Ok(sqlx::query_as!(
        Obstacle,
        "select state, reviewer_uuid from submission where submission_uuid = $1",
        submission_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Gives a submission to a reviewer. Of several at once one gets it; who rejected a version never gets its appeal.
/// False when it is not to be had.
pub(super) async fn set_claimed(
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
             where s.submission_uuid = $1 and s.state = $3 and not (s.appeal and exists (
                 select from submission as former
                 where former.version_uuid = s.version_uuid and former.state = 'REJECTED' and former.reviewer_uuid = $2))
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
pub(super) struct Decision<'a> {
    pub(super) submission_uuid: Uuid,
    /// The state in which a submission can be decided so.
    pub(super) from: &'a str,
    /// The state it leads to.
    pub(super) to: &'a str,
    /// The kind of the event in the app's history.
    pub(super) event: &'a str,
    pub(super) note: Option<&'a str>,
    pub(super) findings: &'a [NewFinding],
}

/// Something found.
pub(super) struct NewFinding {
    pub(super) finding_uuid: Uuid,
    pub(super) requirement_code: String,
    pub(super) text: String,
}

/// Decides a submission that this reviewer has claimed. Open findings of the version that are not named again count
/// as mended. False when it is not this reviewer's to decide.
pub(super) async fn set_decided(db: &Db, actor: Actor, decision: &Decision<'_>) -> Result<bool, Fault> {
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

/// A listing requirement, for the checklist of a submission.
pub(super) struct RequirementRow {
    pub(super) code: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) automatic: bool,
}

/// Every requirement in force, in the order of its number.
pub(super) async fn requirements_page(db: &Db) -> Result<Vec<RequirementRow>, Fault> {
    Ok(sqlx::query_as!(
        RequirementRow,
        "select code, title, description, automatic from listing_requirement where active order by position, code"
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
