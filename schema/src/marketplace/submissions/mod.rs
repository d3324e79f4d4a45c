//! A submission: one handing in of a version, and what reviewers decide about it.
//!
//! ```text
//!                claim
//!   SUBMITTED ─────────▶ IN_REVIEW ──▶ APPROVED, CHANGES_REQUESTED or REJECTED
//!             ◀───────── │
//!               unclaim  │
//!                 WITHDRAWN (also from SUBMITTED, by the owner)
//! ```
//!
//! The machine is the version's; a submission's state is the version's state while that submission was its last
//! (`versions/rules.rs`). Only the reviewer who claimed it decides; a claim rests after two business days. A rejection is
//! appealed once, and another reviewer than the one who rejected takes the appeal. What both sides say about a version is
//! one [`thread`], and a partner that stays silent is reminded by [`silence`] (docs/decisions.md#states).

mod list;
mod resolvers;
mod rules;
mod silence;
mod store;
mod thread;

use uuid::Uuid;

pub(in crate::marketplace) use list::STATEMENTS;
pub(crate) use list::{PICTURES_OF_EACH, SUBMISSION, SUBMISSIONS_OF_EACH};
pub(crate) use resolvers::show_followed;
pub(crate) use resolvers::types::{Submission, SubmittedPicture};
pub(in crate::marketplace) use resolvers::{ReviewFinding, SubmissionsMutation, SubmissionsQuery};
pub(in crate::marketplace) use rules::{SubmissionState, WaitingOn, due_at};
pub(crate) use silence::attend_silent;
pub(in crate::marketplace) use store::{
    FindingRow, NewSubmission, Standing, Ties, insert, load_standings, standings, ties_get,
};
pub(in crate::marketplace) use thread::{ReviewMessagesMutation, ReviewMessagesQuery, SubmissionMessagesMutation};

/// Where the partner reads the talk about a version.
fn thread_path(app_uuid: Uuid, version_uuid: Uuid) -> String {
    format!("/v1/marketplace/apps/{app_uuid}/versions/{version_uuid}/review-messages")
}
