//! Sign-in blocks: temporary waits of an account or a network after failed attempts.
//!
//! [`labs_identity::auth::attempts`] counts the attempts and imposes the blocks automatically for a short time. Staff
//! list the current blocks and lift them. Every replica queries the database before each attempt, so a lift takes
//! effect at once.

mod list;
mod resolvers;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
