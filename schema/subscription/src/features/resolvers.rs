//! Resolvers of features for staff.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{Created, InputType, Json, MaybeUndefined, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::time::Time;
use serde_json::Value;

use super::list::{BY_CODE, FEATURES, FeatureFilter, FeatureRow};
use super::rules;
use super::store::{self, FeatureChange, NewFeature};
use crate::tiers;
use crate::values::{FeatureKind, FeatureValue, ValueInput};

/// A feature that a tier can grant.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Feature {
    /// Stable code of the feature. It never changes.
    code: String,
    /// Kind of the feature. It never changes.
    kind: FeatureKind,
    /// Display name of the feature.
    name: String,
    /// Description of the feature. Empty if not set.
    description: String,
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Scope that a `SCOPE` grants.
    scope: Option<String>,
    /// Value of the feature if a tier sets none. `default_limit` or `default_enabled` contains the same value,
    /// according to the kind. Null for a `LIMIT` without a cap. Its type depends on the kind. Read the other two fields
    /// where types matter.
    default_value: Option<Json<Value>>,
    /// Number of a `LIMIT` if a tier sets none. Null for a limit without a cap, where `default_unlimited` is true, and
    /// for the other kinds.
    default_limit: Option<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted if a tier sets no value. Null for a `LIMIT`.
    default_enabled: Option<bool>,
    /// Whether the feature is a `LIMIT` without a cap if a tier sets no value.
    default_unlimited: bool,
    /// Position on the pricing page, in ascending order.
    position: i32,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
}

/// A new feature.
#[derive(serde::Deserialize, InputType)]
pub(super) struct FeatureCreate {
    /// Stable code of the feature.
    code: String,
    /// Kind of the feature.
    kind: FeatureKind,
    /// Display name of the feature. 1 to 80 characters.
    name: String,
    /// Description of the feature.
    description: Option<String>,
    /// Unit that a `LIMIT` counts. Not allowed for other kinds.
    unit: Option<String>,
    /// Scope that a `SCOPE` grants. No other feature may grant the same scope. Scopes under `labs.admin` are not
    /// allowed. Not allowed for other kinds.
    scope: Option<String>,
    /// Value of the feature if a tier sets none: true or false for `FLAG` and `SCOPE`, a number for `LIMIT`. It can
    /// replace `default_limit` or `default_enabled`, or accompany it if they agree. The service returns 422 if they
    /// disagree.
    default_value: Option<Json<Value>>,
    /// Number of a `LIMIT` if a tier sets none. Not allowed for other kinds. Null counts as omitted.
    default_limit: Option<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted if a tier sets no value. Not allowed for other kinds. Null counts as
    /// omitted.
    default_enabled: Option<bool>,
    /// True for a `LIMIT` without a cap if a tier sets no value. Replaces `default_limit`.
    default_unlimited: Option<bool>,
    /// Position on the pricing page, in ascending order.
    position: Option<i32>,
}

