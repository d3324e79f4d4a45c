//! Conversation about a version: the notes of each submission, messages of both sides, reviewers' notes, and decisions
//! with their findings, in one order.
//!
//! Partners see neither the notes nor the reviewers' names; their type has no field for them.

mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(super) use list::MESSAGES;
pub(crate) use resolvers::OPERATIONS;
pub(super) use resolvers::{note, of_submission};
pub(super) use types::SubmissionMessage;
