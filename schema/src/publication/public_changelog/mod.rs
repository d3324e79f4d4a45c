//! The changelog as everybody reads it: entries that are released.

mod list;
mod resolvers;

pub(in crate::publication) use list::STATEMENTS;
pub(in crate::publication) use resolvers::PublicChangelogQuery;
