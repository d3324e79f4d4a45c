//! Output and input types of submissions for staff.

use labs_core::describe::{InputType, OutputType};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
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
#[derive(Serialize, OutputType)]
pub(crate) struct Reviewer {
    /// UUID of the user.
    uuid: Uuid,
    /// Name of the reviewer. Partners never see it.
    name: String,
}

/// A submission of an app version, as an entry in a list.
#[derive(Serialize, OutputType)]
pub struct Submission {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// UUID of the app.
    pub(crate) app_uuid: Uuid,
    /// Name in the app's default locale at the time of submission.
    pub(in crate::submissions) app_name: String,
    /// UUID of the partner.
    pub(crate) partner_uuid: Uuid,
    /// Company that owns the app.
    partner_name: String,
    /// UUID of the submitted version.
    pub(in crate::submissions) version_uuid: Uuid,
    /// Number of the version.
    version_number: String,
    /// Current state.
    state: SubmissionState,
    /// Whether the submission is an appeal against a rejection. The reviewer who rejected the version cannot claim it.
    appeal: bool,
    /// Time of submission.
    submitted_at: Time,
    /// UUID of the user or machine client that submitted the version. Null if no longer known.
    submitted_by_uuid: Option<Uuid>,
    /// Reviewer who claimed or decided the submission. Null while it waits in the queue.
    reviewer: Option<Reviewer>,
    /// Time when the reviewer claimed the submission.
    claimed_at: Option<Time>,
    /// Time of the decision or withdrawal.
    decided_at: Option<Time>,
    /// Seconds from the submission to the decision, or to the current time.
    age_seconds: i32,
    /// Estimated decision date, as the partner sees it. Null if decided, or if too few submissions were decided
    /// recently for an estimate.
    expected_at: Option<Time>,
    /// Time that determines the position in the queue. It is the submission time, or the time of the earlier submission
    /// whose position this one takes: after a replacement, or after a resubmission with fixed findings.
    queued_at: Time,
    /// Side that has to act next. Null if no action is expected.
    waiting_on: Option<WaitingOn>,
    /// Time by which the decision is promised. Null while the reviewers do not have to act.
    due_at: Option<Time>,
    /// Time from which another reviewer may claim the submission, because the claim has expired. Null while the
    /// submission is unclaimed.
    claim_rests_at: Option<Time>,
    /// Whether the submission requests permissions that the published version does not have.
    new_permissions: bool,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// Media item of a submission. Its content never changes.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
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
#[derive(Serialize, OutputType)]
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
    /// Messages of both sides about the version, including reviewers' notes, oldest first. At most the last hundred.
    /// Reading them here marks them as read by the caller.
    pub(in crate::submissions) messages: Vec<SubmissionMessage>,
}

/// A reviewer's finding about a numbered requirement.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct ReviewFinding {
    /// UUID of the object.
    uuid: Uuid,
    /// Number of the listing requirement.
    requirement_code: String,
    /// Description of the problem and its fix.
    text: String,
    /// Place of the finding, as a path into the submission. Null for a finding from before this field was required.
    #[serde(rename = "where")]
    place: Option<String>,
    /// Observation of the reviewer at that place. Null for a finding from before this field was required.
    observed: Option<String>,
    /// Reason why the content must change now, although it was published before and did not change.
    why_now: Option<String>,
    /// Whether the finding is fixed: a later review of the version did not report it again. The checklist shows at any
    /// time which requirements the service itself considers met.
    resolved: bool,
    /// Status of the finding.
    status: FindingStatus,
}

/// Notes that accompany an approval.
#[derive(Deserialize, InputType, Default)]
pub(crate) struct SubmissionApprove {
    /// Note to the partner, shown with the version.
    pub(in crate::submissions) note: Option<String>,
    /// Note for reviewers, shown among the messages. Only staff can read it.
    pub(in crate::submissions) internal_note: Option<String>,
}

/// Findings that the partner must fix before the version can be approved.
#[derive(Deserialize, InputType)]
pub(crate) struct SubmissionRequestChanges {
    /// Findings of the review. A requirement may be named more than once.
    pub(in crate::submissions) findings: Vec<FindingInput>,
    /// Note to the partner, shown with the version.
    pub(in crate::submissions) note: Option<String>,
    /// Note for reviewers, shown among the messages. Only staff can read it.
    pub(in crate::submissions) internal_note: Option<String>,
}

/// Reason for rejecting the version.
#[derive(Deserialize, InputType)]
pub(crate) struct SubmissionReject {
    /// Findings of the review. A requirement may be named more than once.
    pub(in crate::submissions) findings: Vec<FindingInput>,
    /// Note to the partner, shown with the version.
    pub(in crate::submissions) note: Option<String>,
    /// Note for reviewers, shown among the messages. Only staff can read it.
    pub(in crate::submissions) internal_note: Option<String>,
}

/// Reason for ending a claim.
#[derive(Default, Deserialize, InputType)]
pub(crate) struct SubmissionUnclaim {
    /// Reason for reviewers, shown among the messages. Required to end another reviewer's claim that has not expired.
    /// Only staff can read it.
    pub(in crate::submissions) reason: Option<String>,
}

/// A finding of the review.
#[derive(Deserialize, InputType)]
pub(crate) struct FindingInput {
    requirement_code: String,
    /// Description of the problem and its fix, worded so that the partner can act on it.
    text: String,
    /// Place of the finding: a path into the submission, as used in `differences`, or the path of a parent element.
    /// Examples: `/texts/de/tagline`, `/media/{uuid}`, `/version/manifest/permissions/orders:write`, or `/media` for a
    /// missing element there.
    #[serde(rename = "where")]
    place: String,
    /// Observation of the reviewer at that place.
    observed: String,
    /// Reason why the content must change now. Required if the content was published before and did not change.
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
