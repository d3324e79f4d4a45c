//! What is new, as Atom feeds (RFC 4287): one of the changelog and one of the blog, with full texts.
//!
//! An entry is known by its item's id whatever it is called, and leaves the feed when it is withdrawn.

mod atom;
mod list;
mod resolvers;

pub(in crate::publication) use list::STATEMENTS;
pub(in crate::publication) use resolvers::FeedsQuery;
