//! Collections as readers see them: those on show now, each with the listings in it that are visible. How they are kept
//! is told in [`super::collections`].

mod list;
mod resolvers;
mod store;

pub(in crate::marketplace) use list::STATEMENTS;
pub(in crate::marketplace) use resolvers::PublicCollectionsQuery;
