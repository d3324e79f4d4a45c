//! What the service tells: changelog entries, blog posts and developer resources.

pub(crate) mod markdown;
