//! Submission: a version sent to the reviewers, and their decision about it.
//!
//! ```text
//!                claim
//!   SUBMITTED ─────────▶ IN_REVIEW ──▶ APPROVED, CHANGES_REQUESTED or REJECTED
//!             ◀───────── │
//!               unclaim  │
//!                 WITHDRAWN (also from SUBMITTED, by the owner)
//! ```
//!
//! The version has the state machine; the state of a submission is the version's state while it was the version's last
//! submission (`versions/rules.rs`). Only the reviewer who claimed a submission decides it; a claim expires after two
//! business days. A rejection can be appealed once, and the reviewer who rejected the version cannot claim the appeal.
//! The conversation of both sides about a version is in [`thread`], and [`silence`] reminds a partner that does not
//! answer (docs/decisions/review.md).

mod list;
mod resolvers;
mod rules;
mod silence;
mod store;
mod thread;

use uuid::Uuid;

pub(crate) use list::STATEMENTS;
pub use list::{PICTURES_OF_EACH, SUBMISSION, SUBMISSIONS_OF_EACH};
pub use resolvers::show_followed;
pub use resolvers::types::{Submission, SubmittedPicture};
pub(crate) use resolvers::{OPERATIONS, ReviewFinding};
pub(crate) use rules::{SubmissionState, WaitingOn, due_at};
pub use silence::process_silent;
pub(crate) use store::{
    FindingRow, NewSubmission, QueuePosition, SubmissionLinks, get_links, insert, list_queue_positions,
    load_queue_positions,
};
pub(crate) use thread::OPERATIONS as THREAD_OPERATIONS;

/// Path at which the partner reads the conversation about a version.
fn thread_path(app_uuid: Uuid, version_uuid: Uuid) -> String {
    format!("/v1/marketplace/apps/{app_uuid}/versions/{version_uuid}/review-messages")
}
