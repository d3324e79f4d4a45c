//! Checklist: the result of checking an app's listing content against the numbered listing requirements, and the
//! conditions of the account that prevent a submission.
//!
//! ```text
//!   facts of the draft (or of the submission) ──rules──▶ items ──▶ ready, or open items
//! ```
//!
//! The requirements are rows (`listing_requirement`); reviewers' findings name the same numbers. Each requirement that
//! the service checks has a check in `rules`, which also states whether an unmet requirement blocks the submission.
//! Reviewers judge the other requirements (docs/decisions/review.md#findings).

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::{AppChecklist, OPERATIONS, OpenItem, check_submitted, open_items};
