//! Operations of staff on a partner's entitlements.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{InputType, Json, OutputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use serde_json::{Value, json};
use uuid::Uuid;

use super::rules;
use super::store::{self, EntitlementRow, NewOverride, PartnerRow};
use labs_subscription::changing::SubscriptionChange;
use labs_subscription::entitlements::EntitlementSource;
use labs_subscription::values::{FeatureKind, FeatureValue, ValueInput};

/// Entitlements of a partner, with the data that is required to change them.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerEntitlements {
    /// UUID of the partner.
    partner_uuid: Uuid,
    /// Name of the partner.
    company_name: String,
    /// Code of the partner's tier.
    tier_code: String,
    /// Display name of this tier.
    tier_name: String,
    /// All features, in the order of a pricing page.
    features: Vec<PartnerEntitlement>,
}

/// Entitlement of a partner to one feature.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerEntitlement {
    /// Code by which clients identify the feature.
    code: String,
    /// Display name of the feature.
    name: String,
    /// Kind of the feature, which decides how to read the value.
    kind: FeatureKind,
    /// Value of `limit` or `enabled`, depending on the kind. Null for a `LIMIT` without a cap. Its type depends on the
    /// kind; typed clients read the other two fields.
    value: Option<Json<Value>>,
    /// Value of a `LIMIT`. Null for a limit without a cap, for which `unlimited` is true, and for other kinds.
    limit: Option<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted. Null for a `LIMIT`.
    enabled: Option<bool>,
    /// Whether a `LIMIT` has no cap.
    unlimited: bool,
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Scope that a `SCOPE` grants.
    scope: Option<String>,
    /// Source of the value.
    source: EntitlementSource,
    /// Value without an override.
    tier_value: FeatureValue,
    /// Effective override. Null if no override is effective.
    r#override: Option<EntitlementOverride>,
}

/// A value that overrides the value of the tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct EntitlementOverride {
    /// Reason for the override.
    reason: String,
    /// Staff member who set the override. Null if a machine client set it, or if the account no longer exists.
    set_by: Option<EntitlementSetter>,
    /// Time when the override was set.
    set_at: Time,
    /// Time when the override expires and the tier's value applies again. The request requires it. Null only for an
    /// override that was stored without an expiry time.
    expires_at: Option<Time>,
}

/// The staff member who set an override.
#[derive(serde::Serialize, OutputType)]
pub(super) struct EntitlementSetter {
    /// UUID of the staff member.
    uuid: Uuid,
    /// Name of the staff member.
    name: String,
}

