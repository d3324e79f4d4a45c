//! Reads developer resources for any audience. The list or lookup argument selects the audience.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, ListQuery, Lookup, PageRequest};
use labs_core::page::List;

use super::list::{DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary};
use crate::readers::{deliver, ensure_current_slug};

/// Returns a page of a list, with the artefact of each resource.
///
/// # Errors
/// [`labs_core::Code::InvalidCursor`]; [`labs_core::Code::Internal`] if the service cannot generate a file.
pub(crate) async fn page(
    cx: &RequestContext,
    list: &ListQuery<DeveloperResourceFilter, DeveloperResourceSummary, FixedOrder>,
    filter: Option<DeveloperResourceFilter>,
    (limit, cursor): (Option<i32>, Option<String>),
) -> Result<List<DeveloperResourceSummary>, Fault> {
    let request = PageRequest::new(None, limit, cursor);
    let mut page = list.page(cx, &filter.unwrap_or_default(), &request).await?.list();
    for resource in &mut page.data {
        resource.describe_file(&cx.services).await?;
    }
    Ok(page)
}

/// Returns one resource, with its text as HTML and its artefact.
///
/// # Errors
/// [`labs_core::Code::NotFound`]; a redirect for a former slug.
pub(crate) async fn load_one(
    cx: &RequestContext,
    lookup: &Lookup<DeveloperResource>,
    slug: &str,
) -> Result<DeveloperResource, Fault> {
    let mut found = load(cx, lookup, slug).await?;
    found.resource.describe_file(&cx.services).await?;
    found.with_html(&cx.services).await
}

/// Sends the file of one resource as the response.
///
/// # Errors
/// The errors of [`load_one`].
pub(crate) async fn download(cx: &RequestContext, lookup: &Lookup<DeveloperResource>, slug: &str) -> Result<(), Fault> {
    let found = load(cx, lookup, slug).await?.resource;
    deliver(cx, found.artefact, found.generated).await
}

async fn load(cx: &RequestContext, lookup: &Lookup<DeveloperResource>, slug: &str) -> Result<DeveloperResource, Fault> {
    let found = lookup.fetch_one(&cx.db, [slug.into()]).await?;
    ensure_current_slug(found, ("developer resource", slug), |found| &found.resource.item)
}
