//! What leads on from apps, their versions, submissions, listings and reviews, and from categories. What a storefront shows of a
//! listing is read by no query of staff's, so their way from one to its app begins at the collections it is in.

use async_graphql::{ComplexObject, Context};

use super::{app, partner};
use crate::admin::partners::{AdminPartner, PARTNER};
use crate::core::access::edge;
use crate::core::context::RequestContextExt;
use crate::core::fault::Fault;
use crate::marketplace::apps::{APP, AdminApp};
use crate::marketplace::categories::{CATEGORY, Category};
use crate::marketplace::collections::CollectionListing;
use crate::marketplace::reviews::CustomerReview;
use crate::marketplace::submissions::{self, PICTURES_OF_EACH, SUBMISSIONS_OF_EACH, Submission, SubmittedPicture};
use crate::marketplace::versions::{self, AppVersion, VERSIONS_OF_EACH};

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl AdminApp {
    /// The partner who owns it.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        partner(ctx.cx(), self.partner_uuid).await
    }

    /// Its versions, the newest first.
    #[graphql(directive = edge::apply(VERSIONS_OF_EACH.reads()))]
    async fn versions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<AppVersion>, Fault> {
        let cx = ctx.cx();
        versions::show_followed(cx, VERSIONS_OF_EACH.first(cx, self.app.uuid, limit).await?).await
    }
}

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl AppVersion {
    /// Each time it was handed in, the latest first.
    #[graphql(directive = edge::apply(SUBMISSIONS_OF_EACH.reads()))]
    async fn submissions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<Submission>, Fault> {
        let cx = ctx.cx();
        submissions::show_followed(cx, SUBMISSIONS_OF_EACH.first_of(cx, self.app_uuid, self.uuid, limit).await?).await
    }
}

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl Submission {
    /// The app as its owner has it now; what was handed in may be older.
    #[graphql(directive = edge::apply(APP.reads()))]
    async fn app(&self, ctx: &Context<'_>) -> Result<Option<AdminApp>, Fault> {
        app(ctx.cx(), self.app_uuid).await
    }

    /// The partner who handed it in.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        partner(ctx.cx(), self.partner_uuid).await
    }

    /// Its pictures as they were handed in: icon, banner, then screenshots in their order.
    #[graphql(directive = edge::apply(PICTURES_OF_EACH.reads()))]
    async fn pictures(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<SubmittedPicture>, Fault> {
        PICTURES_OF_EACH.first(ctx.cx(), self.uuid, limit).await
    }
}

#[ComplexObject(rename_fields = "snake_case")]
impl CollectionListing {
    /// The app that is listed, as its owner has it now.
    #[graphql(directive = edge::apply(APP.reads()))]
    async fn app(&self, ctx: &Context<'_>) -> Result<Option<AdminApp>, Fault> {
        app(ctx.cx(), self.app_uuid).await
    }
}

#[ComplexObject(rename_fields = "snake_case")]
impl CustomerReview {
    /// The app that it is about.
    #[graphql(directive = edge::apply(APP.reads()))]
    async fn app(&self, ctx: &Context<'_>) -> Result<Option<AdminApp>, Fault> {
        app(ctx.cx(), self.app_uuid).await
    }

    /// Whose app it is.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        partner(ctx.cx(), self.partner_uuid).await
    }
}

#[ComplexObject(rename_fields = "snake_case")]
impl Category {
    /// Id of the parent category. Null at the root.
    #[graphql(directive = edge::apply(CATEGORY.reads()))]
    async fn parent(&self, ctx: &Context<'_>) -> Result<Option<Self>, Fault> {
        let Some(parent_uuid) = self.parent_uuid else { return Ok(None) };
        let found = CATEGORY.one(ctx.cx(), parent_uuid).await?;
        Ok(found.map(|parent| parent.for_caller(ctx.cx())))
    }
}
