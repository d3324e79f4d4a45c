//! Input and output types of budgets.

use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::Word as _;
use uuid::Uuid;

use super::super::list::{RefusalRow, UseRow};
use super::super::rules::{self, BudgetAccountKind, LimitSource};
use super::super::store::LimitRow;

/// Rate limits of a partner, their current use, and the source of each limit.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerRateLimit {
    /// UUID of the partner.
    partner_uuid: Uuid,
    /// Name of the partner.
    company_name: String,
    /// Tier of the partner's subscription.
    tier_code: String,
    /// Burst budget per second.
    burst: BurstLimit,
    /// Daily budget.
    daily: DailyLimit,
    /// Override of the tier's limits. Null if no override is effective.
    r#override: Option<RateLimitOverride>,
}

/// Burst budget per second.
#[derive(serde::Serialize, OutputType)]
pub(super) struct BurstLimit {
    /// Requests per second.
    limit: i32,
    /// Source of the limit.
    source: LimitSource,
    /// Limit of the tier.
    tier_limit: i32,
}

/// Daily budget, per UTC day.
#[derive(serde::Serialize, OutputType)]
pub(super) struct DailyLimit {
    /// Requests per day.
    limit: i64,
    /// Source of the limit.
    source: LimitSource,
    /// Limit of the tier.
    tier_limit: i64,
    /// Requests that replicas leased today, or since the last reset of the day. The number exceeds the limit if the
    /// limit was lowered afterwards.
    used: i64,
    /// Requests that replicas can still lease today.
    remaining: i64,
    /// Time when the service restores the full budget.
    resets_at: Time,
}

/// Limits that override the limits of the tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct RateLimitOverride {
    /// Requests per second. If null, the limit of the tier applies.
    burst_per_second: Option<i32>,
    /// Requests per day. If null, the limit of the tier applies.
    daily_requests: Option<i64>,
    /// Reason for the override.
    reason: String,
    /// Staff member who set the override. Null if a machine client set it, or if the account no longer exists.
    set_by: Option<LimitSetter>,
    /// Time when the override was set.
    set_at: Time,
    /// Time when the override expires and the tier's limits apply again. The request requires it. Null only for an
    /// override that was stored without an expiry time.
    expires_at: Option<Time>,
}

/// The staff member who set an override.
#[derive(serde::Serialize, OutputType)]
pub(super) struct LimitSetter {
    /// UUID of the staff member.
    uuid: Uuid,
    /// Name of the staff member.
    name: String,
}

/// Limits to set. At least one of the two limits is required.
#[derive(serde::Deserialize, InputType)]
pub(super) struct RateLimitOverridePut {
    /// Requests per second. If null, the limit of the tier applies.
    pub(super) burst_per_second: Option<i32>,
    /// Requests per day. If null, the limit of the tier applies.
    pub(super) daily_requests: Option<i64>,
    /// Reason for the override. Kept with the override and in the audit record. Only staff can read it.
    pub(super) reason: String,
    /// Expiry time of the override. It must be in the future.
    pub(super) expires_at: Time,
}

/// Reason for the reset of a daily budget.
#[derive(serde::Deserialize, InputType)]
pub(super) struct RateLimitReset {
    /// Reason for the reset. Kept in the audit record. Only staff can read it.
    pub(super) reason: Option<String>,
}

/// Account to which a budget belongs.
#[derive(serde::Serialize, OutputType)]
pub(super) struct BudgetAccount {
    /// Kind of account.
    kind: BudgetAccountKind,
    /// UUID of the partner, machine client or staff member.
    uuid: Uuid,
    /// Current name of the account. Null if the account no longer exists.
    name: Option<String>,
}

/// Use of an account's daily budget.
#[derive(serde::Serialize, OutputType)]
pub(super) struct RateLimitConsumer {
    /// Account that owns the budget.
    account: BudgetAccount,
    /// Tier of a partner. Null for other accounts.
    tier_code: Option<String>,
    /// Requests per day.
    limit: i64,
    /// Source of a partner's limit. Null for other accounts, which have a fixed budget.
    source: Option<LimitSource>,
    /// Requests that replicas leased today, or since the last reset of the day. The number exceeds the limit if the
    /// limit was lowered afterwards.
    used: i64,
    /// Requests that replicas can still lease today.
    remaining: i64,
    /// Used share of the limit, truncated to four decimal places. Above 1 if the limit was lowered afterwards. A limit
    /// of 0 is treated as 1.
    share: f64,
}

