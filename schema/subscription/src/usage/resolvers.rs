//! Resolvers of a partner's usage.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{remaining, warning_at};
use super::store::{self, DeprecatedCallRow, LimitRow, RatesRow};
use crate::entitlements::EntitlementSource;
use crate::values::cap;

/// Each limit with its current usage.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SubscriptionUsage {
    /// UUID of the partner.
    partner_uuid: Uuid,
    /// Code of the tier.
    tier_code: String,
    /// Every limit, in the order for a pricing page.
    limits: Vec<LimitUse>,
    /// Request budgets.
    requests: RequestUse,
    /// Deprecated elements that the partner's users and machine clients called in the last 14 days, by machine client,
    /// earliest sunset first. A response field counts with every call of an operation that returns it.
    deprecated_calls: Vec<DeprecatedCall>,
}

/// Calls of a deprecated element.
#[derive(serde::Serialize, OutputType)]
pub(super) struct DeprecatedCall {
    /// UUID of the deprecation.
    deprecation_uuid: Uuid,
    /// Deprecated operation, or the operation that takes the deprecated parameter or parameter value. Null for a field
    /// of a schema and for a value of a field.
    operation_id: Option<String>,
    /// Query or header parameter. Null for a deprecated operation or field.
    parameter: Option<String>,
    /// Schema of the contract that contains the field. Null for a deprecated operation or parameter.
    schema: Option<String>,
    /// Name of the field. Null for a deprecated operation or parameter.
    field: Option<String>,
    /// Deprecated value of the parameter or field. Null if the whole element is deprecated.
    value: Option<String>,
    /// Machine client that called. Null for users, and for calls from before the deprecation.
    client_uuid: Option<Uuid>,
    /// Name of the machine client.
    program: Option<String>,
    /// Number of calls.
    requests: i64,
    /// Time of the last call.
    last_called_at: Time,
    /// Sunset: time when the element is removed.
    sunset_at: Time,
    /// Instructions for replacing the deprecated call, as Markdown. Empty until the changelog entry is released.
    replacement: String,
    /// Operation to call instead. Null until the changelog entry is released.
    replacement_operation_id: Option<String>,
    /// Slug of the changelog entry that announces the deprecation. Null until the entry is released.
    changelog_slug: Option<String>,
}

/// A limit with its current usage.
#[derive(serde::Serialize, OutputType)]
pub(super) struct LimitUse {
    /// Code of the feature.
    code: String,
    /// Display name of the feature.
    name: String,
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Allowed number. Null if unlimited.
    limit: Option<i64>,
    /// Whether the limit has no cap.
    unlimited: bool,
    /// Source of the limit.
    source: EntitlementSource,
    /// Number in use. Higher than the limit if the limit was reduced later. Null if nothing is counted.
    used: Option<i64>,
    /// Number that can still be added. Null if unlimited, and if nothing is counted.
    remaining: Option<i64>,
}

/// Request budgets, shared by all users and machine clients of a partner.
#[derive(serde::Serialize, OutputType)]
pub(super) struct RequestUse {
    /// Requests per second.
    burst_per_second: i32,
    /// Source of the burst budget.
    burst_source: EntitlementSource,
    /// Requests per day, in UTC.
    daily_limit: i64,
    /// Source of the daily budget.
    daily_source: EntitlementSource,
    /// Number of requests reserved today. Each replica of the service reserves a share ahead of its use.
    daily_used: i64,
    /// Number of requests that can still be reserved today.
    daily_remaining: i64,
    /// Time when the daily budget is reset.
    daily_resets_at: Time,
    /// Number of requests at which administrators and developers get an e-mail, once a day: 80 % of the daily budget.
    warning_at: i64,
    /// Time of today's e-mail. Null if it was not sent today.
    warned_at: Option<Time>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![subscription_usage_get];

/// Get the current subscription's usage.
#[operation(query, access = "subscription")]
async fn subscription_usage_get(cx: &RequestContext) -> Result<SubscriptionUsage, Fault> {
    let owner = cx.owner()?;
    let rates = store::rates(&cx.db, owner).await?;
    let rates = rates.ok_or_else(|| Fault::internal("a partner without subscription"))?;
    let limits = store::limits(&cx.db, owner).await?;
    let deprecated_calls = store::deprecated_calls_page(&cx.db, owner).await?;
    Ok(SubscriptionUsage {
        partner_uuid: owner.uuid(),
        tier_code: rates.tier_code.clone(),
        limits: limits.into_iter().map(Into::into).collect(),
        requests: rates.into(),
        deprecated_calls: deprecated_calls.into_iter().map(Into::into).collect(),
    })
}

impl From<LimitRow> for LimitUse {
    fn from(row: LimitRow) -> Self {
        let limit = cap(&row.value);
        Self {
            code: row.code,
            name: row.name,
            unit: row.unit,
            limit,
            unlimited: limit.is_none(),
            source: row.source,
            used: row.used,
            remaining: remaining(limit, row.used),
        }
    }
}

impl From<DeprecatedCallRow> for DeprecatedCall {
    fn from(row: DeprecatedCallRow) -> Self {
        Self {
            deprecation_uuid: row.deprecation_uuid,
            operation_id: row.operation_id,
            parameter: row.parameter,
            schema: row.schema_name,
            field: row.field,
            value: row.value,
            client_uuid: row.client_uuid,
            program: row.program,
            requests: row.requests,
            last_called_at: row.last_called_at,
            sunset_at: row.sunset_at,
            replacement: row.replacement,
            replacement_operation_id: row.replacement_operation_id,
            changelog_slug: row.entry_slug,
        }
    }
}

impl From<RatesRow> for RequestUse {
    fn from(row: RatesRow) -> Self {
        Self {
            burst_per_second: row.burst_per_second,
            burst_source: row.burst_source,
            daily_limit: row.daily_requests,
            daily_source: row.daily_source,
            daily_used: row.used,
            daily_remaining: row.daily_requests.saturating_sub(row.used).max(0),
            daily_resets_at: row.resets_at,
            warning_at: warning_at(row.daily_requests),
            warned_at: row.warned_at,
        }
    }
}
