//! The public developer blog: released posts.

mod list;
mod resolvers;

pub(in crate::publication) use list::STATEMENTS;
pub(in crate::publication) use resolvers::OPERATIONS;