/// Number of requests to one operation by one account that the service refused within one hour for the same reason.
#[derive(serde::Serialize, OutputType)]
pub struct RateLimitRefusal {
    /// Start of the hour, in UTC.
    hour: Time,
    /// Account whose requests were refused.
    account: BudgetAccount,
    /// Operation id in this contract.
    operation: String,
    /// Code of the responses, as in `code` of the problem document.
    code: String,
    /// Scope that the caller lacked, as in `required_scope` of the problem document. Null for another code.
    required_scope: Option<String>,
    /// Exhausted budget, as in `budget` of the problem document. Null for another code.
    budget: Option<String>,
    /// Number of refused requests.
    refusals: i64,
    /// Time of the last refused request, accurate to a few seconds.
    last_at: Time,
    /// Ids of the last refused requests, newest first, as in `request_id` of the problem document. At most five.
    request_ids: Vec<String>,
}

impl PartnerRateLimit {
    /// Converts a row to its representation.
    pub(super) fn of(partner_uuid: Uuid, row: LimitRow) -> Self {
        let setter = row.set_by.zip(row.set_by_name).map(|(uuid, name)| LimitSetter { uuid, name });
        let in_force = row.reason.zip(row.set_at).map(|(reason, set_at)| RateLimitOverride {
            burst_per_second: row.override_burst_per_second,
            daily_requests: row.override_daily_requests,
            reason,
            set_by: setter,
            set_at,
            expires_at: row.expires_at,
        });
        Self {
            partner_uuid,
            company_name: row.company_name,
            tier_code: row.tier_code,
            burst: BurstLimit {
                limit: row.burst_per_second,
                source: row.burst_source,
                tier_limit: row.tier_burst_per_second,
            },
            daily: DailyLimit {
                limit: row.daily_requests,
                source: row.daily_source,
                tier_limit: row.tier_daily_requests,
                used: row.used,
                remaining: rules::remaining(row.daily_requests, row.used),
                resets_at: rules::day_end(row.read_at),
            },
            r#override: in_force,
        }
    }
}

impl TryFrom<UseRow> for RateLimitConsumer {
    type Error = Fault;

    fn try_from(row: UseRow) -> Result<Self, Fault> {
        Ok(Self {
            account: account(&row.account, row.name)?,
            tier_code: row.tier_code,
            limit: row.limit,
            source: row.daily_source,
            used: row.used,
            remaining: rules::remaining(row.limit, row.used),
            share: row.share as f64 / 10_000.0,
        })
    }
}

impl TryFrom<RefusalRow> for RateLimitRefusal {
    type Error = Fault;

    fn try_from(row: RefusalRow) -> Result<Self, Fault> {
        Ok(Self {
            hour: row.hour,
            account: account(&row.account, row.name)?,
            operation: row.operation,
            code: row.code,
            required_scope: Some(row.required_scope).filter(|scope| !scope.is_empty()),
            budget: Some(row.budget).filter(|budget| !budget.is_empty()),
            refusals: row.refusals,
            last_at: row.last_at,
            request_ids: row.request_ids,
        })
    }
}

/// Parses an account from its name in the tables, for example `partner:<uuid>`.
fn account(text: &str, name: Option<String>) -> Result<BudgetAccount, Fault> {
    let unknown = || Fault::internal(format!("a budget belongs to the unknown account {text}"));
    let (prefix, uuid) = text.split_once(':').ok_or_else(unknown)?;
    let kind = BudgetAccountKind::ALL.iter().copied().find(|kind| kind.prefix() == prefix).ok_or_else(unknown)?;
    Ok(BudgetAccount { kind, uuid: uuid.parse().map_err(|_| unknown())?, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_account_is_parsed_from_name() {
        let uuid = Uuid::from_u128(7);
        for (word, kind) in [
            ("partner", BudgetAccountKind::Partner),
            ("client", BudgetAccountKind::MachineClient),
            ("staff", BudgetAccountKind::StaffUser),
        ] {
            let read = account(&format!("{word}:{uuid}"), None).unwrap();
            assert_eq!((read.kind, read.uuid), (kind, uuid));
            assert_eq!(kind.prefix(), word);
        }
        assert!(account("network:others", None).is_err());
    }
}
