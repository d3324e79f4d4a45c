//! Output and input types of submissions for staff.

use labs_core::describe::{InputType, OutputType};
use labs_core::time::Time;
use uuid::Uuid;

use crate::checklist::AppChecklist;
use crate::media::MediaKind;
use crate::release::{ListingSnapshot, SubmissionDifference};
use crate::submissions::list::SubmissionRow;
use crate::submissions::rules::findings::WrittenFinding;
use crate::submissions::rules::{self, ClaimStatus, FindingStatus, SubmissionState, WaitingOn};
use crate::submissions::store::{FindingRow, QueuePosition};
use crate::submissions::thread::SubmissionMessage;
use crate::versions::AppVersionState;

/// A staff member who reviews submissions.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct Reviewer {
    /// Id of the user.
    uuid: Uuid,
    /// Name of the user; partners never see it.
    name: String,
}

/// Submission of an app version in the form that the queue shows.
#[derive(serde::Serialize, OutputType)]
pub struct Submission {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// Id of the app.
    pub(crate) app_uuid: Uuid,
    /// Name in the app's default locale at the time of submission.
    pub(in crate::submissions) app_name: String,
    /// Id of the partner.
    pub(crate) partner_uuid: Uuid,
    /// Company that owns the app.
    partner_name: String,
    /// Id of the submitted version.
    pub(in crate::submissions) version_uuid: Uuid,
    /// Number of the version.
    pub(in crate::submissions) version_number: String,
    /// Current state.
    state: SubmissionState,
    /// Whether it is an appeal against a rejection. The reviewer who rejected the version cannot claim it.
    appeal: bool,
    /// Time of submission.
    submitted_at: Time,
    /// Id of the user or machine client that submitted the version. Null if no longer known.
    submitted_by_uuid: Option<Uuid>,
    /// Reviewer who claimed or decided the submission. Null while it waits in the queue.
    reviewer: Option<Reviewer>,
    /// Time when the reviewer claimed the submission.
    claimed_at: Option<Time>,
    /// Time of the decision or withdrawal.
    decided_at: Option<Time>,
    /// Seconds from the submission to the decision, or to the current time.
    age_seconds: i32,
    /// Expected decision date that the partner sees; null after the decision, or if there are too few recent decisions
    /// for an estimate.
    expected_at: Option<Time>,
    /// Time that determines the position in the queue: its submission, or the queue time of the submission that it
    /// replaced.
    queued_at: Time,
    /// Party that must act next; null if no action is pending.
    waiting_on: Option<WaitingOn>,
    /// Due time of the decision; null while the reviewers need not act.
    due_at: Option<Time>,
    /// Time at which the claim expires and another reviewer may take over the submission; null without a claim.
    claim_rests_at: Option<Time>,
    /// Whether the submission requests permissions that the published version does not have.
    new_permissions: bool,
    /// Actions that the caller can take now.
    allowed_actions: Vec<String>,
}

/// Media item of a submission. Its content never changes.
#[derive(Clone, Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub struct SubmittedPicture {
    /// UUID of the object.
    uuid: Uuid,
    /// Kind of media item.
    kind: MediaKind,
    /// Position among the media items of the same kind, from 1.
    position: i32,
    /// Text alternative for readers who cannot see the image.
    alt_text: Option<String>,
    /// Caption.
    caption: Option<String>,
    /// Media type of the content.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// Position among all media items.
    #[serde(skip)]
    pub(in crate::submissions) ordinal: i64,
}

/// A submission with all information for the reviewer's decision.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SubmissionDetail {
    #[serde(flatten)]
    pub(in crate::submissions) submission: Submission,
    /// Note from the partner to the reviewers.
    pub(in crate::submissions) note: Option<String>,
    /// Reason why the partner considers the rejection incorrect. Null if the submission is not an appeal.
    pub(in crate::submissions) appeal_text: Option<String>,
    /// Note to the partner with the decision.
    pub(in crate::submissions) decision_note: Option<String>,
    /// Snapshot to be published, as submitted.
    pub(in crate::submissions) submitted: ListingSnapshot,
    /// Snapshot that readers currently see. Null if the app was never published.
    pub(in crate::submissions) live: Option<ListingSnapshot>,
    /// Every difference between the two snapshots. Without a published snapshot, every value of the submitted one.
    pub(in crate::submissions) differences: Vec<SubmissionDifference>,
    /// Findings of this and earlier reviews of the version, open findings first.
    pub(in crate::submissions) findings: Vec<ReviewFinding>,
    /// Result of checking the submitted snapshot against the requirements.
    pub(in crate::submissions) checklist: AppChecklist,
    /// Last 200 entries of the conversation about the version, oldest first.
    pub(in crate::submissions) messages: Vec<SubmissionMessage>,
}

