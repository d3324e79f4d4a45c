//! Atom feeds of new items (RFC 4287): one of the changelog and one of the blog, with full texts.
//!
//! An entry is identified by the id of its item, even if the title changes, and is removed from the feed when it is
//! withdrawn.

mod atom;
mod list;
mod resolvers;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
