//! Public resolvers of developer resources.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;

use crate::developer_resources::{
    DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary, PUBLIC_BY_SLUG, PUBLIC_RESOURCES, reading,
};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    publication_public_developer_resources_list,
    publication_public_developer_resources_get,
    publication_public_developer_resources_download,
];

/// List public developer resources.
#[operation(query, access = "public", may_lag, reusable("publication", 600))]
async fn publication_public_developer_resources_list(
    cx: &RequestContext,
    filter: Option<DeveloperResourceFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<DeveloperResourceSummary>, Fault> {
    reading::page(cx, &PUBLIC_RESOURCES, filter, (limit, cursor)).await
}

/// Get a public developer resource.
#[operation(query, access = "public", may_lag, reusable("publication", 600))]
async fn publication_public_developer_resources_get(
    cx: &RequestContext,
    slug: String,
) -> Result<DeveloperResource, Fault> {
    reading::load_one(cx, &PUBLIC_BY_SLUG, &slug).await
}

/// Download a public developer resource's artefact.
#[operation(query, access = "public", may_lag, answers_file)]
async fn publication_public_developer_resources_download(cx: &RequestContext, slug: String) -> Result<bool, Fault> {
    reading::download(cx, &PUBLIC_BY_SLUG, &slug).await?;
    Ok(true)
}
