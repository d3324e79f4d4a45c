//! Public resolvers of the blog.

use async_graphql::{Context, Object};
use labs_core::access::{access, may_lag, reusable};
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::List;

use super::list::{BY_SLUG, BlogPost, BlogPostFilter, BlogPostSummary, POSTS};
use crate::publication::readers::ensure_current_slug;

/// Public queries of the blog.
#[derive(Default)]
pub(crate) struct PublicBlogPostsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicBlogPostsQuery {
    /// List public blog posts.
    #[graphql(directive = access::apply("public".into()), directive = may_lag::apply(), directive = reusable::apply("publication".into(), 600))]
    async fn publication_public_blog_posts_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<BlogPostFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<BlogPostSummary>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        cx.answer_list(POSTS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?.list())
    }

    /// Get a public blog post.
    #[graphql(directive = access::apply("public".into()), directive = may_lag::apply(), directive = reusable::apply("publication".into(), 600))]
    async fn publication_public_blog_posts_get(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<BlogPost>, Fault> {
        let cx = ctx.cx();
        let found = BY_SLUG.fetch_one(&cx.db, [slug.as_str().into()]).await?;
        let post = ensure_current_slug(found, ("blog post", &slug), |found| &found.post.item)?;
        cx.answer(post.with_html(&cx.services).await?)
    }
}
