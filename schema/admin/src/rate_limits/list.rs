//! Lists of the accounts with the highest use of their budget and of the refused requests, with filters and orders.

use labs_core::authority::OWN_DAILY_REQUESTS;
use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::{Word as _, words};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::{BudgetAccountKind, LimitSource};

/// Use of an account's daily budget.
#[derive(sqlx::FromRow)]
pub(super) struct UseRow {
    pub(super) account: String,
    pub(super) name: Option<String>,
    pub(super) tier_code: Option<String>,
    pub(super) daily_source: Option<LimitSource>,
    pub(super) limit: i64,
    pub(super) used: i64,
    /// Share of the limit in ten-thousandths, an integer so that pages have exact bounds.
    pub(super) share: i64,
}

/// Source of the current day's budgets. Accounts without a partner have a separate fixed budget, independent of any
/// tier.
const USED_TODAY: &str = "(
    select *, used * 10000 / greatest(whole, 1) as share
      from (select *, coalesce(daily_requests, 5000000) as whole from budget_use
             where day = (labs_now() at time zone 'UTC')::date) as today
) as shared";

const _: () = assert!(OWN_DAILY_REQUESTS == 5_000_000, "USED_TODAY contains this daily budget");

static USE: Select<UseRow> = Select::new(
    "account, budget_account_name(account) as name, tier_code, daily_source, whole as \"limit\", used, share",
    USED_TODAY,
);

/// Filter of the list of consumers. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct RateLimitConsumerFilter {
    account_kind: Option<Vec<BudgetAccountKind>>,
    share_from: Option<f64>,
}

words! {
    /// Orders of consumers.
    pub enum RateLimitConsumerSort {
        /// Largest used share first.
        ShareDesc = "SHARE_DESC",
        /// Most used requests first.
        UsedDesc = "USED_DESC",
    }
}

/// List query of the accounts with the highest use of today's budget.
pub(super) static CONSUMERS: ListQuery<RateLimitConsumerFilter, UseRow, RateLimitConsumerSort> = ListQuery {
    operation: "admin_rate_limits_list_consumers",
    select: &USE,
    within: &[],
    conditions: &[
        Condition { sql: "kind = any({})", value: |of| prefixes(of.account_kind.as_ref()) },
        Condition {
            sql: "share >= {}",
            value: |of| of.share_from.map(|share| SqlValue::Whole((share * 10_000.0).round() as i64)),
        },
    ],
    order: |sort| match sort {
        RateLimitConsumerSort::ShareDesc => const { &[SHARE.descending(), ACCOUNT.descending()] },
        RateLimitConsumerSort::UsedDesc => const { &[USED.descending(), ACCOUNT.descending()] },
    },
};

const SHARE: Key<UseRow> = Key::whole("share", |row| json!(row.share));
const USED: Key<UseRow> = Key::whole("used", |row| json!(row.used));
const ACCOUNT: Key<UseRow> = Key::text("account", |row| json!(row.account));

/// Number of refused requests of an account to an operation in one hour, with the same cause.
#[derive(Clone, sqlx::FromRow)]
pub struct RefusalRow {
    pub(super) hour: Time,
    pub(super) account: String,
    pub(super) name: Option<String>,
    pub(super) operation: String,
    pub(super) code: String,
    pub(super) budget: String,
    pub(super) required_scope: String,
    pub(super) refusals: i64,
    pub(super) last_at: Time,
    pub(super) request_ids: Vec<String>,
}

static REFUSAL: Select<RefusalRow> = Select::new(
    "hour, account, budget_account_name(account) as name, operation, code, budget, required_scope, refusals, last_at,
     request_ids",
    "rate_limit_refusal",
);

/// Edge to the refused requests of each partner, latest hour first.
pub static REFUSALS_OF_EACH: EdgeQuery<RefusalRow> = EdgeQuery {
    operation: "admin_rate_limits_list_refusals",
    argument: "account_uuid",
    select: &REFUSAL,
    condition: "account = 'partner:' || above.uuid::text",
    order: LATEST_FIRST,
};

