//! Resolvers of developer resources for partners.

use async_graphql::{Context, Object};
use labs_core::access::{access, answers_file};
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::page::List;

use super::list::{BY_SLUG, DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary, RESOURCES};
use super::reading;

/// Queries of developer resources by partners.
#[derive(Default)]
pub(crate) struct DeveloperResourcesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl DeveloperResourcesQuery {
    /// List developer resources.
    #[graphql(directive = access::apply("publication.developer-resources".into()))]
    async fn publication_developer_resources_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<DeveloperResourceFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<DeveloperResourceSummary>>, Fault> {
        let cx = ctx.cx();
        cx.answer_list(reading::page(cx, &RESOURCES, filter, (limit, cursor)).await?)
    }

    /// Get a developer resource.
    #[graphql(directive = access::apply("publication.developer-resources".into()))]
    async fn publication_developer_resources_get(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<DeveloperResource>, Fault> {
        let cx = ctx.cx();
        cx.answer(reading::load_one(cx, &BY_SLUG, &slug).await?)
    }

    /// Download a developer resource's artefact.
    #[graphql(
        directive = access::apply("publication.developer-resources".into()),
        directive = answers_file::apply(),
        visible = false
    )]
    async fn publication_developer_resources_download(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        reading::download(cx, &BY_SLUG, &slug).await?;
        cx.answer(true)
    }
}
