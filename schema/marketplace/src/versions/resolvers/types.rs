//! Output and input types of versions for their owners.

use std::collections::BTreeMap;

use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::submissions::{QueuePosition, ReviewFinding, SubmissionState, WaitingOn};
use crate::versions::list::VersionRow;
use crate::versions::rules;
use crate::versions::rules::manifest::{AppManifest, AppPermission};
use crate::versions::{AppVersionState, VersionActor, allowed_actions};

/// A version of an app.
#[derive(Serialize, OutputType)]
pub struct AppVersion {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// UUID of the app.
    pub(crate) app_uuid: Uuid,
    /// Semantic version number.
    number: String,
    /// Current state.
    state: AppVersionState,
    /// Release notes, by locale.
    release_notes: Json<BTreeMap<String, String>>,
    /// Permissions and redirect URIs that the version requests from the platform.
    manifest: AppManifest,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Time of the last submission.
    submitted_at: Option<Time>,
    /// Time of publication. Stays set when the version is superseded.
    published_at: Option<Time>,
    /// Scheduled publication time. Set only while SCHEDULED.
    publish_at: Option<Time>,
    /// Review of the last submission. Null before the first submission.
    review: Option<VersionReview>,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// Review status of the version's last submission.
#[derive(Serialize, OutputType)]
pub(super) struct VersionReview {
    /// UUID of the submission.
    submission_uuid: Uuid,
    /// Current state.
    state: SubmissionState,
    /// Whether the version was submitted as an appeal against a rejection.
    appeal: bool,
    /// Whether the submission waits for a reviewer other than the reviewer who rejected the version. That reviewer can
    /// claim neither the appeal nor any later submission of the version. If no other reviewer is on duty, the
    /// submission waits until one is. Its position in the queue and `due_at` do not change.
    awaits_another_reviewer: bool,
    /// Position in the queue. 1 is next. Null after a reviewer has claimed the submission.
    place_in_queue: Option<i64>,
    /// Number of waiting submissions, including this one. Null after a reviewer has claimed the submission.
    queue_length: Option<i64>,
    /// Estimated latest decision time. Nearly nine of ten recent decisions took no longer, excluding weekends. Null if
    /// decided, or if too few submissions were decided recently for an estimate.
    expected_at: Option<Time>,
    /// Side that has to act next. Null if no action is expected.
    waiting_on: Option<WaitingOn>,
    /// Time by which the decision is promised: three business days from the submission, Monday to Friday in UTC. The
    /// clock is stopped while the submission waits for the partner. Null while the reviewers do not have to act.
    due_at: Option<Time>,
    /// Time of the decision or withdrawal.
    decided_at: Option<Time>,
    /// Reason why the partner considers the rejection incorrect. Null if the submission is not an appeal.
    appeal_text: Option<String>,
    /// Findings of the reviewers in this version, open findings first.
    findings: Vec<ReviewFinding>,
    /// Note of the reviewers with the decision.
    decision_note: Option<String>,
}

/// A new version, created as a draft.
#[derive(Deserialize, InputType)]
pub(super) struct AppVersionCreate {
    pub(in crate::versions) number: String,
    pub(in crate::versions) release_notes: Option<Json<BTreeMap<String, String>>>,
    pub(in crate::versions) manifest: Option<AppManifestInput>,
}

/// Permissions and redirect URIs that the version requests from the platform. If omitted, the version requests nothing.
#[derive(Deserialize, InputType)]
pub(crate) struct AppManifestInput {
    /// Permissions of the app on a customer's data, each named once.
    permissions: Option<Vec<AppPermissionInput>>,
    /// URIs to which the platform may redirect a customer after consent.
    redirect_uris: Option<Vec<String>>,
}

/// A merge patch of the version's manifest. A list in the request replaces the previous list.
#[derive(Deserialize, InputType)]
pub(crate) struct AppManifestPatch {
    /// Permissions of the app on a customer's data, each named once. Null removes all of them.
    #[serde(default)]
    permissions: MaybeUndefined<Vec<AppPermissionInput>>,
    /// URIs to which the platform may redirect a customer after consent. Null removes all of them.
    #[serde(default)]
    redirect_uris: MaybeUndefined<Vec<String>>,
}

impl AppManifestPatch {
    /// Returns the manifest after the patch.
    pub(in crate::versions) fn apply_to(self, mut manifest: AppManifest) -> AppManifest {
        if !self.permissions.is_undefined() {
            manifest.permissions = permissions(self.permissions.take().unwrap_or_default());
        }
        if !self.redirect_uris.is_undefined() {
            manifest.redirect_uris = self.redirect_uris.take().unwrap_or_default();
        }
        manifest
    }
}

/// A permission of the platform's own API, with the app's reason for requesting it.
#[derive(Deserialize, InputType)]
pub(super) struct AppPermissionInput {
    /// Permission code. `:write` includes reading.
    code: String,
    /// Reason for the permission, in one sentence. Customers read it before they install the app.
    reason: String,
    /// Reason in other languages, by locale. A reader whose language is not among them reads `reason`.
    reasons: Option<Json<BTreeMap<String, String>>>,
}

/// Information for the reviewers, submitted with the version.
#[derive(Deserialize, InputType, Default)]
pub(super) struct AppVersionSubmit {
    /// Note to the reviewers, for example a test account. Storefront readers never see it.
    pub(in crate::versions) note: Option<String>,
    /// Set to true to appeal against a rejection. Allowed only for a rejected version, and only once per version.
    pub(in crate::versions) appeal: Option<bool>,
    /// Reason why the rejection was incorrect. Required with `appeal`, rejected without it.
    pub(in crate::versions) appeal_text: Option<String>,
    /// Set to true to replace the app's other version that is with the reviewers. This version takes its position in
    /// the queue, and the other version becomes `WITHDRAWN`. If no other version is with the reviewers, the version is
    /// submitted as usual.
    pub(in crate::versions) replaces: Option<bool>,
}

/// Time of publication.
#[derive(Default, Deserialize, InputType)]
pub(super) struct AppVersionPublish {
    /// Time of publication, in the future and at most 180 days ahead. If omitted or null, the version is published now.
    pub(in crate::versions) publish_at: Option<Time>,
}

impl AppVersion {
    /// Converts a row to its public form.
    pub(in crate::versions) fn of(row: VersionRow, queue_position: Option<QueuePosition>, writes: bool) -> Self {
        let allowed = |row: &VersionRow| allowed_actions(row.state, VersionActor::Owner, row.was_appealed);
        let allowed_actions = if writes { allowed(&row) } else { Vec::new() };
        let findings = row.findings.0.into_iter().map(ReviewFinding::from).collect();
        let review = match (row.submission_uuid, row.submission_state) {
            (Some(submission_uuid), Some(state)) => Some(VersionReview {
                submission_uuid,
                state,
                appeal: row.appeal.unwrap_or_default(),
                awaits_another_reviewer: rules::awaits_another_reviewer(row.state, row.was_appealed),
                place_in_queue: queue_position.and_then(|queue_position| queue_position.place),
                queue_length: queue_position.and_then(|queue_position| queue_position.length),
                expected_at: queue_position.and_then(|queue_position| queue_position.expected_at),
                waiting_on: row.waiting_on,
                due_at: row.due_at,
                decided_at: row.decided_at,
                appeal_text: row.appeal_text,
                findings,
                decision_note: row.decision_note,
            }),
            _ => None,
        };
        Self {
            uuid: row.version_uuid,
            app_uuid: row.app_uuid,
            number: row.number,
            state: row.state,
            release_notes: Json(row.release_notes.0),
            manifest: row.manifest.0,
            created_at: row.created_at,
            updated_at: row.updated_at,
            submitted_at: row.submitted_at,
            published_at: row.published_at,
            publish_at: row.publish_at,
            review,
            allowed_actions,
        }
    }
}

impl From<AppManifestInput> for AppManifest {
    fn from(input: AppManifestInput) -> Self {
        Self {
            permissions: permissions(input.permissions.unwrap_or_default()),
            redirect_uris: input.redirect_uris.unwrap_or_default(),
        }
    }
}

fn permissions(sent: Vec<AppPermissionInput>) -> Vec<AppPermission> {
    sent.into_iter()
        .map(|input| AppPermission {
            code: input.code,
            reason: input.reason,
            reasons: input.reasons.unwrap_or_default(),
        })
        .collect()
}
