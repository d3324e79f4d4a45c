//! Publication: the path of an owner's draft to the storefront.
//!
//! ```text
//!   draft ──submit──▶ snapshot (in the submission) ──publish──▶ listing
//! ```
//!
//! The service takes the snapshot at the submission. Reviewers examine it, and exactly this snapshot is published: a
//! later edit waits for the next submission (docs/decisions/storefront.md#the-storefront-shows-a-snapshot).
//! [`publish_due`] publishes a scheduled version once its time has come.

mod due;
mod rules;
mod snapshot;
mod store;
mod view;

pub use due::{PostponedVersions, publish_due};
pub(crate) use rules::permissions_only_in;
pub(crate) use snapshot::Snapshot;
pub(crate) use store::{get_conflicting, get_draft, get_live, lacks_media, publish};
pub(crate) use view::{DifferencePaths, ListingSnapshot, SubmissionDifference, sides};
