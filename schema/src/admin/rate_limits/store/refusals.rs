//! The statements of the ledger of refusals.

use serde_json::json;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// What the ledger is narrowed to.
#[derive(Debug)]
pub(in super::super) struct Filter {
    /// `partner`, `client`, `staff`.
    pub(in super::super) kind: Option<Vec<String>>,
    /// Names of accounts.
    pub(in super::super) account: Option<Vec<String>>,
    pub(in super::super) operation: Option<Vec<String>>,
    /// `burst`, `daily`.
    pub(in super::super) budget: Option<Vec<String>>,
    pub(in super::super) hour_from: Option<Time>,
    pub(in super::super) hour_until: Option<Time>,
    pub(in super::super) earliest_first: bool,
}

/// How often an account was refused an operation in an hour.
pub(in super::super) struct RefusalRow {
    pub(in super::super) hour: Time,
    pub(in super::super) account: String,
    pub(in super::super) name: Option<String>,
    pub(in super::super) operation: String,
    pub(in super::super) budget: String,
    pub(in super::super) refusals: i64,
    pub(in super::super) last_at: Time,
}

impl RefusalRow {
    /// The cursor's keys.
    pub(in super::super) fn keys(&self) -> Keys {
        vec![json!(self.hour), json!(self.account), json!(self.operation), json!(self.budget)]
    }
}

/// A page under the filter; `$tail` places it.
macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            RefusalRow,
            r#"select hour, account, budget_account_name(account) as name, operation, budget, refusals, last_at
              from rate_limit_refusal
             where ($1::text[] is null or split_part(account, ':', 1) = any($1))
               and ($2::text[] is null or account = any($2)) and ($3::text[] is null or operation = any($3))
               and ($4::text[] is null or budget = any($4)) and ($5::timestamptz is null or hour >= $5)
               and ($6::timestamptz is null or hour < $6)"#
                + $tail,
            $filter.kind.as_deref(),
            $filter.account.as_deref(),
            $filter.operation.as_deref(),
            $filter.budget.as_deref(),
            $filter.hour_from as Option<Time>,
            $filter.hour_until as Option<Time>,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<String>(1)?,
            $window.key::<String>(2)?,
            $window.key::<String>(3)?,
        )
    };
}

/// A page of the ledger.
pub(in super::super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<RefusalRow>, Fault> {
    Ok(if filter.earliest_first {
        filtered!(
            window,
            db,
            filter,
            "
            and (hour, account, operation, budget)
                > (coalesce($7, '-infinity'::timestamptz), coalesce($8, ''), coalesce($9, ''), coalesce($10, ''))
          order by hour, account, operation, budget"
        )
    } else {
        filtered!(
            window,
            db,
            filter,
            "
            and (hour, account, operation, budget)
                < (coalesce($7, 'infinity'::timestamptz), coalesce($8, ''), coalesce($9, ''), coalesce($10, ''))
          order by hour desc, account desc, operation desc, budget desc"
        )
    }?)
}

/// How many rows of the ledger the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from rate_limit_refusal
            where ($1::text[] is null or split_part(account, ':', 1) = any($1))
              and ($2::text[] is null or account = any($2)) and ($3::text[] is null or operation = any($3))
              and ($4::text[] is null or budget = any($4))
              and hour >= coalesce($5, '-infinity'::timestamptz) and hour < coalesce($6, 'infinity'::timestamptz)"#,
        filter.kind.as_deref(),
        filter.account.as_deref(),
        filter.operation.as_deref(),
        filter.budget.as_deref(),
        filter.hour_from as Option<Time>,
        filter.hour_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
