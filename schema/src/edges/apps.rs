//! Edges from apps, their versions, submissions, listings and customer reviews, and from categories. No query of staff
//! reads the storefront's representation of a listing, so the path from a listing to its app starts at the collections
//! that contain it.

use async_graphql::{ComplexObject, Context};
use labs_core::access::edge;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;

use super::{app, partner};
use crate::admin::partners::{AdminPartner, PARTNER};
use crate::marketplace::apps::{APP, AdminApp};
use crate::marketplace::categories::{CATEGORY, Category};
use crate::marketplace::collections::CollectionListing;
use crate::marketplace::reviews::CustomerReview;
use crate::marketplace::submissions::{self, PICTURES_OF_EACH, SUBMISSIONS_OF_EACH, Submission, SubmittedPicture};
use crate::marketplace::versions::{self, AppVersion, VERSIONS_OF_EACH};

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl AdminApp {
    /// Partner who owns the app.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        partner(ctx.cx(), self.partner_uuid).await
    }

    /// Versions of the app, newest first.
    #[graphql(directive = edge::apply(VERSIONS_OF_EACH.reads()))]
    async fn versions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<AppVersion>, Fault> {
        let cx = ctx.cx();
        versions::show_followed(cx, VERSIONS_OF_EACH.fetch_first(cx, self.app.uuid, limit).await?).await
    }
}

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl AppVersion {
    /// Submissions of the app, newest first.
    #[graphql(directive = edge::apply(SUBMISSIONS_OF_EACH.reads()))]
    async fn submissions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<Submission>, Fault> {
        let cx = ctx.cx();
        submissions::show_followed(cx, SUBMISSIONS_OF_EACH.fetch_first_of(cx, self.app_uuid, self.uuid, limit).await?)
            .await
    }
}

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl Submission {
    /// The current app of its owner; the submission may be older.
    #[graphql(directive = edge::apply(APP.reads()))]
    async fn app(&self, ctx: &Context<'_>) -> Result<Option<AdminApp>, Fault> {
        app(ctx.cx(), self.app_uuid).await
    }

    /// Partner who submitted it.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        partner(ctx.cx(), self.partner_uuid).await
    }

    /// Media of the submission: icon, banner, then screenshots in order.
    #[graphql(directive = edge::apply(PICTURES_OF_EACH.reads()))]
    async fn pictures(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<SubmittedPicture>, Fault> {
        PICTURES_OF_EACH.fetch_first(ctx.cx(), self.uuid, limit).await
    }
}

#[ComplexObject(rename_fields = "snake_case")]
impl CollectionListing {
    /// The current app of its owner for this listing.
    #[graphql(directive = edge::apply(APP.reads()))]
    async fn app(&self, ctx: &Context<'_>) -> Result<Option<AdminApp>, Fault> {
        app(ctx.cx(), self.app_uuid).await
    }
}

#[ComplexObject(rename_fields = "snake_case")]
impl CustomerReview {
    /// App that is reviewed.
    #[graphql(directive = edge::apply(APP.reads()))]
    async fn app(&self, ctx: &Context<'_>) -> Result<Option<AdminApp>, Fault> {
        app(ctx.cx(), self.app_uuid).await
    }

    /// Partner who owns the app.
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
        let found = CATEGORY.fetch_one(ctx.cx(), parent_uuid).await?;
        Ok(found.map(|parent| parent.for_caller(ctx.cx())))
    }
}
