//! Public resolvers of the changelog.

use async_graphql::{Context, Object};
use labs_core::access::{access, may_lag, reusable};
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::List;

use super::list::{BY_SLUG, ChangelogEntry, ChangelogEntrySummary, ChangelogFilter, ENTRIES};
use crate::publication::readers::ensure_current_slug;

/// Public queries of the changelog.
#[derive(Default)]
pub(crate) struct PublicChangelogQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicChangelogQuery {
    /// List public changelog entries.
    #[graphql(directive = access::apply("public".into()), directive = may_lag::apply(), directive = reusable::apply("publication".into(), 600))]
    async fn publication_public_changelog_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<ChangelogFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<ChangelogEntrySummary>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        cx.answer_list(ENTRIES.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?.list())
    }

    /// Get a public changelog entry.
    #[graphql(directive = access::apply("public".into()), directive = may_lag::apply(), directive = reusable::apply("publication".into(), 600))]
    async fn publication_public_changelog_get(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<ChangelogEntry>, Fault> {
        let cx = ctx.cx();
        let found = BY_SLUG.fetch_one(&cx.db, [slug.as_str().into()]).await?;
        let entry = ensure_current_slug(found, ("changelog entry", &slug), |found| &found.entry.item)?;
        cx.answer(entry.with_html(&cx.services).await?)
    }
}
