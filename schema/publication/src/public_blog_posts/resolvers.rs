//! Public resolvers of the blog.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;

use super::list::{BY_SLUG, BlogPost, BlogPostFilter, BlogPostSummary, POSTS};
use crate::readers::ensure_current_slug;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![publication_public_blog_posts_list, publication_public_blog_posts_get];

/// List public blog posts.
#[operation(query, access = "public", may_lag, reusable("publication", 600))]
async fn publication_public_blog_posts_list(
    cx: &RequestContext,
    filter: Option<BlogPostFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<BlogPostSummary>, Fault> {
    let filter = filter.unwrap_or_default();
    Ok(POSTS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Get a public blog post.
#[operation(query, access = "public", may_lag, reusable("publication", 600))]
async fn publication_public_blog_posts_get(cx: &RequestContext, slug: String) -> Result<BlogPost, Fault> {
    let found = BY_SLUG.fetch_one(&cx.db, [slug.as_str().into()]).await?;
    let post = ensure_current_slug(found, ("blog post", &slug), |found| &found.post.item)?;
    post.with_html(&cx.services).await
}