/// Override to set: `limit` or `unlimited` for a `LIMIT`, `enabled` for a `FLAG` or a `SCOPE`. `value` can replace
/// `limit` or `enabled`, or accompany it with the same value. The service returns 422 if the fields contradict each
/// other, and if none of them is present.
#[derive(serde::Deserialize, InputType)]
pub(super) struct EntitlementOverridePut {
    /// Either form in one field. True or false for `FLAG` and `SCOPE`, a number for `LIMIT`.
    value: Option<Json<Value>>,
    /// Value of a `LIMIT`. Not allowed for other kinds. Null is equivalent to omission.
    limit: Option<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted. Not allowed for other kinds. Null is equivalent to omission.
    enabled: Option<bool>,
    /// True for a `LIMIT` without a cap.
    unlimited: Option<bool>,
    /// Reason for the change. Kept in the audit record, and visible to the partner in its events. If the operation
    /// notifies the partner by e-mail, the e-mail contains the reason.
    reason: String,
    /// Expiry time of the override. It must be in the future.
    expires_at: Time,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![admin_entitlements_get, admin_entitlements_put_override, admin_entitlements_delete_override];

/// Get a partner's entitlements.
#[operation(query, access = "labs.admin.subscriptions", audit_partner = "partner_uuid", batched)]
async fn admin_entitlements_get(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerEntitlements, Fault> {
    let partner = note_partner(cx, partner_uuid).await?;
    let rows = store::list_effective(&cx.db, partner_uuid, None).await?;
    Ok(PartnerEntitlements {
        partner_uuid,
        company_name: partner.company_name,
        tier_code: partner.tier_code,
        tier_name: partner.tier_name,
        features: rows.into_iter().map(Into::into).collect(),
    })
}

/// Set a partner's entitlement override.
#[operation(
    mutation,
    access = "labs.admin.subscriptions:write",
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_entitlements_put_override(
    cx: &RequestContext,
    partner_uuid: Uuid,
    feature_code: String,
    body: EntitlementOverridePut,
) -> Result<PartnerEntitlement, Fault> {
    note_partner(cx, partner_uuid).await?;
    let kind = store::get_kind(&cx.db, &feature_code).await?.ok_or_else(|| Fault::not_found("feature"))?;
    let input = ValueInput {
        value: body.value.as_ref().map(|value| &value.0),
        limit: body.limit,
        enabled: body.enabled,
        unlimited: body.unlimited,
    };
    let value = rules::check_override(kind, &input, (body.expires_at, cx.now))?;
    let (caller, change) = (cx.principal()?, SubscriptionChange::by_caller(cx, Some(&body.reason))?);
    change.lock_first(partner_uuid).await?;
    let new = NewOverride {
        partner_uuid,
        feature_code: &feature_code,
        value: &value,
        reason: &body.reason,
        set_by: (caller.kind == PrincipalType::StaffUser).then_some(caller.uuid),
        expires_at: body.expires_at,
    };
    store::put_override(&cx.db, &new).await?;
    let detail = json!({ "feature_code": feature_code, "value": value, "effective_until": body.expires_at });
    change.note(partner_uuid, "OVERRIDE_SET", None, detail).await?;
    let row = store::list_effective(&cx.db, partner_uuid, Some(&feature_code)).await?.pop();
    row.map(Into::into).ok_or_else(|| Fault::not_found("feature"))
}

/// Delete a partner's entitlement override.
#[operation(
    mutation,
    access = "labs.admin.subscriptions:write",
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_entitlements_delete_override(
    cx: &RequestContext,
    partner_uuid: Uuid,
    feature_code: String,
    reason: String,
) -> Result<bool, Fault> {
    note_partner(cx, partner_uuid).await?;
    cx.note_reason(reason.as_str());
    let change = SubscriptionChange::by_caller(cx, Some(&reason))?;
    change.lock_first(partner_uuid).await?;
    if !store::delete(&cx.db, partner_uuid, &feature_code).await? {
        return Err(Fault::not_found("override of this feature for this partner"));
    }
    let detail = json!({ "feature_code": feature_code });
    change.note(partner_uuid, "OVERRIDE_REMOVED", None, detail).await?;
    Ok(true)
}

/// Ensures that the partner exists and names it in the audit record.
async fn note_partner(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerRow, Fault> {
    let partner = store::get_partner(&cx.db, partner_uuid).await?.ok_or_else(|| Fault::not_found("partner"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Partner),
        uuid: Some(partner_uuid),
        label: Some(partner.company_name.clone()),
        partner_uuid: Some(partner_uuid),
    });
    Ok(partner)
}

impl From<EntitlementRow> for PartnerEntitlement {
    fn from(row: EntitlementRow) -> Self {
        let FeatureValue { value, limit, enabled, unlimited } = FeatureValue::of(row.kind, row.value);
        let set_by = row.set_by.zip(row.set_by_name).map(|(uuid, name)| EntitlementSetter { uuid, name });
        let in_force = row.reason.zip(row.set_at).map(|(reason, set_at)| EntitlementOverride {
            reason,
            set_by,
            set_at,
            expires_at: row.expires_at,
        });
        Self {
            code: row.code,
            name: row.name,
            kind: row.kind,
            value,
            limit,
            enabled,
            unlimited,
            unit: row.unit,
            scope: row.scope,
            source: row.source,
            tier_value: FeatureValue::of(row.kind, row.tier_value),
            r#override: in_force,
        }
    }
}
