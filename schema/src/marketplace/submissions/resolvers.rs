//! What may be asked of submissions, by staff.

mod types;

use std::collections::{HashMap, HashSet};

use async_graphql::{Context, Object};
use uuid::Uuid;

pub(in crate::marketplace) use types::ReviewFinding;
use types::{Submission, SubmissionApprove, SubmissionDetail, SubmissionRequestChanges};

use super::list::{AskedFor, BY_ID, SUBMISSIONS, SubmissionFilter, SubmissionRow, SubmissionSort};
use super::rules;
use super::store::{self, Decision, NewFinding};
use crate::core::access::{access, audit_partner, audit_target, batched};
use crate::core::actor::Actor;
use crate::core::audit_target::AuditTargetKind;
use crate::core::context::{RequestContext, RequestContextExt, Target};
use crate::core::fault::Fault;
use crate::core::list::{PageRequest, Rows};
use crate::core::mail::message::{Decision as Verdict, Letter, Notice};
use crate::core::outbox;
use crate::core::page::{CountedList, CountedPage};
use crate::core::principal::PrincipalType;
use crate::marketplace::checklist;
use crate::marketplace::publication;
use crate::marketplace::versions::{AppVersionAction, AppVersionState, after};

/// Reads of submissions.
#[derive(Default)]
pub(crate) struct SubmissionsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubmissionsQuery {
    /// The approval queue, the one that waits longest first unless told.
    #[graphql(
        directive = access::apply("labs.admin.submissions".into()),
        directive = audit_target::apply(AuditTargetKind::App, "app_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn marketplace_submissions_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<SubmissionFilter>,
        sort: Option<SubmissionSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<Submission>>, Fault> {
        let cx = ctx.cx();
        let asked = AskedFor::new(cx.principal()?.uuid, filter.unwrap_or_default());
        let Rows { rows, page } = SUBMISSIONS.page(cx, &asked, &PageRequest::new(sort, limit, cursor)).await?;
        let total = SUBMISSIONS.total(&cx.db, &asked, include_total).await?;
        cx.answer_list(CountedList { data: show_submissions(cx, rows).await?, page: CountedPage::of(page, total) })
    }

    /// What is submitted, beside what is live.
    #[graphql(
        directive = access::apply("labs.admin.submissions".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into()),
        directive = batched::apply()
    )]
    async fn marketplace_submissions_get(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
    ) -> Result<Option<SubmissionDetail>, Fault> {
        let cx = ctx.cx();
        let submission = one(cx, submission_uuid).await?;
        let detail = store::detail_get(&cx.db, submission_uuid).await?.ok_or_else(|| Fault::not_found("submission"))?;
        let findings: Vec<ReviewFinding> = detail.findings.0.into_iter().map(ReviewFinding::from).collect();
        let mut snapshot = detail.snapshot.0;
        let note = snapshot.note.take();
        let checklist = checklist::check_submitted(cx, submission.partner_uuid, &snapshot).await?;
        let sides = publication::sides(&cx.db, submission.app_uuid, snapshot).await?;
        cx.answer(SubmissionDetail {
            submission,
            note,
            appeal_text: detail.appeal_text,
            decision_note: detail.decision_note,
            submitted: sides.submitted,
            live: sides.live,
            differences: sides.differences,
            findings,
            checklist,
        })
    }
}

/// Writes of submissions.
#[derive(Default)]
pub(crate) struct SubmissionsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubmissionsMutation {
    /// Takes a submission out of the queue to review it.
    #[graphql(
        directive = access::apply("labs.admin.submissions:write".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into())
    )]
    async fn marketplace_submissions_claim(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
    ) -> Result<Option<Submission>, Fault> {
        let cx = ctx.cx();
        let (me, actor) = reviewer(cx)?;
        let to = after("submission", AppVersionState::Submitted, AppVersionAction::Claim, false)?;
        if !store::set_claimed(&cx.db, actor, submission_uuid, AppVersionState::Submitted.name(), to.name()).await? {
            let obstacle = store::obstacle_get(&cx.db, submission_uuid).await?;
            let obstacle = obstacle.ok_or_else(|| Fault::not_found("submission"))?;
            return Err(rules::claim_refused(obstacle.state, obstacle.reviewer_uuid, me));
        }
        cx.answer(one(cx, submission_uuid).await?)
    }

    /// Approves a submission that the caller has claimed.
    #[graphql(
        directive = access::apply("labs.admin.submissions:write".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into())
    )]
    async fn marketplace_submissions_approve(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
        body: Option<SubmissionApprove>,
    ) -> Result<Option<Submission>, Fault> {
        let note = body.unwrap_or_default().note;
        ctx.cx().answer(decide(ctx.cx(), submission_uuid, AppVersionAction::Approve, note, &[]).await?)
    }

    /// Sends a submission that the caller has claimed back with findings.
    #[graphql(
        directive = access::apply("labs.admin.submissions:write".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into())
    )]
    async fn marketplace_submissions_request_changes(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
        body: SubmissionRequestChanges,
    ) -> Result<Option<Submission>, Fault> {
        let cx = ctx.cx();
        if store::obstacle_get(&cx.db, submission_uuid).await?.is_none() {
            return Err(Fault::not_found("submission"));
        }
        let requirements = store::requirement_codes_get(&cx.db).await?;
        let known: HashSet<&str> = requirements.iter().map(String::as_str).collect();
        rules::check_codes(body.findings.iter().map(|finding| finding.requirement_code.as_str()), &known)?;
        let findings: Vec<NewFinding> = body
            .findings
            .into_iter()
            .map(|finding| NewFinding {
                finding_uuid: cx.new_uuid(),
                requirement_code: finding.requirement_code,
                text: finding.text,
            })
            .collect();
        cx.answer(decide(cx, submission_uuid, AppVersionAction::RequestChanges, body.note, &findings).await?)
    }
}

