//! What anybody may ask of developer resources.

use async_graphql::{Context, Object};

use crate::core::access::{access, answers_file};
use crate::core::context::{RequestContext, RequestContextExt};
use crate::core::fault::Fault;
use crate::core::list::PageRequest;
use crate::core::page::List;
use crate::publication::developer_resources::{
    DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary, PUBLIC_BY_SLUG, PUBLIC_RESOURCES,
};
use crate::publication::readers::{ShownTexts, at_present, deliver};

/// Reads of resources by everybody.
#[derive(Default)]
pub(crate) struct PublicDeveloperResourcesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicDeveloperResourcesQuery {
    /// Released resources for everybody, the newest first.
    #[graphql(directive = access::apply("public".into()))]
    async fn publication_public_developer_resources_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<DeveloperResourceFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<DeveloperResourceSummary>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let mut list = PUBLIC_RESOURCES.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?.list();
        for resource in &mut list.data {
            resource.tell_file(&cx.services).await?;
        }
        cx.answer_list(list)
    }

    /// One of them.
    #[graphql(directive = access::apply("public".into()))]
    async fn publication_public_developer_resources_get(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<DeveloperResource>, Fault> {
        let cx = ctx.cx();
        let mut resource = load(cx, &slug).await?;
        resource.resource.tell_file(&cx.services).await?;
        cx.answer(resource.shown(&cx.services.state::<ShownTexts>()))
    }

    /// Its file. It leaves beside the answer.
    #[graphql(
        directive = access::apply("public".into()),
        directive = answers_file::apply(),
        visible = false
    )]
    async fn publication_public_developer_resources_download(
        &self,
        ctx: &Context<'_>,
        slug: String,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        let resource = load(cx, &slug).await?.resource;
        deliver(cx, resource.artefact, resource.generated).await?;
        cx.answer(true)
    }
}

async fn load(cx: &RequestContext, slug: &str) -> Result<DeveloperResource, Fault> {
    let found = PUBLIC_BY_SLUG.one(&cx.db, [slug.into()]).await?;
    at_present(found, ("developer resource", slug), |found| &found.resource.item)
}