/// A reviewer's finding about a numbered requirement.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub struct ReviewFinding {
    /// UUID of the object.
    uuid: Uuid,
    /// Number of the listing requirement.
    requirement_code: String,
    /// Description of the problem and its fix.
    text: String,
    /// Path into the submitted snapshot; null in findings from before it was required.
    #[serde(rename = "where")]
    place: Option<String>,
    /// Observation of the reviewer; null in findings from before it was required.
    observed: Option<String>,
    /// Reason why the content must change now, although it was published before and did not change.
    why_now: Option<String>,
    /// Whether the problem is fixed.
    resolved: bool,
    /// Status of the finding.
    status: FindingStatus,
}

/// Notes with an approval.
#[derive(serde::Deserialize, InputType, Default)]
pub(crate) struct SubmissionApprove {
    pub(in crate::submissions) note: Option<String>,
    pub(in crate::submissions) internal_note: Option<String>,
}

/// Findings to fix before a version can be approved.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct SubmissionRequestChanges {
    pub(in crate::submissions) findings: Vec<FindingInput>,
    pub(in crate::submissions) note: Option<String>,
    pub(in crate::submissions) internal_note: Option<String>,
}

/// Reasons for the rejection of a version.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct SubmissionReject {
    pub(in crate::submissions) findings: Vec<FindingInput>,
    pub(in crate::submissions) note: Option<String>,
    pub(in crate::submissions) internal_note: Option<String>,
}

/// Reason for ending a claim.
#[derive(serde::Deserialize, InputType, Default)]
pub(crate) struct SubmissionUnclaim {
    pub(in crate::submissions) reason: Option<String>,
}

/// Finding of a reviewer.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct FindingInput {
    requirement_code: String,
    text: String,
    #[serde(rename = "where")]
    place: String,
    observed: String,
    why_now: Option<String>,
}

impl From<FindingInput> for WrittenFinding {
    fn from(input: FindingInput) -> Self {
        let FindingInput { requirement_code, text, place, observed, why_now } = input;
        let why_now = why_now.filter(|why| !why.trim().is_empty());
        Self { requirement_code, text, place, observed, why_now }
    }
}

/// Viewer of a submission, and the current time.
#[derive(Clone, Copy, Debug)]
pub(in crate::submissions) struct Viewer {
    pub(in crate::submissions) me: Uuid,
    /// Whether the viewer is a user who may review.
    pub(in crate::submissions) reviews: bool,
    pub(in crate::submissions) now: Time,
}

impl Submission {
    /// Converts a row to its public form.
    pub(in crate::submissions) fn of(
        row: SubmissionRow,
        queue_position: Option<&QueuePosition>,
        beholder: Viewer,
    ) -> Self {
        let claim = row.claim();
        let allowed_actions =
            if beholder.reviews { rules::allowed_actions(&claim, beholder.me, beholder.now) } else { Vec::new() };
        let reviewer = row.reviewer_uuid.zip(row.reviewer_name).map(|(uuid, name)| Reviewer { uuid, name });
        Self {
            uuid: row.submission_uuid,
            app_uuid: row.app_uuid,
            app_name: row.app_name,
            partner_uuid: row.partner_uuid,
            partner_name: row.partner_name,
            version_uuid: row.version_uuid,
            version_number: row.version_number,
            state: row.state,
            appeal: row.appeal,
            submitted_at: row.submitted_at,
            submitted_by_uuid: row.submitted_by,
            reviewer,
            claimed_at: row.claimed_at,
            decided_at: row.decided_at,
            age_seconds: row.age_seconds,
            expected_at: queue_position.and_then(|queue_position| queue_position.expected_at),
            queued_at: row.queued_at,
            waiting_on: row.waiting_on,
            due_at: row.due_at,
            claim_rests_at: claim
                .claimed_at
                .filter(|_| claim.state == AppVersionState::InReview)
                .map(rules::claim_expires_at),
            new_permissions: row.asks_more,
            allowed_actions,
        }
    }
}

impl SubmissionRow {
    /// Returns the state of the claim.
    const fn claim(&self) -> ClaimStatus {
        ClaimStatus {
            state: self.state.of_version(),
            reviewer_uuid: self.reviewer_uuid,
            claimed_at: self.claimed_at,
            rejected_by: self.rejected_by,
        }
    }
}

impl From<FindingRow> for ReviewFinding {
    fn from(row: FindingRow) -> Self {
        let FindingRow { finding_uuid: uuid, requirement_code, text, place, observed, why_now, resolved, status } = row;
        Self { uuid, requirement_code, text, place, observed, why_now, resolved, status }
    }
}