/// Filter of the refused requests. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct RateLimitRefusalFilter {
    account_kind: Option<Vec<BudgetAccountKind>>,
    account_uuid: Option<Vec<Uuid>>,
    operation: Option<Vec<String>>,
    code: Option<Vec<String>>,
    required_scope: Option<Vec<String>>,
    budget: Option<Vec<String>>,
    hour_from: Option<Time>,
    hour_until: Option<Time>,
}

words! {
    /// Orders of the refused requests.
    pub enum RateLimitRefusalSort {
        /// Latest hour first.
        HourDesc = "HOUR_DESC",
        /// Earliest hour first.
        Hour = "HOUR",
    }
}

/// List query of the refused requests. Conditions without an index are inside a `coalesce`. Otherwise the planner
/// would take them for selective, and read and sort the whole table instead of following its order.
pub(super) static REFUSALS: ListQuery<RateLimitRefusalFilter, RefusalRow, RateLimitRefusalSort> = ListQuery {
    operation: "admin_rate_limits_list_refusals",
    select: &REFUSAL,
    within: &[],
    conditions: &[
        Condition {
            sql: "coalesce(split_part(account, ':', 1) = any({}), false)",
            value: |of| prefixes(of.account_kind.as_ref()),
        },
        Condition {
            sql: "account = any({})",
            value: |of| of.account_uuid.as_deref().filter(|uuids| !uuids.is_empty()).map(accounts),
        },
        Condition { sql: "coalesce(operation = any({}), false)", value: |of| SqlValue::texts(of.operation.as_ref()) },
        Condition { sql: "coalesce(code = any({}), false)", value: |of| SqlValue::texts(of.code.as_ref()) },
        Condition {
            sql: "coalesce(required_scope = any({}), false)",
            value: |of| SqlValue::texts(of.required_scope.as_ref()),
        },
        Condition { sql: "coalesce(budget = any({}), false)", value: |of| SqlValue::texts(of.budget.as_ref()) },
        Condition { sql: "hour >= {}", value: |of| of.hour_from.map(SqlValue::from) },
        Condition { sql: "hour < {}", value: |of| of.hour_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        RateLimitRefusalSort::HourDesc => LATEST_FIRST,
        RateLimitRefusalSort::Hour => const { &[HOUR, REFUSED, OPERATION, CODE, BUDGET, SCOPE] },
    },
};

const LATEST_FIRST: &[Key<RefusalRow>] = &[
    HOUR.descending(),
    REFUSED.descending(),
    OPERATION.descending(),
    CODE.descending(),
    BUDGET.descending(),
    SCOPE.descending(),
];
const HOUR: Key<RefusalRow> = Key::moment("hour", |row| json!(row.hour));
const REFUSED: Key<RefusalRow> = Key::text("account", |row| json!(row.account));
const OPERATION: Key<RefusalRow> = Key::text("operation", |row| json!(row.operation));
const CODE: Key<RefusalRow> = Key::text("code", |row| json!(row.code));
const BUDGET: Key<RefusalRow> = Key::text("budget", |row| json!(row.budget));
const SCOPE: Key<RefusalRow> = Key::text("required_scope", |row| json!(row.required_scope));

/// Returns the prefixes of account names for the kinds of account.
fn prefixes(kinds: Option<&Vec<BudgetAccountKind>>) -> Option<SqlValue> {
    let kinds = kinds.filter(|kinds| !kinds.is_empty())?;
    Some(SqlValue::Texts(kinds.iter().map(|kind| kind.prefix().to_owned()).collect()))
}

/// Returns all account names that these UUIDs may have: a UUID does not show the kind of account.
fn accounts(uuids: &[Uuid]) -> SqlValue {
    let of_kind = |kind: BudgetAccountKind| uuids.iter().map(move |uuid| format!("{}:{uuid}", kind.prefix()));
    SqlValue::Texts(BudgetAccountKind::ALL.iter().copied().flat_map(of_kind).collect())
}

/// Run-time SQL statements of budgets, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 3] = [&CONSUMERS, &REFUSALS, &REFUSALS_OF_EACH];
