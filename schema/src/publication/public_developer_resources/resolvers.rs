//! Public resolvers of developer resources.

use async_graphql::{Context, Object};
use labs_core::access::{access, answers_file, may_lag, reusable};
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::page::List;

use crate::publication::developer_resources::{
    DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary, PUBLIC_BY_SLUG, PUBLIC_RESOURCES, reading,
};

/// Public queries of developer resources.
#[derive(Default)]
pub(crate) struct PublicDeveloperResourcesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicDeveloperResourcesQuery {
    /// List public developer resources.
    #[graphql(directive = access::apply("public".into()), directive = may_lag::apply(), directive = reusable::apply("publication".into(), 600))]
    async fn publication_public_developer_resources_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<DeveloperResourceFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<DeveloperResourceSummary>>, Fault> {
        let cx = ctx.cx();
        cx.answer_list(reading::page(cx, &PUBLIC_RESOURCES, filter, (limit, cursor)).await?)
    }

    /// Get a public developer resource.
    #[graphql(directive = access::apply("public".into()), directive = may_lag::apply(), directive = reusable::apply("publication".into(), 600))]
    async fn publication_public_developer_resources_get(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<DeveloperResource>, Fault> {
        let cx = ctx.cx();
        cx.answer(reading::load_one(cx, &PUBLIC_BY_SLUG, &slug).await?)
    }

    /// Download a public developer resource's artefact.
    #[graphql(
        directive = access::apply("public".into()), directive = may_lag::apply(),
        directive = answers_file::apply(),
        visible = false
    )]
    async fn publication_public_developer_resources_download(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        reading::download(cx, &PUBLIC_BY_SLUG, &slug).await?;
        cx.answer(true)
    }
}
