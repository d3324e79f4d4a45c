//! Publication: how what an owner wrote becomes what readers see.
//!
//! ```text
//!   draft ──submit──▶ snapshot (in the submission) ──publish──▶ listing
//! ```
//!
//! The snapshot is taken when a version is handed in. Reviewers judge it, and it alone goes live: an edit made
//! meanwhile waits for the next submission (docs/decisions.md#states). A version that was scheduled is
//! published by [`publish_due`] once its time has come.

mod due;
mod rules;
mod snapshot;
mod store;
mod view;

pub(crate) use due::{PutOff, publish_due};
pub(in crate::marketplace) use rules::permissions_only_in;
pub(in crate::marketplace) use snapshot::Snapshot;
pub(in crate::marketplace) use store::{draft_get, live_get, publish, rival_get};
pub(in crate::marketplace) use view::{ListingSnapshot, Places, SubmissionDifference, sides};
