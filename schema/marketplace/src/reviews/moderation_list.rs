//! Queries for customer reviews for moderators: lookup by id, and the list with its filter.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::time::Time;
use labs_core::{matches_longest_word, matches_words};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::partner_list::ReviewFlag;
use super::rules::{
    CustomerReviewState, ReviewConcern, ReviewMarkOutcome, ReviewRejectionReason, ReviewTextOutcome, TextSlot,
    allowed_actions,
};
use super::storefront_list::ratings;
use super::types::ReviewText;

/// A customer review with all information for the moderator's decision. It does not disclose the identity of the
/// customer.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub struct CustomerReview {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// UUID of the app.
    pub(crate) app_uuid: Uuid,
    /// Name of the app in its default locale.
    pub(super) app_name: String,
    /// UUID of the partner that owns the app.
    pub(crate) partner_uuid: Uuid,
    /// Company that owns the app.
    partner_name: String,
    /// Current state.
    state: CustomerReviewState,
    /// Text that readers see. Null if no text is shown.
    #[sqlx(json(nullable))]
    shown: Option<ReviewText>,
    /// Text that waits for a moderator. Null if no text waits.
    #[sqlx(json(nullable))]
    waiting: Option<ReviewText>,
    /// Most recently rejected text, while no text is shown and no text waits. Approving it shows it again. Null in all
    /// other cases, and if the customer review was erased.
    #[sqlx(json(nullable))]
    rejected: Option<ReviewText>,
    /// The ten most recent texts, newest first.
    #[sqlx(json)]
    texts: Vec<ModeratedReviewText>,
    /// The ten most recent replies of the partner, newest first.
    #[sqlx(json)]
    replies: Vec<ModeratedReviewReply>,
    /// The ten most recent flags of the partner, newest first.
    #[sqlx(json)]
    flags: Vec<ReviewFlag>,
    /// Number of open reports by customers. No number of reports hides a customer review.
    reports_count: i32,
    /// The ten most recent reports, newest first.
    #[sqlx(json)]
    reports: Vec<ModeratedReviewReport>,
    /// Time since which part of the customer review waits for a moderator. If nothing waits, the time of its first
    /// submission.
    queued_at: Time,
    /// Time of the last moderator decision. Null if no moderator has decided.
    moderated_at: Option<Time>,
    /// Time when the customer submitted the first text.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Position in the queue.
    #[serde(skip)]
    priority: i32,
    /// Actions that the caller can take now, on any of the texts.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl CustomerReview {
    /// Sets the actions that the caller can take.
    pub(super) fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.reviews:write");
        let texts =
            [(&self.shown, TextSlot::Shown), (&self.waiting, TextSlot::Waiting), (&self.rejected, TextSlot::Rejected)];
        let places: Vec<TextSlot> =
            texts.into_iter().filter(|(text, _)| text.is_some()).map(|(_, place)| place).collect();
        let allowed_actions = if acts { allowed_actions(self.state, &places) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

/// A text of a customer review, with its outcome.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct ModeratedReviewText {
    /// UUID of the object.
    text_uuid: Uuid,
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
    /// Time of submission.
    #[serde(rename(deserialize = "created_at"))]
    written_at: Time,
    /// Outcome of the text.
    outcome: ReviewTextOutcome,
    /// Reason for the rejection. Null if the text was not rejected.
    rejected_because: Option<ReviewRejectionReason>,
    /// Note of the moderator for other staff members.
    decision_note: Option<String>,
    /// Time when a moderator decided about the text. Null if not decided.
    decided_at: Option<Time>,
}

/// A reply of the partner.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub struct ModeratedReviewReply {
    /// Plain text.
    body: String,
    /// UUID of the text that was shown when the reply was written.
    text_uuid: Uuid,
    /// Time when the reply was written.
    #[serde(rename(deserialize = "created_at"))]
    replied_at: Time,
    /// Time when the reply was replaced or deleted. Null for the current reply.
    ended_at: Option<Time>,
}

/// A customer's report. It does not disclose the identity of the customer.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct ModeratedReviewReport {
    /// Reason for the report.
    reason: ReviewConcern,
    /// Additional information from the customer.
    note: Option<String>,
    /// Outcome of the report.
    outcome: ReviewMarkOutcome,
    /// Time when the report was counted.
    reported_at: Time,
    /// Time of the moderator's decision. Null while it is open.
    decided_at: Option<Time>,
}

