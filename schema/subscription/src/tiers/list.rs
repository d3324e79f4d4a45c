//! Tiers as staff see them: one, the list in the order of the pricing page, and the partners on a tier.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::types::Json;
use uuid::Uuid;

use super::resolvers::types::Subscriber;
use super::rules::TierState;
use crate::entitlements::EntitlementSource;
use crate::public_tiers::BillingPeriod;
use crate::values::FeatureKind;

/// A tier with the values of all features.
#[derive(sqlx::FromRow)]
pub(super) struct TierRecordRow {
    pub(super) tier_uuid: Uuid,
    pub(super) code: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) state: TierState,
    pub(super) price_amount_minor: i64,
    pub(super) currency: String,
    pub(super) billing_period: BillingPeriod,
    pub(super) burst_per_second: i32,
    pub(super) daily_requests: i64,
    pub(super) self_service: bool,
    pub(super) position: i32,
    pub(super) highlighted: bool,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) subscribers_count: i64,
    pub(super) features: Json<Vec<TierRecordFeatureRow>>,
}

/// Value of a feature in a tier.
#[derive(Clone, Deserialize)]
pub(super) struct TierRecordFeatureRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) kind: FeatureKind,
    pub(super) unit: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) value: Value,
    pub(super) source: EntitlementSource,
}

static TIER: Select<TierRecordRow> = Select::new(
    "tier_uuid, code, name, description, state, price_amount_minor, currency, billing_period, burst_per_second,
     daily_requests, self_service, position, highlighted, created_at, updated_at, subscribers_count, features",
    "tier_shown",
);

/// Finds one tier by id.
pub(super) static BY_UUID: Lookup<TierRecordRow> = Lookup::new(&TIER, &["tier_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct TierFilter {
    state: Option<Vec<TierState>>,
    self_service: Option<bool>,
    q: Option<String>,
}

/// The list of tiers.
pub(super) static TIERS: ListQuery<TierFilter, TierRecordRow, FixedOrder> = ListQuery {
    operation: "subscription_tiers_list",
    select: &TIER,
    within: &[],
    conditions: &[
        Condition { sql: "state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        Condition { sql: "self_service = {}", value: |of| of.self_service.map(SqlValue::from) },
        Condition { sql: matches_words!("code", "name"), value: |of| of.q.as_deref().map(SqlValue::from) },
    ],
    order: |FixedOrder| const { &[POSITION, CODE] },
};

const POSITION: Key<TierRecordRow> = Key::whole("position", |row| json!(row.position));
const CODE: Key<TierRecordRow> = Key::text("code", |row| json!(row.code));

static SUBSCRIBER: Select<Subscriber> = Select::new(
    "subscription.partner_uuid, partner.company_name, subscription.state, subscription.started_at,
     subscription.period_end,
     (select price_amount_minor from tier where tier.tier_uuid = subscription.tier_uuid) = 0 as is_free,
     (select count(*) from entitlement_override as own
       where own.partner_uuid = subscription.partner_uuid
         and (own.expires_at is null or own.expires_at > labs_now())) as overrides_count",
    "subscription join partner on partner.partner_uuid = subscription.partner_uuid",
);

/// List of the partners on a tier, newest first.
pub(super) static SUBSCRIBERS: ListQuery<Uuid, Subscriber, FixedOrder> = ListQuery {
    operation: "subscription_tiers_list_subscribers",
    select: &SUBSCRIBER,
    within: &[Condition { sql: "subscription.tier_uuid = {}", value: |tier_uuid| Some((*tier_uuid).into()) }],
    conditions: &[],
    order: |FixedOrder| const { &[STARTED.descending(), PARTNER.descending()] },
};

const STARTED: Key<Subscriber> = Key::moment("subscription.started_at", |row| json!(row.started_at));
const PARTNER: Key<Subscriber> = Key::id("subscription.partner_uuid", |row| json!(row.partner_uuid));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub static STATEMENTS: [&dyn Statements; 3] = [&TIERS, &BY_UUID, &SUBSCRIBERS];
