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
//! (`versions/rules.rs`). Only the reviewer who claimed it decides. A rejection is appealed once, and another reviewer
//! than the one who rejected takes the appeal (docs/decisions.md#states).

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use list::STATEMENTS;
pub(in crate::marketplace) use resolvers::{ReviewFinding, SubmissionsMutation, SubmissionsQuery};
pub(in crate::marketplace) use rules::SubmissionState;
pub(in crate::marketplace) use store::{FindingRow, NewSubmission, Standing, insert, standings, ties_get};
