//! The developers' blog as everybody reads it: posts that are released.

mod list;
mod resolvers;

pub(in crate::publication) use list::STATEMENTS;
pub(in crate::publication) use resolvers::PublicBlogPostsQuery;
