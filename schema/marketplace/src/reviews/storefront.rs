//! Operations of a storefront on customer reviews, for customers that it has authenticated.

use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, Rows};
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::rules::{self, ReviewConcern, Text, TextChange};
use super::store::{self, LockedReview, NewReport, NewReview};
use super::storefront_list::{
    ListingReviewFilter, ListingReviewList, ListingReviewSort, OfListing, SHOWN_REVIEWS, SUBMITTED, SubmittedReview,
};
use super::types::RatingSpread;

/// A customer's rating and text about an app.
#[derive(Deserialize, InputType)]
pub(super) struct ListingReviewSubmit {
    /// Reference of the customer in the storefront.
    customer_reference: String,
    /// Stars, from 1 to 5.
    rating: i32,
    /// Headline of the customer review.
    title: Option<String>,
    /// Plain text. A customer review may consist of stars only.
    body: Option<String>,
    /// Language of title and body.
    locale: String,
    /// Version that the customer uses. It must have been published on the storefront.
    version_number: Option<String>,
}

/// A customer's report about another customer's review.
#[derive(Deserialize, InputType)]
pub(super) struct ListingReviewReport {
    /// Reference of the customer in the storefront.
    customer_reference: String,
    /// Reason for the report.
    reason: ReviewConcern,
    /// Additional information for moderators.
    note: Option<String>,
}

/// A customer's report, as counted.
#[derive(Serialize, OutputType)]
pub(super) struct CountedReviewReport {
    /// UUID of the customer review.
    review_uuid: Uuid,
    /// Reason of the customer's first report.
    reason: ReviewConcern,
    /// Additional information from the customer.
    note: Option<String>,
    /// Time when the report was counted.
    reported_at: Time,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_listings_list_reviews,
    marketplace_listings_submit_review,
    marketplace_listings_report_review,
];

/// List a listing's customer reviews.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 600))]
async fn marketplace_listings_list_reviews(
    cx: &RequestContext,
    listing_slug: String,
    filter: Option<ListingReviewFilter>,
    sort: Option<ListingReviewSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<ListingReviewList, Fault> {
    let app_uuid = visible_app(cx, &listing_slug).await?;
    let of = OfListing { app_uuid, filter: filter.unwrap_or_default() };
    let Rows { rows, page } = SHOWN_REVIEWS.page(cx, &of, &PageRequest::new(sort, limit, cursor)).await?;
    let ratings = RatingSpread::new(&store::get_spread(&cx.db, app_uuid).await?);
    Ok(ListingReviewList { data: rows, page, ratings })
}

/// Submit a customer review.
#[operation(mutation, access = "storefront.reviews:write")]
async fn marketplace_listings_submit_review(
    cx: &RequestContext,
    listing_slug: String,
    body: ListingReviewSubmit,
) -> Result<Created<SubmittedReview>, Fault> {
    let app_uuid = visible_app(cx, &listing_slug).await?;
    let customer = store::customer_hash(&cx.services, app_uuid, &body.customer_reference);
    let words = Text {
        rating: body.rating,
        title: rules::trim_text(body.title),
        body: rules::trim_text(body.body),
        locale: body.locale,
        version_number: body.version_number,
    };
    if let Some(number) = &words.version_number
        && !store::version_exists(&cx.db, app_uuid, number).await?
    {
        let message = "No version with this number was ever on the storefront. Omit it if it is not known.";
        return Err(Fault::field("/version_number", "UNKNOWN_VERSION", message));
    }
    let (review_uuid, text_uuid) = (cx.new_uuid(), cx.new_uuid());
    let new = NewReview { review_uuid, text_uuid, app_uuid, customer_sha256: &customer, words: &words };
    if store::insert(&cx.db, &new).await? {
        return Ok(Created::new(review_uuid, submitted(cx, review_uuid).await?));
    }
    let held = store::lock_of_customer(&cx.db, app_uuid, &customer).await?;
    let erased = || Fault::conflict("This customer review was just erased. Send it again.").mark_retryable();
    let held = held.ok_or_else(erased)?;
    resubmit(cx, &held, text_uuid, &words).await?;
    Ok(Created::existing(submitted(cx, held.review_uuid).await?))
}

/// Report a customer review.
#[operation(mutation, access = "storefront.reviews:write")]
async fn marketplace_listings_report_review(
    cx: &RequestContext,
    review_uuid: Uuid,
    body: ListingReviewReport,
) -> Result<CountedReviewReport, Fault> {
    let found = store::lock_public(&cx.db, review_uuid).await?;
    let (held, text_uuid) = found.ok_or_else(|| Fault::not_found("customer review"))?;
    let reporter = store::customer_hash(&cx.services, held.app_uuid, &body.customer_reference);
    let note = rules::trim_text(body.note);
    let new = NewReport { reporter_sha256: &reporter, text_uuid, reason: body.reason, note: note.as_deref() };
    let row = store::report(&cx.db, review_uuid, &new).await?;
    Ok(CountedReviewReport { review_uuid, reason: row.reason, note: row.note, reported_at: row.reported_at })
}

/// Submits another text of a locked customer review, unless it contains nothing new.
async fn resubmit(cx: &RequestContext, held: &LockedReview, text_uuid: Uuid, words: &Text) -> Result<(), Fault> {
    let [shown, last] = store::get_texts(&cx.db, held).await?;
    let texts = match rules::submit(words, shown.as_ref(), last.as_ref(), held.texts.waiting.is_some()) {
        TextChange::Nothing => return Ok(()),
        TextChange::TakeBack => rules::ReviewTexts { waiting: None, ..held.texts },
        TextChange::Wait => {
            store::insert_text(&cx.db, held.review_uuid, text_uuid, words).await?;
            held.texts.after_submission(text_uuid)
        }
    };
    store::set_faces(&cx.db, held, texts, None, false).await
}

async fn visible_app(cx: &RequestContext, listing_slug: &str) -> Result<Uuid, Fault> {
    store::visible_app(&cx.db, listing_slug).await?.ok_or_else(|| Fault::not_found("listing"))
}

async fn submitted(cx: &RequestContext, review_uuid: Uuid) -> Result<SubmittedReview, Fault> {
    SUBMITTED.fetch_one(&cx.db, [review_uuid.into()]).await?.ok_or_else(|| Fault::not_found("customer review"))
}
