//! Resolvers of submissions for staff.

pub(super) mod types;

use std::collections::{HashMap, HashSet};

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::business_time;
use labs_core::context::{RequestContext, Target};
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, Rows};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::{CountedList, CountedPage};
use labs_core::principal::PrincipalType;
use labs_mail::message::{Decision as Verdict, MailContent, Notice};
use labs_mail::outbox;
use labs_shared::images::{MediaVariantName, deliver};
use uuid::Uuid;

use super::list::{BY_ID, SUBMISSIONS, SubmissionFilter, SubmissionQuery, SubmissionRow, SubmissionSort};
use super::rules::findings::{self, WrittenFinding};
use super::rules::{self, WaitingOn};
use super::store::{self, Decision, LockedSubmission};
use super::thread;
use crate::checklist;
use crate::release;
use crate::versions::{AppVersionAction, AppVersionState};
pub(crate) use types::ReviewFinding;
use types::{
    FindingInput, Submission, SubmissionApprove, SubmissionDetail, SubmissionReject, SubmissionRequestChanges,
    SubmissionUnclaim, Viewer,
};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_submissions_list,
    marketplace_submissions_get,
    marketplace_submissions_get_media_content,
    marketplace_submissions_claim,
    marketplace_submissions_unclaim,
    marketplace_submissions_approve,
    marketplace_submissions_request_changes,
    marketplace_submissions_reject,
];

/// List submissions.
#[operation(query, access = "labs.admin.submissions", audit_target(App, "app_uuid"), audit_partner = "partner_uuid")]
async fn marketplace_submissions_list(
    cx: &RequestContext,
    filter: Option<SubmissionFilter>,
    sort: Option<SubmissionSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Submission>, Fault> {
    let asked = SubmissionQuery::new(cx.principal()?.uuid, filter.unwrap_or_default());
    let Rows { rows, page } = SUBMISSIONS.page(cx, &asked, &PageRequest::new(sort, limit, cursor)).await?;
    let total = SUBMISSIONS.total(&cx.db, &asked, include_total).await?;
    Ok(CountedList { data: show_submissions(cx, rows).await?, page: CountedPage::of(page, total) })
}

/// Get a submission.
#[operation(query, access = "labs.admin.submissions", audit_target(Submission, "submission_uuid"), batched)]
async fn marketplace_submissions_get(cx: &RequestContext, submission_uuid: Uuid) -> Result<SubmissionDetail, Fault> {
    let submission = load_submission(cx, submission_uuid).await?;
    let detail = store::get_detail(&cx.db, submission_uuid).await?.ok_or_else(|| Fault::not_found("submission"))?;
    let findings: Vec<ReviewFinding> = detail.findings.0.into_iter().map(ReviewFinding::from).collect();
    let mut snapshot = detail.snapshot.0;
    let note = snapshot.note.take();
    let checklist = checklist::check_submitted(cx, submission.partner_uuid, &snapshot).await?;
    let sides = release::sides(&cx.db, submission.app_uuid, snapshot).await?;
    let submission_version = submission.version_uuid;
    Ok(SubmissionDetail {
        submission,
        note,
        appeal_text: detail.appeal_text,
        decision_note: detail.decision_note,
        submitted: sides.submitted,
        live: sides.live,
        differences: sides.differences,
        findings,
        checklist,
        messages: thread::of_submission(cx, submission_version).await?,
    })
}

/// Get the content of a submission's media item.
#[operation(query, access = "labs.admin.submissions", audit_target(Submission, "submission_uuid"), answers_file)]
async fn marketplace_submissions_get_media_content(
    cx: &RequestContext,
    submission_uuid: Uuid,
    media_uuid: Uuid,
    variant: Option<MediaVariantName>,
) -> Result<bool, Fault> {
    load_submission(cx, submission_uuid).await?;
    let stored = store::get_media(&cx.db, submission_uuid, media_uuid).await?;
    let stored = stored.ok_or_else(|| Fault::not_found("media item of this submission"))?;
    let called = format!("submitted-{media_uuid}");
    deliver(cx, &stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
    Ok(true)
}

/// Claim a submission.
#[operation(mutation, access = "labs.admin.submissions:write", audit_target(Submission, "submission_uuid"))]
async fn marketplace_submissions_claim(cx: &RequestContext, submission_uuid: Uuid) -> Result<Submission, Fault> {
    let (me, actor) = reviewer(cx)?;
    let locked = lock(cx, submission_uuid).await?;
    rules::claim(&locked.claim_status(), me, cx.now)?;
    store::set_claimed(&cx.db, actor, &locked).await?;
    load_submission(cx, submission_uuid).await
}

/// Unclaim a submission.
#[operation(mutation, access = "labs.admin.submissions:write", audit_target(Submission, "submission_uuid"))]
async fn marketplace_submissions_unclaim(
    cx: &RequestContext,
    submission_uuid: Uuid,
    body: Option<SubmissionUnclaim>,
) -> Result<Submission, Fault> {
    let (me, actor) = reviewer(cx)?;
    let reason = trim_text(body.unwrap_or_default().reason);
    let locked = lock(cx, submission_uuid).await?;
    rules::unclaim(&locked.claim_status(), me, cx.now, reason.as_deref())?;
    store::set_unclaimed(&cx.db, actor, &locked).await?;
    if let Some(reason) = reason {
        thread::note(cx, &locked, &reason).await?;
    }
    load_submission(cx, submission_uuid).await
}

/// Approve a submission.
#[operation(
    mutation,
    access = "labs.admin.submissions:write",
    audit_target(Submission, "submission_uuid"),
    partner_reads = "note"
)]
async fn marketplace_submissions_approve(
    cx: &RequestContext,
    submission_uuid: Uuid,
    body: Option<SubmissionApprove>,
) -> Result<Submission, Fault> {
    let SubmissionApprove { note, internal_note } = body.unwrap_or_default();
    let words = ReviewerText { note, internal_note, findings: Vec::new() };
    decide(cx, submission_uuid, AppVersionAction::Approve, words).await
}

