//! Resolvers of submissions for staff.

pub(super) mod types;

use std::collections::{HashMap, HashSet};

use async_graphql::{Context, Object};
use uuid::Uuid;

pub(in crate::marketplace) use types::ReviewFinding;
use types::{
    Beholder, FindingInput, Submission, SubmissionApprove, SubmissionDetail, SubmissionReject,
    SubmissionRequestChanges, SubmissionUnclaim,
};

use super::list::{AskedFor, BY_ID, SUBMISSIONS, SubmissionFilter, SubmissionRow, SubmissionSort};
use super::rules::findings::{self, Written};
use super::rules::{self, WaitingOn};
use super::store::{self, Decision, Held};
use super::thread;
use crate::core::access::{access, answers_file, audit_partner, audit_target, batched, partner_reads};
use crate::core::actor::Actor;
use crate::core::audit_target::AuditTargetKind;
use crate::core::business_time;
use crate::core::context::{RequestContext, RequestContextExt, Target};
use crate::core::fault::Fault;
use crate::core::list::{PageRequest, Rows};
use crate::core::mail::message::{Decision as Verdict, Letter, Notice};
use crate::core::outbox;
use crate::core::page::{CountedList, CountedPage};
use crate::core::principal::PrincipalType;
use crate::marketplace::checklist;
use crate::marketplace::media::{MediaVariantName, deliver};
use crate::marketplace::publication;
use crate::marketplace::versions::{AppVersionAction, AppVersionState};

/// Reads of submissions.
#[derive(Default)]
pub(crate) struct SubmissionsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubmissionsQuery {
    /// List submissions.
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

    /// Get a submission.
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
        let submission_version = submission.version_uuid;
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
            messages: thread::of_submission(cx, submission_version).await?,
        })
    }

    /// Get the content of a submission's media item.
    #[graphql(
        directive = access::apply("labs.admin.submissions".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into()),
        directive = answers_file::apply(),
        visible = false
    )]
    async fn marketplace_submissions_get_media_content(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
        media_uuid: Uuid,
        variant: Option<MediaVariantName>,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        one(cx, submission_uuid).await?;
        let stored = store::media_get(&cx.db, submission_uuid, media_uuid).await?;
        let stored = stored.ok_or_else(|| Fault::not_found("media item of this submission"))?;
        let called = format!("submitted-{media_uuid}");
        deliver(cx, &stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
        cx.answer(true)
    }
}

/// Writes of submissions.
#[derive(Default)]
pub(crate) struct SubmissionsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubmissionsMutation {
    /// Claim a submission.
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
        let held = lock(cx, submission_uuid).await?;
        rules::claim(&held.standing(), me, cx.now)?;
        store::set_claimed(&cx.db, actor, &held).await?;
        cx.answer(one(cx, submission_uuid).await?)
    }

    /// Unclaim a submission.
    #[graphql(
        directive = access::apply("labs.admin.submissions:write".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into())
    )]
    async fn marketplace_submissions_unclaim(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
        body: Option<SubmissionUnclaim>,
    ) -> Result<Option<Submission>, Fault> {
        let cx = ctx.cx();
        let (me, actor) = reviewer(cx)?;
        let reason = said(body.unwrap_or_default().reason);
        let held = lock(cx, submission_uuid).await?;
        rules::unclaim(&held.standing(), me, cx.now, reason.as_deref())?;
        store::set_unclaimed(&cx.db, actor, &held).await?;
        if let Some(reason) = reason {
            thread::note(cx, &held, &reason).await?;
        }
        cx.answer(one(cx, submission_uuid).await?)
    }

    /// Approve a submission.
    #[graphql(
        directive = access::apply("labs.admin.submissions:write".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into()),
        directive = partner_reads::apply("note".into())
    )]
    async fn marketplace_submissions_approve(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
        body: Option<SubmissionApprove>,
    ) -> Result<Option<Submission>, Fault> {
        let SubmissionApprove { note, internal_note } = body.unwrap_or_default();
        let words = Words { note, internal_note, findings: Vec::new() };
        ctx.cx().answer(decide(ctx.cx(), submission_uuid, AppVersionAction::Approve, words).await?)
    }

    /// Request changes to a submission.
    #[graphql(
        directive = access::apply("labs.admin.submissions:write".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into()),
        directive = partner_reads::apply("note".into())
    )]
    async fn marketplace_submissions_request_changes(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
        body: SubmissionRequestChanges,
    ) -> Result<Option<Submission>, Fault> {
        let SubmissionRequestChanges { findings, note, internal_note } = body;
        let words = Words { note, internal_note, findings };
        ctx.cx().answer(decide(ctx.cx(), submission_uuid, AppVersionAction::RequestChanges, words).await?)
    }

    /// Reject a submission.
    #[graphql(
        directive = access::apply("labs.admin.submissions:write".into()),
        directive = audit_target::apply(AuditTargetKind::Submission, "submission_uuid".into()),
        directive = partner_reads::apply("note".into())
    )]
    async fn marketplace_submissions_reject(
        &self,
        ctx: &Context<'_>,
        submission_uuid: Uuid,
        body: SubmissionReject,
    ) -> Result<Option<Submission>, Fault> {
        let SubmissionReject { findings, note, internal_note } = body;
        let words = Words { note, internal_note, findings };
        ctx.cx().answer(decide(ctx.cx(), submission_uuid, AppVersionAction::Reject, words).await?)
    }
}

