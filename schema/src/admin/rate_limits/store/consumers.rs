//! The statements of the list of those who use most of their budget.

use serde_json::json;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;

/// What the list is narrowed to.
#[derive(Debug)]
pub(in super::super) struct Filter {
    /// `partner`, `client`, `staff`.
    pub(in super::super) kind: Option<Vec<String>>,
    /// At least so many ten-thousandths of the budget.
    pub(in super::super) share_from: Option<i64>,
    /// The budget of accounts that belong to no partner.
    pub(in super::super) own_daily_requests: i64,
}

/// The orders of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Order {
    LargestShareFirst,
    MostUsedFirst,
}

/// What an account has used of its day.
pub(in super::super) struct UseRow {
    pub(in super::super) account: String,
    pub(in super::super) name: Option<String>,
    pub(in super::super) tier_code: Option<String>,
    pub(in super::super) daily_source: Option<String>,
    pub(in super::super) limit: i64,
    pub(in super::super) used: i64,
    /// In ten-thousandths, so that pages are cut exactly.
    pub(in super::super) share: i64,
}

impl UseRow {
    /// The cursor's keys under this order.
    pub(in super::super) fn keys(&self, order: Order) -> Keys {
        let first = match order {
            Order::LargestShareFirst => self.share,
            Order::MostUsedFirst => self.used,
        };
        vec![json!(first), json!(self.account)]
    }
}

/// A page in the order of one column.
macro_rules! ordered {
    ($window:ident, $db:ident, $filter:ident, $column:literal) => {
        paged!(
            $window,
            $db,
            UseRow,
            r#"select account as "account!", budget_account_name(account) as name, tier_code, daily_source,
                   whole as "limit!", used as "used!", share as "share!"
              from (
                  select *, used * 10000 / greatest(whole, 1) as share
                    from (select *, coalesce(daily_requests, $3) as whole from budget_use
                           where day = (labs_now() at time zone 'UTC')::date) as today
              ) as shared
             where ($1::text[] is null or kind = any($1)) and ($2::bigint is null or share >= $2)
               and ("#
                + $column
                + ", account) < (coalesce($4, 9223372036854775807), coalesce($5, '~')) order by "
                + $column
                + " desc, account desc",
            $filter.kind.as_deref(),
            $filter.share_from,
            $filter.own_daily_requests,
            $window.key::<i64>(0)?,
            $window.key::<String>(1)?,
        )
    };
}

/// A page of accounts.
pub(in super::super) async fn page(
    db: &Db,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<UseRow>, Fault> {
    Ok(match order {
        Order::LargestShareFirst => ordered!(window, db, filter, "share"),
        Order::MostUsedFirst => ordered!(window, db, filter, "used"),
    }?)
}

/// How many accounts the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from budget_use
            where day = (labs_now() at time zone 'UTC')::date and ($1::text[] is null or kind = any($1))
              and ($2::bigint is null or used * 10000 / greatest(coalesce(daily_requests, $3), 1) >= $2)"#,
        filter.kind.as_deref(),
        filter.share_from,
        filter.own_daily_requests,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
