//! The talk about a version: what came with each handing in, messages of both sides, reviewers' notes, and decisions with
//! their findings, in one order.
//!
//! Partners read it without the notes and without the reviewers' names; their type has no field for either.

mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(super) use list::MESSAGES;
pub(in crate::marketplace) use resolvers::{ReviewMessagesMutation, ReviewMessagesQuery, SubmissionMessagesMutation};
pub(super) use resolvers::{note, of_submission};
pub(super) use types::SubmissionMessage;
