//! Public resolvers of the changelog.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;

use super::list::{BY_SLUG, ChangelogEntry, ChangelogEntrySummary, ChangelogFilter, ENTRIES};
use crate::readers::ensure_current_slug;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![publication_public_changelog_list, publication_public_changelog_get];

/// List public changelog entries.
#[operation(query, access = "public", may_lag, reusable("publication", 600))]
async fn publication_public_changelog_list(
    cx: &RequestContext,
    filter: Option<ChangelogFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<ChangelogEntrySummary>, Fault> {
    let filter = filter.unwrap_or_default();
    Ok(ENTRIES.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Get a public changelog entry.
#[operation(query, access = "public", may_lag, reusable("publication", 600))]
async fn publication_public_changelog_get(cx: &RequestContext, slug: String) -> Result<ChangelogEntry, Fault> {
    let found = BY_SLUG.fetch_one(&cx.db, [slug.as_str().into()]).await?;
    let entry = ensure_current_slug(found, ("changelog entry", &slug), |found| &found.entry.item)?;
    entry.with_html(&cx.services).await
}
