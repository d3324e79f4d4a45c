//! Resolvers of developer resources for partners.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;

use super::list::{BY_SLUG, DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary, RESOURCES};
use super::reading;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    publication_developer_resources_list,
    publication_developer_resources_get,
    publication_developer_resources_download,
];

/// List developer resources.
#[operation(query, access = "publication.developer-resources")]
async fn publication_developer_resources_list(
    cx: &RequestContext,
    filter: Option<DeveloperResourceFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<DeveloperResourceSummary>, Fault> {
    reading::page(cx, &RESOURCES, filter, (limit, cursor)).await
}

/// Get a developer resource.
#[operation(query, access = "publication.developer-resources")]
async fn publication_developer_resources_get(cx: &RequestContext, slug: String) -> Result<DeveloperResource, Fault> {
    reading::load_one(cx, &BY_SLUG, &slug).await
}

/// Download a developer resource's artefact.
#[operation(query, access = "publication.developer-resources", answers_file)]
async fn publication_developer_resources_download(cx: &RequestContext, slug: String) -> Result<bool, Fault> {
    reading::download(cx, &BY_SLUG, &slug).await?;
    Ok(true)
}
