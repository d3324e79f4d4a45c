//! Operations of the app's partner on customer reviews: read, reply, and flag for staff.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::access;
use labs_core::actor::Actor;
use labs_core::context::{RequestContext, RequestContextExt};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::List;
use labs_core::time::Time;
use uuid::Uuid;

use super::partner_list::{AppReview, AppReviewFilter, AppReviewSort, OWN_REVIEW, OWN_REVIEWS, OfApp};
use super::ratings::{self, AppRatings, AppRatingsInterval};
use super::rules::{self, ReviewConcern};
use super::store::{self, LockedReview, NewFlag, NewReply};

/// Reply of the partner.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewReplyPut {
    /// Text of the reply.
    body: String,
}

/// Request of the partner that moderators check a customer review.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewFlagCreate {
    /// Reason for the flag.
    reason: ReviewConcern,
    /// Further explanation.
    note: Option<String>,
}

/// Reads of customer reviews by the app's partner.
#[derive(Default)]
pub(in crate::marketplace) struct ReviewsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ReviewsQuery {
    /// List an app's customer reviews.
    #[graphql(directive = access::apply("marketplace.reviews".into()))]
    async fn marketplace_reviews_list(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        filter: Option<AppReviewFilter>,
        sort: Option<AppReviewSort>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<AppReview>>, Fault> {
        let cx = ctx.cx();
        ensure_own(cx, app_uuid).await?;
        let of = OfApp { app_uuid, filter: filter.unwrap_or_default() };
        cx.answer_list(OWN_REVIEWS.page(cx, &of, &PageRequest::new(sort, limit, cursor)).await?.list())
    }

    /// Get an app's ratings.
    #[graphql(directive = access::apply("marketplace.reviews".into()))]
    async fn marketplace_reviews_get_ratings(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        interval: Option<AppRatingsInterval>,
        written_at_from: Option<Time>,
        written_at_until: Option<Time>,
    ) -> Result<Option<AppRatings>, Fault> {
        let cx = ctx.cx();
        ensure_own(cx, app_uuid).await?;
        let filter = ratings::PeriodFilter::new(interval, (written_at_from, written_at_until), cx.now)?;
        cx.answer(ratings::get(&cx.db, app_uuid, &filter).await?)
    }
}

/// Writes of customer reviews by the app's partner.
#[derive(Default)]
pub(in crate::marketplace) struct ReviewsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ReviewsMutation {
    /// Reply to a customer review.
    #[graphql(directive = access::apply("marketplace.reviews:write".into()))]
    async fn marketplace_reviews_put_reply(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        review_uuid: Uuid,
        body: ReviewReplyPut,
    ) -> Result<Option<AppReview>, Fault> {
        let cx = ctx.cx();
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
        if present.is_some() { cx.answer(review) } else { cx.answer_created(review_uuid, review) }
    }

    /// Delete the reply to a customer review.
    #[graphql(directive = access::apply("marketplace.reviews:write".into()))]
    async fn marketplace_reviews_delete_reply(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        review_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        let (locked, _) = lock(cx, app_uuid, review_uuid).await?;
        if locked.reply_uuid.is_none() {
            return Err(Fault::not_found("reply"));
        }
        store::end_reply(&cx.db, &locked, Actor::of(cx.principal()?)).await?;
        cx.answer(true)
    }

    /// Flag a customer review.
    #[graphql(directive = access::apply("marketplace.reviews:write".into()))]
    async fn marketplace_reviews_flag(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        review_uuid: Uuid,
        body: ReviewFlagCreate,
    ) -> Result<Option<AppReview>, Fault> {
        let cx = ctx.cx();
        let (locked, text_uuid) = lock(cx, app_uuid, review_uuid).await?;
        rules::ensure_flaggable(store::last_flag(&cx.db, review_uuid).await?, text_uuid)?;
        let (note, by) = (rules::trim_text(body.note), Actor::of(cx.principal()?));
        let flag = NewFlag { flag_uuid: cx.new_uuid(), text_uuid, reason: body.reason, note: note.as_deref(), by };
        store::insert_flag(&cx.db, &locked, &flag).await?;
        cx.answer(load(cx, review_uuid).await?)
    }
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
