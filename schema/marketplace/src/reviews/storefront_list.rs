//! Queries for customer reviews for the storefront: the reviews of a listing, and lookup of a submitted one.

use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::page::Page;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::languages::{self, OF_LANGUAGE, OF_LANGUAGES, OF_VARIETY};
use super::rules::CustomerReviewState;
use super::types::{RatingSpread, ReviewReply, ReviewText, reply_of_the_review};

/// A customer review as readers see it. It does not disclose the identity of the customer.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct ListingReview {
    /// UUID of the object.
    uuid: Uuid,
    /// Stars, from 1 to 5.
    rating: i32,
    /// Headline. Null if the text has no headline.
    title: Option<String>,
    /// Plain text. Null for a rating without text.
    body: Option<String>,
    /// Language of title and body.
    locale: String,
    /// Version that the customer used. Null if unknown.
    version_number: Option<String>,
    /// Whether this version is the currently published version of the app. False if the version or the listing is
    /// unknown.
    is_current_version: bool,
    /// Time when this text was written.
    written_at: Time,
    /// Reply of the partner. Null if the partner has not replied.
    #[sqlx(json(nullable))]
    reply: Option<ReviewReply>,
}

/// A page of a listing's customer reviews, with the distribution of its ratings.
#[derive(Serialize, OutputType)]
#[describe(paged)]
pub(super) struct ListingReviewList {
    /// Entries of this page, in the requested order.
    pub(super) data: Vec<ListingReview>,
    /// Cursor information of the page.
    pub(super) page: Page,
    /// Distribution of the ratings of all published customer reviews of the listing. Filters do not change it.
    pub(super) ratings: RatingSpread,
}

/// Published customer reviews with their texts.
static SHOWN: Select<ListingReview> = Select::new(
    concat!(
        "r.review_uuid as uuid, r.rating, t.title, t.body, r.locale, r.version_number,
         coalesce(r.version_number = l.version_number, false) as is_current_version, r.written_at, ",
        reply_of_the_review!()
    ),
    "customer_review as r join customer_review_text as t on t.text_uuid = r.shown_text_uuid
     join listing as l on l.app_uuid = r.app_uuid",
);

/// Filter of a listing's customer reviews. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct ListingReviewFilter {
    rating: Option<Vec<i32>>,
    has_text: Option<bool>,
    language: Option<Vec<String>>,
    locale: Option<Vec<String>>,
    version_number: Option<Vec<String>>,
}

/// Parameters of the customer reviews of a listing.
#[derive(Debug, Serialize)]
pub(super) struct OfListing {
    pub(super) app_uuid: Uuid,
    pub(super) filter: ListingReviewFilter,
}

words! {
    /// Orders of a listing's customer reviews.
    pub(crate) enum ListingReviewSort {
        /// Customer reviews with a text first, then those with stars only; newest first among equals.
        Relevance = "RELEVANCE",
        /// Most recently written first.
        WrittenAtDesc = "WRITTEN_AT_DESC",
        /// Most stars first; newest first among equals.
        RatingDesc = "RATING_DESC",
        /// Fewest stars first; newest first among equals.
        Rating = "RATING",
    }
}

/// Converts ratings to a bound value of a condition.
pub(super) fn ratings(of: Option<&Vec<i32>>) -> Option<SqlValue> {
    let named = of.filter(|named| !named.is_empty())?;
    Some(SqlValue::Texts(named.iter().map(ToString::to_string).collect()))
}

/// Published customer reviews of a listing.
pub(super) static SHOWN_REVIEWS: ListQuery<OfListing, ListingReview, ListingReviewSort> = ListQuery {
    operation: "marketplace_listings_list_reviews",
    select: &SHOWN,
    within: &[
        Condition { sql: "r.app_uuid = {}", value: |of| Some(of.app_uuid.into()) },
        Condition { sql: "r.state = 'PUBLISHED'", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[
        Condition { sql: "r.rating = any({}::text[]::integer[])", value: |of| ratings(of.filter.rating.as_ref()) },
        Condition { sql: "r.has_text = {}", value: |of| of.filter.has_text.map(SqlValue::from) },
        Condition { sql: OF_LANGUAGE, value: |of| languages::only(of.filter.language.as_deref()) },
        Condition { sql: OF_LANGUAGES, value: |of| languages::several(of.filter.language.as_deref()) },
        Condition { sql: OF_VARIETY, value: |of| languages::varieties(of.filter.language.as_deref()) },
        Condition { sql: "r.locale = {}", value: |of| only(of.filter.locale.as_ref()).map(SqlValue::from) },
        Condition {
            sql: "r.locale = any({})",
            value: |of| SqlValue::texts(of.filter.locale.as_ref().filter(|several| several.len() > 1)),
        },
        Condition {
            sql: "r.version_number = {}",
            value: |of| only(of.filter.version_number.as_ref()).map(SqlValue::from),
        },
        Condition {
            sql: "r.version_number = any({})",
            value: |of| SqlValue::texts(of.filter.version_number.as_ref().filter(|several| several.len() > 1)),
        },
    ],
    order: |sort| match sort {
        ListingReviewSort::Relevance => const { &[HAS_TEXT.descending(), WRITTEN.descending(), ID.descending()] },
        ListingReviewSort::WrittenAtDesc => const { &[WRITTEN.descending(), ID.descending()] },
        ListingReviewSort::RatingDesc => const { &[RATING.descending(), WRITTEN.descending(), ID.descending()] },
        ListingReviewSort::Rating => const { &[RATING, WRITTEN.descending(), ID.descending()] },
    },
};

/// Returns the only value of a filter. An index in the order of the list serves one value, but not several.
pub(super) fn only(values: Option<&Vec<String>>) -> Option<&str> {
    values.filter(|values| values.len() == 1)?.first().map(String::as_str)
}

const ID: Key<ListingReview> = Key::id("r.review_uuid", |review| json!(review.uuid));
const HAS_TEXT: Key<ListingReview> =
    Key::whole("r.has_text::integer", |review| json!(i32::from(review.title.is_some() || review.body.is_some())));
const RATING: Key<ListingReview> = Key::whole("r.rating", |review| json!(review.rating));
const WRITTEN: Key<ListingReview> = Key::moment("r.written_at", |review| json!(review.written_at));

/// A customer review as seen by the storefront that submitted it.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct SubmittedReview {
    /// UUID of the object.
    uuid: Uuid,
    /// Current state.
    state: CustomerReviewState,
    /// Text that readers see. Null if no text is shown.
    #[sqlx(json(nullable))]
    shown: Option<ReviewText>,
    /// Text that waits for a moderator. Null if no text waits.
    #[sqlx(json(nullable))]
    waiting: Option<ReviewText>,
    /// Time when the customer submitted the first text.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
}

static HANDED_IN: Select<SubmittedReview> = Select::new(
    "r.review_uuid as uuid, r.state, r.created_at, r.updated_at,
     (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.shown_text_uuid) as shown,
     (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.waiting_text_uuid) as waiting",
    "customer_review as r",
);

/// Looks up a submitted customer review.
pub(super) static SUBMITTED: Lookup<SubmittedReview> = Lookup::new(&HANDED_IN, &["r.review_uuid = {}"]);