/// Request changes to a submission.
#[operation(
    mutation,
    access = "labs.admin.submissions:write",
    audit_target(Submission, "submission_uuid"),
    partner_reads = "note"
)]
async fn marketplace_submissions_request_changes(
    cx: &RequestContext,
    submission_uuid: Uuid,
    body: SubmissionRequestChanges,
) -> Result<Submission, Fault> {
    let SubmissionRequestChanges { findings, note, internal_note } = body;
    let words = ReviewerText { note, internal_note, findings };
    decide(cx, submission_uuid, AppVersionAction::RequestChanges, words).await
}

/// Reject a submission.
#[operation(
    mutation,
    access = "labs.admin.submissions:write",
    audit_target(Submission, "submission_uuid"),
    partner_reads = "note"
)]
async fn marketplace_submissions_reject(
    cx: &RequestContext,
    submission_uuid: Uuid,
    body: SubmissionReject,
) -> Result<Submission, Fault> {
    let SubmissionReject { findings, note, internal_note } = body;
    let words = ReviewerText { note, internal_note, findings };
    decide(cx, submission_uuid, AppVersionAction::Reject, words).await
}

/// Texts and findings of a reviewer's decision.
struct ReviewerText {
    /// Message to the partner.
    note: Option<String>,
    /// Note to other reviewers.
    internal_note: Option<String>,
    findings: Vec<FindingInput>,
}

/// Decides a submission. Only the reviewer who claimed it may do this.
async fn decide(
    cx: &RequestContext,
    submission_uuid: Uuid,
    action: AppVersionAction,
    words: ReviewerText,
) -> Result<Submission, Fault> {
    let (me, actor) = reviewer(cx)?;
    let locked = lock(cx, submission_uuid).await?;
    let to = rules::decide(&locked.claim_status(), action, me)?;
    let written: Vec<WrittenFinding> = words.findings.into_iter().map(WrittenFinding::from).collect();
    if !written.is_empty() {
        check_findings(cx, &locked, &written).await?;
    }
    let note = trim_text(words.note);
    let findings: Vec<(Uuid, WrittenFinding)> = written.into_iter().map(|finding| (cx.new_uuid(), finding)).collect();
    let decision = Decision {
        to,
        event: event_of(to),
        note: note.as_deref(),
        findings: &findings,
        is_upheld: locked.appeal && to == AppVersionState::Approved,
        due_left_seconds: seconds_left(cx, &locked),
    };
    store::set_decided(&cx.db, actor, &locked, &decision).await?;
    if let Some(note) = trim_text(words.internal_note) {
        thread::note(cx, &locked, &note).await?;
    }
    notify_decision(cx, &locked, to).await?;
    load_submission(cx, submission_uuid).await
}

/// Returns the remaining time until the due date, in business seconds.
pub(super) fn seconds_left(cx: &RequestContext, locked: &LockedSubmission) -> i64 {
    match (locked.waiting_on, locked.due_at) {
        (Some(WaitingOn::Reviewers), Some(due_at)) => business_time::seconds_between(cx.now, due_at),
        _ => locked.due_left_seconds.unwrap_or_default(),
    }
}

async fn check_findings(
    cx: &RequestContext,
    locked: &LockedSubmission,
    written: &[WrittenFinding],
) -> Result<(), Fault> {
    let requirements = store::get_requirement_codes(&cx.db).await?;
    let known: HashSet<&str> = requirements.iter().map(String::as_str).collect();
    let detail = store::get_detail(&cx.db, locked.submission_uuid).await?;
    let detail = detail.ok_or_else(|| Fault::internal("a locked submission cannot be found"))?;
    let sides = release::sides(&cx.db, locked.app_uuid, detail.snapshot.0).await?;
    findings::check(written, &known, &sides.places())
}

