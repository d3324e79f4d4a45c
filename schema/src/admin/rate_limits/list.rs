//! Who uses most of their budget, and who was refused because it was spent: what narrows the two lists, and their orders.

use async_graphql::InputObject;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::{BudgetAccountKind, LimitSource};
use crate::core::authority::OWN_DAILY_REQUESTS;
use crate::core::list::{Bound, Condition, Key, ListQuery, Select, Statements};
use crate::core::time::Time;
use crate::core::words::{Word as _, words};

/// Use of an account's daily budget.
#[derive(sqlx::FromRow)]
pub(super) struct UseRow {
    pub(super) account: String,
    pub(super) name: Option<String>,
    pub(super) tier_code: Option<String>,
    pub(super) daily_source: Option<LimitSource>,
    pub(super) limit: i64,
    pub(super) used: i64,
    /// In ten-thousandths, so that pages are cut exactly.
    pub(super) share: i64,
}

/// What today's budgets come from. Accounts that belong to no partner have a budget of their own, which is no tier's.
const USED_TODAY: &str = "(
    select *, used * 10000 / greatest(whole, 1) as share
      from (select *, coalesce(daily_requests, 5000000) as whole from budget_use
             where day = (labs_now() at time zone 'UTC')::date) as today
) as shared";

const _: () = assert!(OWN_DAILY_REQUESTS == 5_000_000, "USED_TODAY says the budget of accounts without a partner");

static USE: Select<UseRow> = Select::new(
    "account, budget_account_name(account) as name, tier_code, daily_source, whole as \"limit\", used, share",
    USED_TODAY,
);

/// What the list of consumers is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RateLimitConsumerFilter {
    account_kind: Option<Vec<BudgetAccountKind>>,
    share_from: Option<f64>,
}

words! {
    /// The orders of consumers.
    pub(crate) enum RateLimitConsumerSort {
        /// Who used the largest part of their budget first.
        ShareDesc = "SHARE_DESC",
        /// Who used most requests first.
        UsedDesc = "USED_DESC",
    }
}

/// The list of those who use most of their budget of today.
pub(super) static CONSUMERS: ListQuery<RateLimitConsumerFilter, UseRow, RateLimitConsumerSort> = ListQuery {
    operation: "admin_rate_limits_list_consumers",
    select: &USE,
    within: &[],
    conditions: &[
        Condition { sql: "kind = any({})", value: |of| prefixes(of.account_kind.as_ref()) },
        Condition {
            sql: "share >= {}",
            value: |of| of.share_from.map(|share| Bound::Whole((share * 10_000.0).round() as i64)),
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

/// How often an account was refused an operation in an hour.
#[derive(sqlx::FromRow)]
pub(super) struct RefusalRow {
    pub(super) hour: Time,
    pub(super) account: String,
    pub(super) name: Option<String>,
    pub(super) operation: String,
    pub(super) budget: String,
    pub(super) refusals: i64,
    pub(super) last_at: Time,
}

static REFUSAL: Select<RefusalRow> = Select::new(
    "hour, account, budget_account_name(account) as name, operation, budget, refusals, last_at",
    "rate_limit_refusal",
);

/// What the ledger of refusals is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RateLimitRefusalFilter {
    account_kind: Option<Vec<BudgetAccountKind>>,
    account_uuid: Option<Vec<Uuid>>,
    operation: Option<Vec<String>>,
    budget: Option<Vec<String>>,
    hour_from: Option<Time>,
    hour_until: Option<Time>,
}

words! {
    /// The orders of the ledger of refusals.
    pub(crate) enum RateLimitRefusalSort {
        /// The latest hour first.
        HourDesc = "HOUR_DESC",
        /// The earliest first.
        Hour = "HOUR",
    }
}

/// The ledger of refusals. What no index finds stands in a `coalesce`: the planner takes a condition for a narrow one, and
/// would rather read and sort the whole ledger than follow its order.
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
        Condition { sql: "coalesce(operation = any({}), false)", value: |of| Bound::texts(of.operation.as_ref()) },
        Condition { sql: "coalesce(budget = any({}), false)", value: |of| Bound::texts(of.budget.as_ref()) },
        Condition { sql: "hour >= {}", value: |of| of.hour_from.map(Bound::from) },
        Condition { sql: "hour < {}", value: |of| of.hour_until.map(Bound::from) },
    ],
    order: |sort| match sort {
        RateLimitRefusalSort::HourDesc => {
            const { &[HOUR.descending(), REFUSED.descending(), OPERATION.descending(), BUDGET.descending()] }
        }
        RateLimitRefusalSort::Hour => const { &[HOUR, REFUSED, OPERATION, BUDGET] },
    },
};

const HOUR: Key<RefusalRow> = Key::moment("hour", |row| json!(row.hour));
const REFUSED: Key<RefusalRow> = Key::text("account", |row| json!(row.account));
const OPERATION: Key<RefusalRow> = Key::text("operation", |row| json!(row.operation));
const BUDGET: Key<RefusalRow> = Key::text("budget", |row| json!(row.budget));

/// The kinds of account as the names of accounts begin with them.
fn prefixes(kinds: Option<&Vec<BudgetAccountKind>>) -> Option<Bound> {
    let kinds = kinds.filter(|kinds| !kinds.is_empty())?;
    Some(Bound::Texts(kinds.iter().map(|kind| kind.prefix().to_owned()).collect()))
}

/// Every account that one of these may have: a uuid does not say whose it is.
fn accounts(uuids: &[Uuid]) -> Bound {
    let of_kind = |kind: BudgetAccountKind| uuids.iter().map(move |uuid| format!("{}:{uuid}", kind.prefix()));
    Bound::Texts(BudgetAccountKind::ALL.iter().copied().flat_map(of_kind).collect())
}

/// What is asked of budgets in words that the compiler has not checked.
pub(in crate::admin) static STATEMENTS: [&dyn Statements; 2] = [&CONSUMERS, &REFUSALS];
