//! Edges from apps, their versions, submissions, listings and customer reviews, and from categories. No query of staff
//! reads the storefront's representation of a listing, so the path from a listing to its app starts at the collections
//! that contain it.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::operation::{Edge, Parent, edge};

use super::{app, partner};
use labs_admin::partners::{AdminPartner, PARTNER};
use labs_marketplace::apps::{APP, AdminApp};
use labs_marketplace::categories::{CATEGORY, Category};
use labs_marketplace::collections::CollectionListing;
use labs_marketplace::reviews::CustomerReview;
use labs_marketplace::submissions::{self, PICTURES_OF_EACH, SUBMISSIONS_OF_EACH, Submission, SubmittedPicture};
use labs_marketplace::versions::{self, AppVersion, VERSIONS_OF_EACH};

/// Partner who owns the app.
#[edge(AdminApp, partner, reads = PARTNER.reads())]
async fn admin_app_partner(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminPartner>, Fault> {
    partner(cx, parent.id("/partner_uuid")?).await
}

/// Versions of the app, newest first.
#[edge(AdminApp, versions, reads = VERSIONS_OF_EACH.reads())]
async fn admin_app_versions(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<AppVersion>, Fault> {
    versions::show_followed(cx, VERSIONS_OF_EACH.fetch_first(cx, parent.id("/uuid")?, limit).await?).await
}

/// Submissions of the app, newest first.
#[edge(AppVersion, submissions, reads = SUBMISSIONS_OF_EACH.reads())]
async fn app_version_submissions(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<Submission>, Fault> {
    submissions::show_followed(
        cx,
        SUBMISSIONS_OF_EACH.fetch_first_of(cx, parent.id("/app_uuid")?, parent.id("/uuid")?, limit).await?,
    )
    .await
}

/// The current app of its owner; the submission may be older.
#[edge(Submission, app, reads = APP.reads())]
async fn submission_app(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminApp>, Fault> {
    app(cx, parent.id("/app_uuid")?).await
}

/// Partner who submitted it.
#[edge(Submission, partner, reads = PARTNER.reads())]
async fn submission_partner(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminPartner>, Fault> {
    partner(cx, parent.id("/partner_uuid")?).await
}

/// Media of the submission: icon, banner, then screenshots in order.
#[edge(Submission, pictures, reads = PICTURES_OF_EACH.reads())]
async fn submission_pictures(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<SubmittedPicture>, Fault> {
    PICTURES_OF_EACH.fetch_first(cx, parent.id("/uuid")?, limit).await
}

/// The current app of its owner for this listing.
#[edge(CollectionListing, app, reads = APP.reads())]
async fn collection_listing_app(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminApp>, Fault> {
    app(cx, parent.id("/app_uuid")?).await
}

/// App that is reviewed.
#[edge(CustomerReview, app, reads = APP.reads())]
async fn customer_review_app(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminApp>, Fault> {
    app(cx, parent.id("/app_uuid")?).await
}

/// Partner who owns the app.
#[edge(CustomerReview, partner, reads = PARTNER.reads())]
async fn customer_review_partner(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminPartner>, Fault> {
    partner(cx, parent.id("/partner_uuid")?).await
}

/// Parent category. Null at the root.
#[edge(Category, parent, reads = CATEGORY.reads())]
async fn category_parent(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<Category>, Fault> {
    let Some(parent_uuid) = parent.uuid("/parent_uuid") else { return Ok(None) };
    let found = CATEGORY.fetch_one(cx, parent_uuid).await?;
    Ok(found.map(|parent| parent.for_caller(cx)))
}

/// Returns the edges of this file.
pub(super) fn edges() -> Vec<Edge> {
    vec![
        describe_admin_app_partner(),
        describe_admin_app_versions(),
        describe_app_version_submissions(),
        describe_submission_app(),
        describe_submission_partner(),
        describe_submission_pictures(),
        describe_collection_listing_app(),
        describe_customer_review_app(),
        describe_customer_review_partner(),
        describe_category_parent(),
    ]
}
