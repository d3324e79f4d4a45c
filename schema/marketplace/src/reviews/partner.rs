//! Operations of the app's partner on customer reviews: read, reply, and flag for staff.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::time::Time;
use serde::Deserialize;
use uuid::Uuid;

use super::partner_list::{AppReview, AppReviewFilter, AppReviewSort, OWN_REVIEW, OWN_REVIEWS, OfApp};
use super::ratings::{self, AppRatings, AppRatingsInterval};
use super::rules::{self, ReviewConcern};
use super::store::{self, LockedReview, NewFlag, NewReply};

/// A public reply of the partner.
#[derive(Deserialize, InputType)]
pub(super) struct ReviewReplyPut {
    /// Plain text, not blank.
    body: String,
}

/// A flag for moderators.
#[derive(Deserialize, InputType)]
pub(super) struct ReviewFlagCreate {
    /// Reason for the flag.
    reason: ReviewConcern,
    /// Additional information for moderators.
    note: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_reviews_list,
    marketplace_reviews_get_ratings,
    marketplace_reviews_put_reply,
    marketplace_reviews_delete_reply,
    marketplace_reviews_flag,
];

/// List an app's customer reviews.
#[operation(query, access = "marketplace.reviews")]
async fn marketplace_reviews_list(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<AppReviewFilter>,
    sort: Option<AppReviewSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<AppReview>, Fault> {
    ensure_own(cx, app_uuid).await?;
    let of = OfApp { app_uuid, filter: filter.unwrap_or_default() };
    Ok(OWN_REVIEWS.page(cx, &of, &PageRequest::new(sort, limit, cursor)).await?.list())
}

/// Get an app's ratings.
#[operation(query, access = "marketplace.reviews")]
async fn marketplace_reviews_get_ratings(
    cx: &RequestContext,
    app_uuid: Uuid,
    interval: Option<AppRatingsInterval>,
    written_at_from: Option<Time>,
    written_at_until: Option<Time>,
) -> Result<AppRatings, Fault> {
    ensure_own(cx, app_uuid).await?;
    let filter = ratings::PeriodFilter::new(interval, (written_at_from, written_at_until), cx.now)?;
    ratings::get(&cx.db, app_uuid, &filter).await
}

/// Reply to a customer review.
#[operation(mutation, access = "marketplace.reviews:write")]
async fn marketplace_reviews_put_reply(
    cx: &RequestContext,
    app_uuid: Uuid,
    review_uuid: Uuid,
    body: ReviewReplyPut,
) -> Result<Created<AppReview>, Fault> {
    let words = rules::trim_text(Some(body.body));
    let words = words.ok_or_else(|| Fault::field("/body", "LENGTH", "Write at least one character."))?;
    let (locked, text_uuid) = lock(cx, app_uuid, review_uuid).await?;
    let present = match locked.reply_uuid {
        Some(reply_uuid) => store::present_reply(&cx.db, reply_uuid).await?,
        None => None,
    };
    if present.as_ref().is_none_or(|(body, text)| *body != words || *text != text_uuid) {
        let by = Actor::of(cx.principal()?);
        let reply = NewReply { reply_uuid: cx.new_uuid(), text_uuid, body: &words, by };
        store::insert_reply(&cx.db, &locked, &reply).await?;
    }
    let review = load(cx, review_uuid).await?;
    Ok(if present.is_some() { Created::existing(review) } else { Created::new(review_uuid, review) })
}

/// Delete the reply to a customer review.
#[operation(mutation, access = "marketplace.reviews:write")]
async fn marketplace_reviews_delete_reply(
    cx: &RequestContext,
    app_uuid: Uuid,
    review_uuid: Uuid,
) -> Result<bool, Fault> {
    let (locked, _) = lock(cx, app_uuid, review_uuid).await?;
    if locked.reply_uuid.is_none() {
        return Err(Fault::not_found("reply"));
    }
    store::end_reply(&cx.db, &locked, Actor::of(cx.principal()?)).await?;
    Ok(true)
}

/// Flag a customer review.
#[operation(mutation, access = "marketplace.reviews:write")]
async fn marketplace_reviews_flag(
    cx: &RequestContext,
    app_uuid: Uuid,
    review_uuid: Uuid,
    body: ReviewFlagCreate,
) -> Result<AppReview, Fault> {
    let (locked, text_uuid) = lock(cx, app_uuid, review_uuid).await?;
    rules::ensure_flaggable(store::last_flag(&cx.db, review_uuid).await?, text_uuid)?;
    let (note, by) = (rules::trim_text(body.note), Actor::of(cx.principal()?));
    let flag = NewFlag { flag_uuid: cx.new_uuid(), text_uuid, reason: body.reason, note: note.as_deref(), by };
    store::insert_flag(&cx.db, &locked, &flag).await?;
    load(cx, review_uuid).await
}

async fn ensure_own(cx: &RequestContext, app_uuid: Uuid) -> Result<(), Fault> {
    let is_own = store::app_exists(&cx.db, cx.owner()?, app_uuid).await?;
    if is_own { Ok(()) } else { Err(Fault::not_found("app")) }
}

/// Locks a published customer review of the partner's app for a change, and returns it with the published text.
async fn lock(cx: &RequestContext, app_uuid: Uuid, review_uuid: Uuid) -> Result<(LockedReview, Uuid), Fault> {
    let found = store::lock_shown(&cx.db, cx.owner()?, app_uuid, review_uuid).await?;
    found.ok_or_else(|| Fault::not_found("customer review"))
}

async fn load(cx: &RequestContext, review_uuid: Uuid) -> Result<AppReview, Fault> {
    OWN_REVIEW.fetch_one(&cx.db, [review_uuid.into()]).await?.ok_or_else(|| Fault::not_found("customer review"))
}
