//! Output and input types of versions for their owners.

use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use std::collections::BTreeMap;

use labs_core::time::Time;
use uuid::Uuid;

use crate::submissions::{QueuePosition, ReviewFinding, SubmissionState, WaitingOn};
use crate::versions::list::VersionRow;
use crate::versions::rules;
use crate::versions::rules::manifest::{AppManifest, AppPermission};
use crate::versions::{AppVersionState, VersionActor, allowed_actions};

/// Version of an app.
#[derive(serde::Serialize, OutputType)]
pub struct AppVersion {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// Id of the app.
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
    /// Actions that the caller can take now.
    allowed_actions: Vec<String>,
}

/// Review of a version's last submission.
#[derive(serde::Serialize, OutputType)]
pub(super) struct VersionReview {
    /// Id of the submission.
    submission_uuid: Uuid,
    /// Current state.
    state: SubmissionState,
    /// Whether the version was submitted as an appeal against a rejection.
    appeal: bool,
    /// Whether the version waits for a different reviewer than the earlier one, who rejected it. The earlier reviewer
    /// cannot claim it, even if no other reviewer is available.
    awaits_another_reviewer: bool,
    /// Position in the queue, where 1 is next; null once a reviewer has claimed the submission.
    place_in_queue: Option<i64>,
    /// Number of waiting submissions, including this one; null once a reviewer has claimed it.
    queue_length: Option<i64>,
    /// Expected decision time, estimated from recent decisions; null after the decision, or if there are too few recent
    /// decisions.
    expected_at: Option<Time>,
    /// Party that must act next; null if no action is pending.
    waiting_on: Option<WaitingOn>,
    /// Due time of the decision; null while the reviewers need not act.
    due_at: Option<Time>,
    /// Time of the decision or withdrawal.
    decided_at: Option<Time>,
    /// Reason why the partner considers the rejection incorrect; null without an appeal.
    appeal_text: Option<String>,
    /// Findings of the reviewers in this version, open findings first.
    findings: Vec<ReviewFinding>,
    /// Note of the reviewers with the decision.
    decision_note: Option<String>,
}

/// New version, created as a draft.
#[derive(serde::Deserialize, InputType)]
pub(super) struct AppVersionCreate {
    pub(in crate::versions) number: String,
    pub(in crate::versions) release_notes: Option<Json<BTreeMap<String, String>>>,
    pub(in crate::versions) manifest: Option<AppManifestInput>,
}

/// Permissions and redirect URIs that a version requests from the platform. If omitted, it requests nothing.
#[derive(serde::Deserialize, InputType)]
pub struct AppManifestInput {
    permissions: Option<Vec<AppPermissionInput>>,
    redirect_uris: Option<Vec<String>>,
}

/// Merge patch of a version's manifest (RFC 7396): an omitted list stays, null empties it.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AppManifestPatch {
    #[serde(default)]
    permissions: MaybeUndefined<Vec<AppPermissionInput>>,
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
#[derive(serde::Deserialize, InputType)]
pub(super) struct AppPermissionInput {
    code: String,
    reason: String,
}

/// Data that accompanies a version to the reviewers.
#[derive(serde::Deserialize, InputType, Default)]
pub(super) struct AppVersionSubmit {
    pub(in crate::versions) note: Option<String>,
    pub(in crate::versions) appeal: Option<bool>,
    pub(in crate::versions) appeal_text: Option<String>,
    pub(in crate::versions) replaces: Option<bool>,
}

/// Time of publication.
#[derive(serde::Deserialize, InputType, Default)]
pub(super) struct AppVersionPublish {
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
    sent.into_iter().map(|input| AppPermission { code: input.code, reason: input.reason }).collect()
}
