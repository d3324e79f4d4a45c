//! Reading resources, whoever they are for: which those are, the list and the lookup that are handed in say.

use super::list::{DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary};
use crate::core::context::RequestContext;
use crate::core::fault::Fault;
use crate::core::list::{FixedOrder, ListQuery, Lookup, PageRequest};
use crate::core::page::List;
use crate::publication::readers::{at_present, deliver};

/// A page of a list, each with what is told of its file.
///
/// # Errors
/// [`crate::Code::InvalidCursor`]; [`crate::Code::Internal`] when the service cannot make a file of its own.
pub(in crate::publication) async fn page(
    cx: &RequestContext,
    list: &ListQuery<DeveloperResourceFilter, DeveloperResourceSummary, FixedOrder>,
    filter: Option<DeveloperResourceFilter>,
    (limit, cursor): (Option<i32>, Option<String>),
) -> Result<List<DeveloperResourceSummary>, Fault> {
    let request = PageRequest::new(None, limit, cursor);
    let mut page = list.page(cx, &filter.unwrap_or_default(), &request).await?.list();
    for resource in &mut page.data {
        resource.tell_file(&cx.services).await?;
    }
    Ok(page)
}

/// One, with its text as HTML and what is told of its file.
///
/// # Errors
/// [`crate::Code::NotFound`]; a redirect for a slug that it had before.
pub(in crate::publication) async fn one(
    cx: &RequestContext,
    lookup: &Lookup<DeveloperResource>,
    slug: &str,
) -> Result<DeveloperResource, Fault> {
    let mut found = load(cx, lookup, slug).await?;
    found.resource.tell_file(&cx.services).await?;
    found.shown(&cx.services).await
}

/// Makes the file of one the answer.
///
/// # Errors
/// Those of [`one`].
pub(in crate::publication) async fn download(
    cx: &RequestContext,
    lookup: &Lookup<DeveloperResource>,
    slug: &str,
) -> Result<(), Fault> {
    let found = load(cx, lookup, slug).await?.resource;
    deliver(cx, found.artefact, found.generated).await
}

async fn load(cx: &RequestContext, lookup: &Lookup<DeveloperResource>, slug: &str) -> Result<DeveloperResource, Fault> {
    let found = lookup.one(&cx.db, [slug.into()]).await?;
    at_present(found, ("developer resource", slug), |found| &found.resource.item)
}