/// Decides a submission. Only the reviewer who has claimed it finds something to change.
async fn decide(
    cx: &RequestContext,
    submission_uuid: Uuid,
    action: AppVersionAction,
    note: Option<String>,
    findings: &[NewFinding],
) -> Result<Submission, Fault> {
    let (me, actor) = reviewer(cx)?;
    let to = after("submission", AppVersionState::InReview, action, false)?;
    let note = note.filter(|note| !note.trim().is_empty());
    let decision = Decision {
        submission_uuid,
        from: AppVersionState::InReview.name(),
        to: to.name(),
        event: event_of(to),
        note: note.as_deref(),
        findings,
    };
    if !store::set_decided(&cx.db, actor, &decision).await? {
        let obstacle = store::obstacle_get(&cx.db, submission_uuid).await?;
        let obstacle = obstacle.ok_or_else(|| Fault::not_found("submission"))?;
        return Err(rules::decision_refused(obstacle.state, action, obstacle.reviewer_uuid, me));
    }
    let submission = one(cx, submission_uuid).await?;
    tell(cx, &submission, to).await?;
    Ok(submission)
}

/// Writes to the partner how a submission was decided; what was written with it stands at the version.
async fn tell(cx: &RequestContext, submission: &Submission, to: AppVersionState) -> Result<(), Fault> {
    let decision = match to {
        AppVersionState::Approved => Verdict::Approved,
        AppVersionState::ChangesRequested => Verdict::ChangesRequested,
        _ => Verdict::Rejected,
    };
    for person_uuid in store::addressees_page(&cx.db, submission.uuid).await? {
        let (app, version) = (submission.app_name.clone(), submission.version_number.clone());
        let notice = |name| Letter::Telling(Notice::SubmissionDecided { name, app, version, decision });
        outbox::queue_to_person(cx, person_uuid, notice).await?;
    }
    Ok(())
}

/// Who reviews: a person, because a partner is owed one who answers for the decision.
fn reviewer(cx: &RequestContext) -> Result<(Uuid, Actor), Fault> {
    let principal = cx.principal()?;
    if principal.kind != PrincipalType::StaffUser {
        return Err(Fault::conflict("A submission is reviewed by a person. Sign in as a member of staff."));
    }
    Ok((principal.uuid, Actor::of(principal)))
}

/// One submission, which is what the audit record is about.
async fn one(cx: &RequestContext, submission_uuid: Uuid) -> Result<Submission, Fault> {
    let row = BY_ID.one(&cx.db, [submission_uuid.into()]).await?.ok_or_else(|| Fault::not_found("submission"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Submission),
        uuid: Some(row.submission_uuid),
        label: Some(format!("{} {}", row.app_name, row.version_number)),
        partner_uuid: Some(row.partner_uuid),
    });
    let mut submissions = show_submissions(cx, vec![row]).await?;
    submissions.pop().ok_or_else(|| Fault::internal("a submission that was read is gone"))
}

/// Rows as they are shown. When to expect a decision is asked only for those that wait for one.
async fn show_submissions(cx: &RequestContext, rows: Vec<SubmissionRow>) -> Result<Vec<Submission>, Fault> {
    let waiting: Vec<Uuid> = rows.iter().filter(|row| row.state.is_waiting()).map(|row| row.submission_uuid).collect();
    let standings = if waiting.is_empty() { HashMap::new() } else { store::standings(&cx.db, &waiting).await? };
    let shown = rows.into_iter().map(|row| {
        let standing = standings.get(&row.submission_uuid);
        Submission::of(row, standing)
    });
    Ok(shown.collect())
}

/// What a decision is called in the app's history.
fn event_of(to: AppVersionState) -> &'static str {
    match to {
        AppVersionState::Approved => "VERSION_APPROVED",
        AppVersionState::ChangesRequested => "VERSION_CHANGES_REQUESTED",
        _ => "VERSION_REJECTED",
    }
}
