//! Changelog entries as the release tool writes them: a machine client that staff created and that belongs to no
//! partner.
//!
//! It writes drafts and never releases one. If the same release is sent twice, even by different clients, only one
//! entry is created.

mod resolvers;

pub(crate) use resolvers::OPERATIONS;
