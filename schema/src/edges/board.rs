//! Edges from a feature request of the board. No edge returns its voters or followers, because that data is never
//! shown.

use async_graphql::{ComplexObject, Context};
use labs_core::access::edge;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;

use super::partner;
use crate::admin::partners::{AdminPartner, PARTNER};
use crate::engagement::moderation::{COMMENTS_OF_EACH, ModeratedFeatureComment, ModeratedFeatureRequest};

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl ModeratedFeatureRequest {
    /// Partner who proposed it; null for a former partner.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        let Some(partner_uuid) = self.proposed_by.partner_uuid else { return Ok(None) };
        partner(ctx.cx(), partner_uuid).await
    }

    /// Comments on it, including removed comments, newest first.
    #[graphql(directive = edge::apply(COMMENTS_OF_EACH.reads()))]
    async fn comments(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<ModeratedFeatureComment>, Fault> {
        let cx = ctx.cx();
        let comments = COMMENTS_OF_EACH.fetch_first(cx, self.uuid, limit).await?;
        Ok(comments.into_iter().map(|comment| comment.for_caller(cx)).collect())
    }
}
