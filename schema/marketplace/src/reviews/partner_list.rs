//! Queries for customer reviews for the app's partner: lookup by id, and the list with its filters and orders.

use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::matches_words;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::languages::{self, OF_LANGUAGE, OF_LANGUAGES, OF_VARIETY};
use super::rules::{ReviewConcern, ReviewMarkOutcome};
use super::storefront_list::{only, ratings};
use super::types::{ReviewReply, reply_of_the_review};

/// A published customer review of an app of the partner. It does not disclose the identity of the customer.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct AppReview {
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
    /// Time when the customer wrote the first text.
    created_at: Time,
    /// Public reply of the partner. Null if the partner has not replied.
    #[sqlx(json(nullable))]
    reply: Option<ReviewReply>,
    /// Last flag that the partner set, with its outcome. Null if the partner never flagged the customer review.
    #[sqlx(json(nullable))]
    flag: Option<ReviewFlag>,
}

/// A flag that the partner set on a customer review.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct ReviewFlag {
    /// Reason for the flag.
    reason: ReviewConcern,
    /// Additional information from the partner.
    note: Option<String>,
    /// Outcome of the flag.
    outcome: ReviewMarkOutcome,
    /// Time when the partner set the flag.
    flagged_at: Time,
    /// Time of the moderator's decision. Null while it is open.
    decided_at: Option<Time>,
}

/// Published customer reviews, with the partner's reply and flag.
static OWN: Select<AppReview> = Select::new(
    concat!(
        "r.review_uuid as uuid, r.rating, t.title, t.body, r.locale, r.version_number,
         coalesce(r.version_number = (select l.version_number from listing as l where l.app_uuid = r.app_uuid), false)
             as is_current_version, r.written_at, r.created_at,
         (select to_jsonb(f) from customer_review_flag as f where f.review_uuid = r.review_uuid
           order by f.flagged_at desc, f.flag_uuid desc limit 1) as flag, ",
        reply_of_the_review!()
    ),
    "customer_review as r join customer_review_text as t on t.text_uuid = r.shown_text_uuid",
);

/// Looks up a published customer review.
pub(super) static OWN_REVIEW: Lookup<AppReview> = Lookup::new(&OWN, &["r.review_uuid = {}"]);

/// Filter of an app's customer reviews. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct AppReviewFilter {
    rating: Option<Vec<i32>>,
    answered: Option<bool>,
    flagged: Option<bool>,
    has_text: Option<bool>,
    language: Option<Vec<String>>,
    locale: Option<Vec<String>>,
    version_number: Option<Vec<String>>,
    written_at_from: Option<Time>,
    written_at_until: Option<Time>,
    q: Option<String>,
}

/// Parameters of the customer reviews of an app. The caller has already checked the ownership.
#[derive(Debug, Serialize)]
pub(super) struct OfApp {
    pub(super) app_uuid: Uuid,
    pub(super) filter: AppReviewFilter,
}

words! {
    /// Orders of an app's customer reviews.
    pub(crate) enum AppReviewSort {
        /// Most recently written first.
        WrittenAtDesc = "WRITTEN_AT_DESC",
        /// Earliest written first.
        WrittenAt = "WRITTEN_AT",
        /// Most stars first; newest first among equals.
        RatingDesc = "RATING_DESC",
        /// Fewest stars first; newest first among equals.
        Rating = "RATING",
    }
}

/// Published customer reviews of an app.
pub(super) static OWN_REVIEWS: ListQuery<OfApp, AppReview, AppReviewSort> = ListQuery {
    operation: "marketplace_reviews_list",
    select: &OWN,
    within: &[
        Condition { sql: "r.app_uuid = {}", value: |of| Some(of.app_uuid.into()) },
        Condition { sql: "r.state = 'PUBLISHED'", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[
        Condition { sql: "r.rating = any({}::text[]::integer[])", value: |of| ratings(of.filter.rating.as_ref()) },
        Condition {
            sql: "r.reply_uuid is not null",
            value: |of| SqlValue::nothing_if(of.filter.answered == Some(true)),
        },
        Condition { sql: "r.reply_uuid is null", value: |of| SqlValue::nothing_if(of.filter.answered == Some(false)) },
        Condition {
            sql: "r.flagged_at is not null",
            value: |of| SqlValue::nothing_if(of.filter.flagged == Some(true)),
        },
        Condition { sql: "r.flagged_at is null", value: |of| SqlValue::nothing_if(of.filter.flagged == Some(false)) },
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
        Condition { sql: "r.written_at >= {}", value: |of| of.filter.written_at_from.map(SqlValue::from) },
        Condition { sql: "r.written_at < {}", value: |of| of.filter.written_at_until.map(SqlValue::from) },
        Condition { sql: matches_words!("t.title", "t.body"), value: |of| of.filter.q.as_deref().map(SqlValue::from) },
    ],
    order: |sort| match sort {
        AppReviewSort::WrittenAtDesc => const { &[WRITTEN.descending(), ID.descending()] },
        AppReviewSort::WrittenAt => const { &[WRITTEN, ID] },
        AppReviewSort::RatingDesc => const { &[RATING.descending(), WRITTEN.descending(), ID.descending()] },
        AppReviewSort::Rating => const { &[RATING, WRITTEN.descending(), ID.descending()] },
    },
};

const ID: Key<AppReview> = Key::id("r.review_uuid", |review| json!(review.uuid));
const RATING: Key<AppReview> = Key::whole("r.rating", |review| json!(review.rating));
const WRITTEN: Key<AppReview> = Key::moment("r.written_at", |review| json!(review.written_at));
