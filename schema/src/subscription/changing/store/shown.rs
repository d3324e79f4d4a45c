//! Subscriptions as their partners and staff see them.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// A subscription with what is to come.
pub(crate) struct SubscriptionRow {
    pub(crate) partner_uuid: Uuid,
    pub(crate) company_name: String,
    pub(crate) tier_code: String,
    pub(crate) tier_name: String,
    pub(crate) price_amount_minor: i64,
    pub(crate) currency: String,
    pub(crate) billing_period: String,
    pub(crate) state: String,
    pub(crate) started_at: Time,
    pub(crate) period_start: Time,
    pub(crate) period_end: Option<Time>,
    pub(crate) to_come_at: Option<Time>,
    pub(crate) to_come_tier_code: Option<String>,
    pub(crate) to_come_tier_name: Option<String>,
}

/// What the staff's list is narrowed to.
#[derive(Debug)]
pub(crate) struct SubscriptionFilter {
    pub(crate) tier_code: Option<Vec<String>>,
    pub(crate) state: Option<Vec<String>>,
    pub(crate) q: Option<String>,
    /// Whether something is to come.
    pub(crate) pending: Option<bool>,
    pub(crate) period_end_from: Option<Time>,
    pub(crate) period_end_until: Option<Time>,
}

/// The orders of the staff's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderOfSubscriptions {
    NewestFirst,
    OldestFirst,
    ByPeriodEnd,
}

impl SubscriptionRow {
    /// The cursor's keys under this order.
    pub(crate) fn keys(&self, order: OrderOfSubscriptions) -> Keys {
        let first = match order {
            OrderOfSubscriptions::NewestFirst | OrderOfSubscriptions::OldestFirst => json!(self.started_at),
            // Null stands for a subscription without an end; those come last.
            OrderOfSubscriptions::ByPeriodEnd => json!(self.period_end),
        };
        vec![first, json!(self.partner_uuid)]
    }
}

/// A partner's subscription.
pub(crate) async fn subscription_get(db: &Db, partner_uuid: Uuid) -> Result<Option<SubscriptionRow>, Fault> {
    Ok(sqlx::query_as!(
        SubscriptionRow,
        r#"select partner_uuid as "partner_uuid!", company_name as "company_name!", tier_code as "tier_code!",
                  tier_name as "tier_name!", price_amount_minor as "price_amount_minor!", currency as "currency!",
                  billing_period as "billing_period!", state as "state!", started_at as "started_at!",
                  period_start as "period_start!", period_end, to_come_at, to_come_tier_code, to_come_tier_name
             from subscription_shown
            where partner_uuid = $1"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A page under the filter; `$tail` places it.
macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $key:expr, $tail:literal) => {
        paged!(
            $window,
            $db,
            SubscriptionRow,
            r#"select partner_uuid as "partner_uuid!", company_name as "company_name!", tier_code as "tier_code!",
                      tier_name as "tier_name!", price_amount_minor as "price_amount_minor!", currency as "currency!",
                      billing_period as "billing_period!", state as "state!", started_at as "started_at!",
                      period_start as "period_start!", period_end, to_come_at, to_come_tier_code, to_come_tier_name
                 from subscription_shown
                where coalesce(
                    ($3::text[] is null or tier_code = any($3)) and ($4::text[] is null or state = any($4))
                    and ($5::text is null or strpos(lower(company_name), lower($5)) > 0)
                    and ($6::boolean is null or (to_come_at is not null) = $6)
                    and ($7::timestamptz is null or period_end >= $7)
                    and ($8::timestamptz is null or period_end < $8), false)"#
                + $tail,
            $key,
            $window.key::<Uuid>(1)?,
            $filter.tier_code.as_deref(),
            $filter.state.as_deref(),
            $filter.q,
            $filter.pending,
            $filter.period_end_from as Option<Time>,
            $filter.period_end_until as Option<Time>,
        )
    };
}

/// A page of subscriptions.
pub(crate) async fn subscriptions_page(
    db: &Db,
    filter: &SubscriptionFilter,
    order: OrderOfSubscriptions,
    window: &Window,
) -> Result<Vec<SubscriptionRow>, Fault> {
    Ok(match order {
        OrderOfSubscriptions::NewestFirst => filtered!(
            window,
            db,
            filter,
            window.key::<Time>(0)? as Option<Time>,
            "
              and (started_at, partner_uuid) < (coalesce($1, 'infinity'::timestamptz),
                                                coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by started_at desc, partner_uuid desc"
        ),
        OrderOfSubscriptions::OldestFirst => filtered!(
            window,
            db,
            filter,
            window.key::<Time>(0)? as Option<Time>,
            "
              and (started_at, partner_uuid) > (coalesce($1, '-infinity'::timestamptz),
                                                coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
            order by started_at, partner_uuid"
        ),
        // Without a second key this is the first page; with one, no first key stands for a row without an end.
        OrderOfSubscriptions::ByPeriodEnd => filtered!(
            window,
            db,
            filter,
            window.key::<Option<Time>>(0)?.flatten() as Option<Time>,
            "
              and (coalesce(period_end, 'infinity'), partner_uuid) >
                  (coalesce($1, case when $2::uuid is null then '-infinity' else 'infinity' end::timestamptz),
                   coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
            order by coalesce(period_end, 'infinity'), partner_uuid"
        ),
    }?)
}

/// How many subscriptions the filter finds.
pub(crate) async fn subscriptions_count(db: &Db, filter: &SubscriptionFilter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from subscription_shown
            where ($1::text[] is null or tier_code = any($1)) and ($2::text[] is null or state = any($2))
              and ($3::text is null or strpos(lower(company_name), lower($3)) > 0)
              and ($4::boolean is null or (to_come_at is not null) = $4)
              and ($5::timestamptz is null or period_end >= $5)
              and ($6::timestamptz is null or period_end < $6)"#,
        filter.tier_code.as_deref(),
        filter.state.as_deref(),
        filter.q,
        filter.pending,
        filter.period_end_from as Option<Time>,
        filter.period_end_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
