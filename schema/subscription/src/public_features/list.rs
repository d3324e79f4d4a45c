//! List of the feature matrix, in the order of the pricing page.

use labs_core::list::{FixedOrder, Key, ListQuery, Select, Statements};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::types::Json;

use crate::values::FeatureKind;

/// A feature with its value in each offered tier.
#[derive(sqlx::FromRow)]
pub(super) struct PublicFeatureRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) kind: FeatureKind,
    pub(super) unit: Option<String>,
    pub(super) scope: Option<String>,
    position: i32,
    pub(super) tiers: Json<Vec<ValueRow>>,
}

/// A value in a tier.
#[derive(Deserialize)]
pub(super) struct ValueRow {
    pub(super) tier_code: String,
    pub(super) value: Value,
}

static FEATURE: Select<PublicFeatureRow> = Select::new(
    "feature_code as code, name, description, kind, unit, scope, position,
     coalesce((
         select jsonb_agg(jsonb_build_object('tier_code', tier.code, 'value', held.value)
                    order by tier.position, tier.code)
           from tier
           join tier_entitlement as held on held.tier_uuid = tier.tier_uuid and held.feature_code = feature.feature_code
          where tier.state = 'OFFERED'), '[]') as tiers",
    "feature",
);

/// The list of features.
pub(super) static FEATURES: ListQuery<(), PublicFeatureRow, FixedOrder> = ListQuery {
    operation: "subscription_public_features_list",
    select: &FEATURE,
    within: &[],
    conditions: &[],
    order: |FixedOrder| const { &[POSITION, CODE] },
};

const POSITION: Key<PublicFeatureRow> = Key::whole("position", |row| json!(row.position));
const CODE: Key<PublicFeatureRow> = Key::text("feature_code", |row| json!(row.code));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&FEATURES];
