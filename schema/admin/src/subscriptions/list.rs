//! The list of subscriptions across partners, with filters and orders, and the history of one subscription.

use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, FixedOrder, Key, ListQuery, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;

use labs_subscription::changing::{
    EVENT_FOR_STAFF, SUBSCRIPTION, SubscriptionEvent, SubscriptionHistory, SubscriptionRow, SubscriptionState, history,
};

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct SubscriptionFilter {
    tier_code: Option<Vec<String>>,
    state: Option<Vec<SubscriptionState>>,
    pending: Option<bool>,
    q: Option<String>,
    period_end_from: Option<Time>,
    period_end_until: Option<Time>,
}

words! {
    /// Orders of subscriptions.
    pub enum SubscriptionSort {
        /// Latest start on the current tier first.
        StartedAtDesc = "STARTED_AT_DESC",
        /// Earliest start on the current tier first.
        StartedAt = "STARTED_AT",
        /// By the end of the period; subscriptions without periods last.
        PeriodEnd = "PERIOD_END",
    }
}

/// List query of subscriptions.
pub(super) static SUBSCRIPTIONS: ListQuery<SubscriptionFilter, SubscriptionRow, SubscriptionSort> = ListQuery {
    operation: "admin_subscriptions_list",
    select: &SUBSCRIPTION,
    within: &[],
    conditions: &[
        Condition { sql: "tier_code = any({})", value: |of| SqlValue::texts(of.tier_code.as_ref()) },
        Condition { sql: "state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        Condition { sql: "(to_come_at is not null) = {}", value: |of| of.pending.map(SqlValue::from) },
        Condition { sql: matches_words!("company_name"), value: |of| of.q.as_deref().map(SqlValue::from) },
        Condition { sql: "period_end >= {}", value: |of| of.period_end_from.map(SqlValue::from) },
        Condition { sql: "period_end < {}", value: |of| of.period_end_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        SubscriptionSort::StartedAtDesc => const { &[STARTED.descending(), ID.descending()] },
        SubscriptionSort::StartedAt => const { &[STARTED, ID] },
        SubscriptionSort::PeriodEnd => const { &[END, ID] },
    },
};

const ID: Key<SubscriptionRow> = Key::id("partner_uuid", |row| json!(row.partner_uuid));
const STARTED: Key<SubscriptionRow> = Key::moment("started_at", |row| json!(row.started_at));
const END: Key<SubscriptionRow> = Key::moment("coalesce(period_end, 'infinity')", |row| json!(row.period_end));

/// List query of the events of a partner's subscription, for staff.
pub(super) static EVENTS: ListQuery<SubscriptionHistory, SubscriptionEvent, FixedOrder> =
    history("admin_subscriptions_list_events", &EVENT_FOR_STAFF);

/// Edge from a partner to its subscription.
pub static SUBSCRIPTION_OF_EACH: EdgeQuery<SubscriptionRow> = EdgeQuery {
    operation: "admin_subscriptions_get",
    argument: "partner_uuid",
    select: &SUBSCRIPTION,
    condition: "partner_uuid = above.uuid",
    order: &[],
};

/// Run-time SQL statements of subscriptions, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 3] = [&SUBSCRIPTIONS, &SUBSCRIPTION_OF_EACH, &EVENTS];
