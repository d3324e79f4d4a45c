//! Changelog entries as the release tool writes them: a program that an operator set up, which belongs to no partner.
//!
//! It writes drafts and never releases one. The same release sent twice is one entry, whoever sends it.

mod resolvers;

pub(in crate::publication) use resolvers::{ChangelogEntriesMutation, ChangelogEntriesQuery};
