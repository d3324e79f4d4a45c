//! Features as staff see them: one, and the list in the order of the pricing page.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::time::Time;
use serde::Serialize;
use serde_json::{Value, json};

use crate::values::FeatureKind;

/// A feature.
#[derive(sqlx::FromRow)]
pub(super) struct FeatureRow {
    pub(super) feature_code: String,
    pub(super) kind: FeatureKind,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) unit: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) default_value: Value,
    pub(super) position: i32,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

static FEATURE: Select<FeatureRow> = Select::new(
    "feature_code, kind, name, description, unit, scope, default_value, position, created_at, updated_at",
    "feature",
);

/// Finds a feature by code.
pub(super) static BY_CODE: Lookup<FeatureRow> = Lookup::new(&FEATURE, &["feature_code = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct FeatureFilter {
    kind: Option<Vec<FeatureKind>>,
    q: Option<String>,
}

/// The list of features.
pub(super) static FEATURES: ListQuery<FeatureFilter, FeatureRow, FixedOrder> = ListQuery {
    operation: "subscription_features_list",
    select: &FEATURE,
    within: &[],
    conditions: &[
        Condition { sql: "kind = any({})", value: |of| SqlValue::words(of.kind.as_ref()) },
        Condition {
            sql: matches_words!("feature_code", "name", "description"),
            value: |of| of.q.as_deref().map(SqlValue::from),
        },
    ],
    order: |FixedOrder| const { &[POSITION, CODE] },
};

const POSITION: Key<FeatureRow> = Key::whole("position", |row| json!(row.position));
const CODE: Key<FeatureRow> = Key::text("feature_code", |row| json!(row.feature_code));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&FEATURES, &BY_CODE];
