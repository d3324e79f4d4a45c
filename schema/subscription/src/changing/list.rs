//! Columns of subscriptions and their events, and the list query of the events. The lists of subscriptions are next to
//! their operations.

use labs_core::db::Db;
use labs_core::describe::InputType;
use labs_core::event_positions::EventList;
use labs_core::fault::Fault;
use labs_core::list::{Condition, FixedOrder, FollowQuery, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::of_positions;
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::events::SubscriptionEvent;
use super::rules::SubscriptionState;
use crate::public_tiers::BillingPeriod;

/// A subscription with its pending change.
#[derive(Clone, sqlx::FromRow)]
pub struct SubscriptionRow {
    /// UUID of the partner.
    pub partner_uuid: Uuid,
    /// Company name of the partner.
    pub company_name: String,
    pub(crate) tier_code: String,
    pub(crate) tier_name: String,
    pub(crate) price_amount_minor: i64,
    pub(crate) currency: String,
    pub(crate) billing_period: BillingPeriod,
    pub(crate) state: SubscriptionState,
    /// Time since which the partner is on the tier.
    pub started_at: Time,
    pub(crate) period_start: Time,
    /// End of the current period; `None` without periods.
    pub period_end: Option<Time>,
    pub(crate) to_come_at: Option<Time>,
    pub(crate) to_come_tier_code: Option<String>,
    pub(crate) to_come_tier_name: Option<String>,
}

/// Subscriptions of all partners.
pub static SUBSCRIPTION: Select<SubscriptionRow> = Select::new(
    "partner_uuid, company_name, tier_code, tier_name, price_amount_minor, currency, billing_period, state, started_at,
     period_start, period_end, to_come_at, to_come_tier_code, to_come_tier_name",
    "subscription_shown",
);

static OF_A_PARTNER: Lookup<SubscriptionRow> = Lookup::new(&SUBSCRIPTION, &["partner_uuid = {}"]);

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(super) static STATEMENTS: [&dyn Statements; 1] = [&OF_A_PARTNER];

/// Returns a partner's subscription.
pub async fn get_subscription(db: &Db, partner_uuid: Uuid) -> Result<Option<SubscriptionRow>, Fault> {
    OF_A_PARTNER.fetch_one(db, [partner_uuid.into()]).await
}

const EVENT_COLUMNS: &str = "event.event_uuid as uuid, event.occurred_at, event.kind, before.code as from_tier_code,
     after.code as to_tier_code, event.actor_kind, shown.actor_uuid,
     actor_name(event.actor_kind, shown.actor_uuid) as actor_name, event.reason,
     (event.detail ->> 'effective_at')::timestamptz as effective_at, event.detail ->> 'feature_code' as feature_code";

/// Relations joined to `event` as partners read it: the partner's users and machine clients are named; staff and
/// clients without a partner are not.
macro_rules! for_partners {
    () => {
        "cross join lateral (
          select case when event.actor_kind = 'PARTNER_USER'
                       or exists (select from machine_client as client
                                   where client.client_uuid = event.actor_uuid
                                     and client.partner_uuid = event.partner_uuid)
                      then event.actor_uuid end as actor_uuid) as shown
     left join tier as before on before.tier_uuid = event.from_tier_uuid
     left join tier as after on after.tier_uuid = event.to_tier_uuid"
    };
}

/// Events as partners read them.
pub static EVENT_FOR_PARTNERS: Select<SubscriptionEvent> =
    Select::new(EVENT_COLUMNS, concat!("subscription_event as event ", for_partners!()));

static EVENT_BY_POSITION: Select<SubscriptionEvent> =
    Select::new(EVENT_COLUMNS, concat!(of_positions!("subscription_event", "event"), for_partners!()));

/// Events as staff read them, with all names.
pub static EVENT_FOR_STAFF: Select<SubscriptionEvent> = Select::new(
    EVENT_COLUMNS,
    "subscription_event as event
     cross join lateral (select event.actor_uuid) as shown
     left join tier as before on before.tier_uuid = event.from_tier_uuid
     left join tier as after on after.tier_uuid = event.to_tier_uuid",
);

/// Filter of the events. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub struct SubscriptionEventFilter {
    kind: Option<Vec<String>>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// Scope and filter of the events of a partner's subscription.
#[derive(Debug, Serialize)]
pub struct SubscriptionHistory {
    /// Partner whose events are listed.
    pub partner_uuid: Uuid,
    /// Filter of the list.
    pub filter: SubscriptionEventFilter,
}

/// List of events, newest first, for one operation.
pub const fn history(
    operation: &'static str,
    select: &'static Select<SubscriptionEvent>,
) -> ListQuery<SubscriptionHistory, SubscriptionEvent, FixedOrder> {
    ListQuery {
        operation,
        select,
        within: const { &[Condition { sql: "event.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }] },
        conditions: NARROWED,
        order: |FixedOrder| const { &[OCCURRED.descending(), ID.descending()] },
    }
}

/// List of events as partners read them, by position, for one operation.
pub const fn followed_history(operation: &'static str) -> FollowQuery<SubscriptionHistory, SubscriptionEvent> {
    FollowQuery {
        operation,
        list: EventList::Subscription,
        select: &EVENT_BY_POSITION,
        about: |of| of.partner_uuid,
        within: &[],
        conditions: NARROWED,
    }
}

const NARROWED: &[Condition<SubscriptionHistory>] = &[
    Condition { sql: "event.kind = any({})", value: |of| SqlValue::texts(of.filter.kind.as_ref()) },
    Condition { sql: "event.occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(SqlValue::from) },
    Condition { sql: "event.occurred_at < {}", value: |of| of.filter.occurred_at_until.map(SqlValue::from) },
];

const OCCURRED: Key<SubscriptionEvent> = Key::moment("event.occurred_at", |event| json!(event.occurred_at));
const ID: Key<SubscriptionEvent> = Key::id("event.event_uuid", |event| json!(event.uuid));
