//! The checklist: the numbered listing requirements, held against what an app would show, and what of the account
//! stands in the way.
//!
//! ```text
//!   facts of the draft (or of what was handed in) ──rules──▶ items ──▶ ready, or what is open
//! ```
//!
//! The requirements are rows (`listing_requirement`); reviewers' findings name the same numbers. Those that the
//! service checks have a check in `rules`, which also says whether a submission is refused while they are not met;
//! the others are for reviewers (docs/decisions.md#states).

mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use resolvers::{AppChecklist, ChecklistQuery, OpenItem, check_submitted, open_items};