/// A merge patch of a feature (RFC 7396). Omitted fields stay unchanged. Code, kind and scope never change.
#[derive(serde::Deserialize, InputType)]
pub(super) struct FeatureUpdate {
    /// Display name of the feature. 1 to 80 characters.
    name: Option<String>,
    /// Description of the feature.
    #[serde(default)]
    description: MaybeUndefined<String>,
    /// Unit that a `LIMIT` counts. Not allowed for other kinds.
    #[serde(default)]
    unit: MaybeUndefined<String>,
    /// Value of the feature if a tier sets none: true or false for `FLAG` and `SCOPE`, a number for `LIMIT`. It can
    /// replace `default_limit` or `default_enabled`, or accompany it if they agree. The service returns 422 if they
    /// disagree.
    #[serde(default)]
    default_value: MaybeUndefined<Json<Value>>,
    /// Number of a `LIMIT` if a tier sets none. Not allowed for other kinds. Null counts as omitted.
    #[serde(default)]
    default_limit: MaybeUndefined<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted if a tier sets no value. Not allowed for other kinds. Null counts as
    /// omitted.
    #[serde(default)]
    default_enabled: MaybeUndefined<bool>,
    /// True for a `LIMIT` without a cap if a tier sets no value. Replaces `default_limit`.
    default_unlimited: Option<bool>,
    /// Position on the pricing page, in ascending order.
    position: Option<i32>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![subscription_features_list, subscription_features_create, subscription_features_update];

/// List features.
#[operation(query, access = "labs.admin.tiers")]
async fn subscription_features_list(
    cx: &RequestContext,
    filter: Option<FeatureFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Feature>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = FEATURES.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
    let total = FEATURES.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Create a feature.
#[operation(mutation, access = "labs.admin.tiers:write")]
async fn subscription_features_create(cx: &RequestContext, body: FeatureCreate) -> Result<Created<Feature>, Fault> {
    let mut errors = Vec::new();
    note(cx, &body.code);
    let name = rules::name(&body.name, &mut errors);
    rules::scope(body.kind, body.scope.as_deref(), &mut errors);
    let unit = rules::unit(body.kind, body.unit.as_deref(), &mut errors);
    let input = ValueInput {
        value: body.default_value.as_ref().map(|value| &value.0),
        limit: body.default_limit,
        enabled: body.default_enabled,
        unlimited: body.default_unlimited,
    };
    let default = rules::default_value(body.kind, &input, &mut errors);
    let Some(default_value) = default.filter(|_| errors.is_empty()) else { return Err(Fault::invalid(errors)) };
    let new = NewFeature {
        code: &body.code,
        kind: body.kind.name(),
        name: &name,
        description: body.description.as_deref().unwrap_or_default().trim(),
        unit: unit.as_deref(),
        scope: body.scope.as_deref(),
        default_value,
        position: body.position,
    };
    tiers::lock_changes(&cx.db).await?;
    store::insert(&cx.db, &new).await?;
    rules::ensure_few_features(FEATURES.count(&cx.db, &FeatureFilter::default()).await?)?;
    Ok(Created::new(body.code.as_str(), load_feature(cx, &body.code).await?))
}

/// Update a feature.
#[operation(mutation, access = "labs.admin.tiers:write")]
async fn subscription_features_update(
    cx: &RequestContext,
    feature_code: String,
    body: FeatureUpdate,
) -> Result<Feature, Fault> {
    let mut errors = Vec::new();
    note(cx, &feature_code);
    let kind = store::lock(&cx.db, &feature_code).await?.ok_or_else(err_not_found)?;
    let name = body.name.as_deref().map(|name| rules::name(name, &mut errors));
    let unit = match &body.unit {
        MaybeUndefined::Undefined => None,
        input => Some(rules::unit(kind, input.value().map(String::as_str), &mut errors)),
    };
    let default = default_said(&body);
    let says_default = default.is_some();
    let default_value = default.and_then(|input| rules::default_value(kind, &input, &mut errors));
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let change = FeatureChange {
        name: name.as_deref(),
        description: body.description.as_opt_deref().map(|text| text.unwrap_or_default().trim()),
        has_unit: unit.is_some(),
        unit: unit.flatten(),
        default_value,
        position: body.position,
    };
    store::update(&cx.db, &feature_code, &change).await?;
    if says_default {
        tiers::ensure_way_out(&cx.db, None).await?;
    }
    load_feature(cx, &feature_code).await
}

/// Returns the default given in a patch; `None` if the patch does not contain one.
fn default_said(body: &FeatureUpdate) -> Option<ValueInput<'_>> {
    let says = !body.default_value.is_undefined()
        || !body.default_limit.is_undefined()
        || !body.default_enabled.is_undefined()
        || body.default_unlimited.is_some();
    says.then(|| ValueInput {
        value: body.default_value.value().map(|value| &value.0),
        limit: body.default_limit.value().copied(),
        enabled: body.default_enabled.value().copied(),
        unlimited: body.default_unlimited,
    })
}

/// Loads the current feature.
async fn load_feature(cx: &RequestContext, code: &str) -> Result<Feature, Fault> {
    Ok(BY_CODE.fetch_one(&cx.db, [code.into()]).await?.ok_or_else(err_not_found)?.into())
}

fn note(cx: &RequestContext, code: &str) {
    let kind = Some(AuditTargetKind::Feature);
    cx.note_target(Target { kind, uuid: None, label: Some(code.to_owned()), partner_uuid: None });
}

fn err_not_found() -> Fault {
    Fault::not_found("feature")
}

impl From<FeatureRow> for Feature {
    fn from(row: FeatureRow) -> Self {
        let default = FeatureValue::of(row.kind, row.default_value);
        Self {
            code: row.feature_code,
            kind: row.kind,
            name: row.name,
            description: row.description,
            unit: row.unit,
            scope: row.scope,
            default_value: default.value,
            default_limit: default.limit,
            default_enabled: default.enabled,
            default_unlimited: default.unlimited,
            position: row.position,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}