static WHOLE: Select<CustomerReview> = Select::new(
    "r.review_uuid as uuid, r.app_uuid, r.app_name, r.partner_uuid, r.partner_name, r.state, r.shown, r.waiting,
     r.rejected, r.texts, r.replies, r.flags, r.reports as reports_count, r.customer_reports as reports, r.queued_at,
     r.moderated_at, r.created_at, r.updated_at, r.priority",
    "customer_review_moderated as r",
);

/// Looks up a customer review by id.
pub(super) static ONE_MODERATED: Lookup<CustomerReview> = Lookup::new(&WHOLE, &["r.review_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct CustomerReviewFilter {
    state: Option<Vec<CustomerReviewState>>,
    flagged: Option<bool>,
    reported: Option<bool>,
    app_uuid: Option<Uuid>,
    partner_uuid: Option<Uuid>,
    rating: Option<Vec<i32>>,
    review_uuid: Option<Uuid>,
    pub(super) q: Option<String>,
    /// Whether many entries match `q`; set by the resolver. The statement then tests each in the order of the list.
    #[serde(skip)]
    pub(super) is_common_text: bool,
}

impl CustomerReviewFilter {
    /// Whether the filter excludes published customer reviews by their state.
    fn is_unpublished(&self) -> bool {
        self.state
            .as_ref()
            .is_some_and(|states| !states.is_empty() && !states.contains(&CustomerReviewState::Published))
    }
}

/// List of customer reviews: first with a pending text, then flagged, then reported, then the others. In each group,
/// the longest waiting comes first.
pub(super) static MODERATED: ListQuery<CustomerReviewFilter, CustomerReview, FixedOrder> = ListQuery {
    operation: "marketplace_moderation_list_reviews",
    select: &WHOLE,
    within: &[],
    conditions: &[
        Condition { sql: "r.state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        // Each of these conditions is also the condition of an index, because only a few customer reviews meet it.
        Condition { sql: "r.state <> 'PUBLISHED'", value: |of| SqlValue::nothing_if(of.is_unpublished()) },
        Condition { sql: "r.flagged_at is not null", value: |of| SqlValue::nothing_if(of.flagged == Some(true)) },
        Condition { sql: "r.flagged_at is null", value: |of| SqlValue::nothing_if(of.flagged == Some(false)) },
        Condition { sql: "r.reports > 0", value: |of| SqlValue::nothing_if(of.reported == Some(true)) },
        Condition {
            sql: "coalesce(r.reports = 0, false)",
            value: |of| SqlValue::nothing_if(of.reported == Some(false)),
        },
        Condition { sql: "r.app_uuid = {}", value: |of| of.app_uuid.map(SqlValue::from) },
        Condition { sql: "r.partner_uuid = {}", value: |of| of.partner_uuid.map(SqlValue::from) },
        Condition {
            sql: "(select true from customer_review_text as t
                    where t.review_uuid = r.review_uuid and t.rating = any({}::text[]::integer[])
                      and t.text_uuid in (r.shown_text_uuid, r.waiting_text_uuid, r.rejected_text_uuid)
                    limit 1) is true",
            value: |of| ratings(of.rating.as_ref()),
        },
        Condition { sql: "r.review_uuid = {}", value: |of| of.review_uuid.map(SqlValue::from) },
        Condition {
            sql: concat!(
                "r.review_uuid = any(array(select t.review_uuid from customer_review_text as t where ",
                matches_longest_word!("coalesce(t.title, '') || E'\\n' || coalesce(t.body, '')"),
                " and ",
                matches_words!("t.title", "t.body"),
                "))"
            ),
            value: |of| of.q.as_deref().filter(|_| !of.is_common_text).map(SqlValue::from),
        },
        Condition {
            sql: concat!(
                "(select true from customer_review_text as t where t.review_uuid = r.review_uuid and ",
                matches_words!("t.title", "t.body"),
                " limit 1) is true"
            ),
            value: |of| of.q.as_deref().filter(|_| of.is_common_text).map(SqlValue::from),
        },
    ],
    order: |FixedOrder| const { &[PRIORITY, QUEUED, ID] },
};

const PRIORITY: Key<CustomerReview> = Key::whole("r.priority", |review| json!(review.priority));
const QUEUED: Key<CustomerReview> = Key::moment("r.queued_at", |review| json!(review.queued_at));
const ID: Key<CustomerReview> = Key::id("r.review_uuid", |review| json!(review.uuid));