/// Queues a mail to the partner about the decision. The mail does not contain the reviewer's message, which the partner
/// reads at the version.
async fn notify_decision(cx: &RequestContext, locked: &LockedSubmission, to: AppVersionState) -> Result<(), Fault> {
    let decision = match (to, locked.appeal) {
        (AppVersionState::Approved, false) => Verdict::Approved,
        (AppVersionState::Approved, true) => Verdict::AppealUpheld,
        (AppVersionState::ChangesRequested, _) => Verdict::ChangesRequested,
        (_, false) => Verdict::Rejected,
        (_, true) => Verdict::AppealDenied,
    };
    for person_uuid in store::addressees_page(&cx.db, locked.submission_uuid).await? {
        let (app, version) = (locked.app_name.clone(), locked.version_number.clone());
        let notice = |name| MailContent::Telling(Notice::SubmissionDecided { name, app, version, decision });
        outbox::queue_to_person(cx, person_uuid, notice).await?;
    }
    Ok(())
}

/// Returns the reviewer. It must be a user, because a person is responsible to the partner for the decision.
pub(super) fn reviewer(cx: &RequestContext) -> Result<(Uuid, Actor), Fault> {
    let principal = cx.principal()?;
    if principal.kind != PrincipalType::StaffUser {
        return Err(Fault::conflict("Only a user can review a submission. Sign in as a staff member."));
    }
    Ok((principal.uuid, Actor::of(principal)))
}

/// Locks the submission for an action of a reviewer.
pub(super) async fn lock(cx: &RequestContext, submission_uuid: Uuid) -> Result<LockedSubmission, Fault> {
    let locked = store::lock(&cx.db, submission_uuid).await?.ok_or_else(|| Fault::not_found("submission"))?;
    note_target(cx, submission_uuid, (&locked.app_name, &locked.version_number), locked.partner_uuid);
    Ok(locked)
}

/// Loads a submission and names it in the audit record.
async fn load_submission(cx: &RequestContext, submission_uuid: Uuid) -> Result<Submission, Fault> {
    let row = BY_ID.fetch_one(&cx.db, [submission_uuid.into()]).await?.ok_or_else(|| Fault::not_found("submission"))?;
    note_target(cx, row.submission_uuid, (&row.app_name, &row.version_number), row.partner_uuid);
    let mut submissions = show_submissions(cx, vec![row]).await?;
    submissions.pop().ok_or_else(|| Fault::internal("a submission cannot be found after it was read"))
}

fn note_target(cx: &RequestContext, uuid: Uuid, (app, version): (&str, &str), partner_uuid: Uuid) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Submission),
        uuid: Some(uuid),
        label: Some(format!("{app} {version}")),
        partner_uuid: Some(partner_uuid),
    });
}

/// Converts rows to their public form. It estimates the decision date only for undecided submissions.
async fn show_submissions(cx: &RequestContext, rows: Vec<SubmissionRow>) -> Result<Vec<Submission>, Fault> {
    let waiting = list_waiting(&rows);
    let queue_positions =
        if waiting.is_empty() { HashMap::new() } else { store::list_queue_positions(&cx.db, &waiting, cx.now).await? };
    show_as(cx, rows, &queue_positions)
}

/// Converts rows of edge queries to their public form.
pub async fn show_followed(cx: &RequestContext, rows: Vec<SubmissionRow>) -> Result<Vec<Submission>, Fault> {
    let queue_positions = store::load_queue_positions(cx, &list_waiting(&rows)).await?;
    show_as(cx, rows, &queue_positions)
}

fn list_waiting(rows: &[SubmissionRow]) -> Vec<Uuid> {
    rows.iter().filter(|row| row.state.is_waiting()).map(|row| row.submission_uuid).collect()
}

fn show_as(
    cx: &RequestContext,
    rows: Vec<SubmissionRow>,
    queue_positions: &HashMap<Uuid, store::QueuePosition>,
) -> Result<Vec<Submission>, Fault> {
    let principal = cx.principal()?;
    let reviews = principal.kind == PrincipalType::StaffUser && cx.may("labs.admin.submissions:write");
    let beholder = Viewer { me: principal.uuid, reviews, now: cx.now };
    let shown = rows.into_iter().map(|row| {
        let standing = queue_positions.get(&row.submission_uuid);
        Submission::of(row, standing, beholder)
    });
    Ok(shown.collect())
}

/// Returns the text, or `None` if it is blank.
fn trim_text(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// Kind of the event in the app's history for a decision.
fn event_of(to: AppVersionState) -> &'static str {
    match to {
        AppVersionState::Approved => "VERSION_APPROVED",
        AppVersionState::ChangesRequested => "VERSION_CHANGES_REQUESTED",
        _ => "VERSION_REJECTED",
    }
}