/// Texts and findings of a reviewer's decision.
struct Words {
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
    words: Words,
) -> Result<Submission, Fault> {
    let (me, actor) = reviewer(cx)?;
    let held = lock(cx, submission_uuid).await?;
    let to = rules::decide(&held.standing(), action, me)?;
    let written: Vec<Written> = words.findings.into_iter().map(Written::from).collect();
    if !written.is_empty() {
        check_findings(cx, &held, &written).await?;
    }
    let note = said(words.note);
    let findings: Vec<(Uuid, Written)> = written.into_iter().map(|finding| (cx.new_uuid(), finding)).collect();
    let decision = Decision {
        to,
        event: event_of(to),
        note: note.as_deref(),
        findings: &findings,
        is_upheld: held.appeal && to == AppVersionState::Approved,
        due_left_seconds: left(cx, &held),
    };
    store::set_decided(&cx.db, actor, &held, &decision).await?;
    if let Some(note) = said(words.internal_note) {
        thread::note(cx, &held, &note).await?;
    }
    tell(cx, &held, to).await?;
    one(cx, submission_uuid).await
}

/// Returns the remaining time until the due date, in business seconds.
pub(super) fn left(cx: &RequestContext, held: &Held) -> i64 {
    match (held.waiting_on, held.due_at) {
        (Some(WaitingOn::Reviewers), Some(due_at)) => business_time::between(cx.now, due_at),
        _ => held.due_left_seconds.unwrap_or_default(),
    }
}

async fn check_findings(cx: &RequestContext, held: &Held, written: &[Written]) -> Result<(), Fault> {
    let requirements = store::requirement_codes_get(&cx.db).await?;
    let known: HashSet<&str> = requirements.iter().map(String::as_str).collect();
    let detail = store::detail_get(&cx.db, held.submission_uuid).await?;
    let detail = detail.ok_or_else(|| Fault::internal("a locked submission cannot be found"))?;
    let sides = publication::sides(&cx.db, held.app_uuid, detail.snapshot.0).await?;
    findings::check(written, &known, &sides.places())
}

/// Queues a mail to the partner about the decision. The mail does not contain the reviewer's message, which the partner
/// reads at the version.
async fn tell(cx: &RequestContext, held: &Held, to: AppVersionState) -> Result<(), Fault> {
    let decision = match (to, held.appeal) {
        (AppVersionState::Approved, false) => Verdict::Approved,
        (AppVersionState::Approved, true) => Verdict::AppealUpheld,
        (AppVersionState::ChangesRequested, _) => Verdict::ChangesRequested,
        (_, false) => Verdict::Rejected,
        (_, true) => Verdict::AppealDenied,
    };
    for person_uuid in store::addressees_page(&cx.db, held.submission_uuid).await? {
        let (app, version) = (held.app_name.clone(), held.version_number.clone());
        let notice = |name| Letter::Telling(Notice::SubmissionDecided { name, app, version, decision });
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
pub(super) async fn lock(cx: &RequestContext, submission_uuid: Uuid) -> Result<Held, Fault> {
    let held = store::lock(&cx.db, submission_uuid).await?.ok_or_else(|| Fault::not_found("submission"))?;
    note_target(cx, submission_uuid, (&held.app_name, &held.version_number), held.partner_uuid);
    Ok(held)
}

/// Loads a submission and names it in the audit record.
async fn one(cx: &RequestContext, submission_uuid: Uuid) -> Result<Submission, Fault> {
    let row = BY_ID.one(&cx.db, [submission_uuid.into()]).await?.ok_or_else(|| Fault::not_found("submission"))?;
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
    let waiting = waiting_of(&rows);
    let standings =
        if waiting.is_empty() { HashMap::new() } else { store::standings(&cx.db, &waiting, cx.now).await? };
    show_as(cx, rows, &standings)
}

/// Converts rows of edge queries to their public form.
pub(crate) async fn show_followed(cx: &RequestContext, rows: Vec<SubmissionRow>) -> Result<Vec<Submission>, Fault> {
    let standings = store::load_standings(cx, &waiting_of(&rows)).await?;
    show_as(cx, rows, &standings)
}

fn waiting_of(rows: &[SubmissionRow]) -> Vec<Uuid> {
    rows.iter().filter(|row| row.state.is_waiting()).map(|row| row.submission_uuid).collect()
}

fn show_as(
    cx: &RequestContext,
    rows: Vec<SubmissionRow>,
    standings: &HashMap<Uuid, store::Standing>,
) -> Result<Vec<Submission>, Fault> {
    let principal = cx.principal()?;
    let reviews = principal.kind == PrincipalType::StaffUser && cx.may("labs.admin.submissions:write");
    let beholder = Beholder { me: principal.uuid, reviews, now: cx.now };
    let shown = rows.into_iter().map(|row| {
        let standing = standings.get(&row.submission_uuid);
        Submission::of(row, standing, beholder)
    });
    Ok(shown.collect())
}

/// Returns the text, or `None` if it is blank.
fn said(text: Option<String>) -> Option<String> {
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
