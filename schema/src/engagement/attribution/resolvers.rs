//! Resolvers of a user's attribution.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use labs_core::access::access;
use labs_core::context::{RequestContext, RequestContextExt};
use labs_core::fault::Fault;
use serde::Serialize;

use super::store;
use crate::engagement::people::Person;

/// Display of a user's name on the board.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardAttribution {
    /// Whether the board shows the user's name next to the company's name.
    pub(super) show_name: bool,
    /// Name of the user.
    pub(super) name: String,
    /// Name of the company, which is always shown.
    pub(super) company_name: String,
}

/// Attribution that the user chooses.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardAttributionPut {
    /// Whether the board shows the user's name next to the company's name.
    show_name: bool,
}

/// Queries of the caller's attribution.
#[derive(Default)]
pub(in crate::engagement) struct AttributionQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl AttributionQuery {
    /// Get the caller's board attribution.
    #[graphql(directive = access::apply("engagement.feature-requests".into()))]
    async fn engagement_attribution_get(&self, ctx: &Context<'_>) -> Result<Option<BoardAttribution>, Fault> {
        let cx = ctx.cx();
        cx.answer(load(cx, &Person::require_caller(cx)?).await?)
    }
}

/// Mutations of the caller's attribution.
#[derive(Default)]
pub(in crate::engagement) struct AttributionMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl AttributionMutation {
    /// Set the caller's board attribution.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_attribution_put(
        &self,
        ctx: &Context<'_>,
        body: BoardAttributionPut,
    ) -> Result<Option<BoardAttribution>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        store::set_show_name(&cx.db, person.uuid, body.show_name).await?;
        cx.answer(load(cx, &person).await?)
    }
}

async fn load(cx: &RequestContext, person: &Person) -> Result<BoardAttribution, Fault> {
    store::get(&cx.db, person.uuid).await?.ok_or_else(|| Fault::not_found("user"))
}
