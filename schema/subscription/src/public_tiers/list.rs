//! Offered tiers: one, and the list in the order of the pricing page.

use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::types::Json;

use super::resolvers::BillingPeriod;
use crate::values::FeatureKind;

/// A tier with the values of its features.
#[derive(sqlx::FromRow)]
pub(super) struct OfferedTierRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) price_amount_minor: i64,
    pub(super) currency: String,
    pub(super) billing_period: BillingPeriod,
    pub(super) self_service: bool,
    pub(super) highlighted: bool,
    pub(super) burst_per_second: i32,
    pub(super) daily_requests: i64,
    position: i32,
    pub(super) features: Json<Vec<OfferedFeatureRow>>,
}

/// A feature and its value: true or false, an integer, or `"unlimited"`.
#[derive(Deserialize)]
pub(super) struct OfferedFeatureRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) kind: FeatureKind,
    pub(super) value: Value,
}

static TIER: Select<OfferedTierRow> = Select::new(
    "code, name, description, price_amount_minor, currency, billing_period, self_service, highlighted, burst_per_second,
     daily_requests, position,
     coalesce((
         select jsonb_agg(jsonb_build_object('code', held.feature_code, 'name', held.name, 'kind', held.kind,
                    'value', held.value) order by held.position, held.feature_code)
           from tier_entitlement as held
          where held.tier_uuid = tier.tier_uuid), '[]') as features",
    "tier",
);

/// Finds an offered tier by code.
pub(super) static BY_CODE: Lookup<OfferedTierRow> = Lookup::new(&TIER, &["state = 'OFFERED'", "code = {}"]);

/// List of offered tiers.
pub(super) static TIERS: ListQuery<(), OfferedTierRow, FixedOrder> = ListQuery {
    operation: "subscription_public_tiers_list",
    select: &TIER,
    within: &[Condition { sql: "state = 'OFFERED'", value: |()| Some(SqlValue::Nothing) }],
    conditions: &[],
    order: |FixedOrder| const { &[POSITION, CODE] },
};

const POSITION: Key<OfferedTierRow> = Key::whole("position", |row| json!(row.position));
const CODE: Key<OfferedTierRow> = Key::text("code", |row| json!(row.code));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub static STATEMENTS: [&dyn Statements; 2] = [&TIERS, &BY_CODE];
