//! SQL statements about a partner's usage.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use labs_mail::outbox::Recipient;
use serde_json::Value;
use uuid::Uuid;

use crate::entitlements::EntitlementSource;

/// A limit with its usage.
pub(super) struct LimitRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) unit: Option<String>,
    pub(super) value: Value,
    pub(super) source: EntitlementSource,
    pub(super) used: Option<i64>,
}

/// Returns every limit of a partner, in the order of the pricing page.
pub(super) async fn limits(db: &Db, owner: Owner) -> Result<Vec<LimitRow>, Fault> {
    Ok(sqlx::query_as!(
        LimitRow,
        r#"select e.feature_code as "code!", e.name as "name!", e.unit, e.value as "value!",
                  e.source as "source!: EntitlementSource", u.used as "used?"
             from partner_entitlement($1, labs_now()) as e
             left join partner_usage($1) as u on u.feature_code = e.feature_code
            where e.kind = 'LIMIT'
            order by e.feature_position, e.feature_code"#,
        owner.uuid()
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A deprecated element that a partner calls.
pub(super) struct DeprecatedCallRow {
    pub(super) deprecation_uuid: Uuid,
    pub(super) operation_id: Option<String>,
    pub(super) parameter: Option<String>,
    pub(super) schema_name: Option<String>,
    pub(super) field: Option<String>,
    pub(super) value: Option<String>,
    pub(super) client_uuid: Option<Uuid>,
    pub(super) program: Option<String>,
    pub(super) requests: i64,
    pub(super) last_called_at: Time,
    pub(super) sunset_at: Time,
    pub(super) replacement: String,
    pub(super) replacement_operation_id: Option<String>,
    pub(super) entry_slug: Option<String>,
}

/// Returns the deprecated elements that a partner called in the last 14 days, by machine client, earliest sunset first:
/// at most 100.
pub(super) async fn deprecated_calls_page(db: &Db, owner: Owner) -> Result<Vec<DeprecatedCallRow>, Fault> {
    Ok(sqlx::query_as!(
        DeprecatedCallRow,
        r#"select d.deprecation_uuid, d.operation_id, d.parameter, d.schema_name, d.field, d.value, used.client_uuid,
                  program.name as "program?", used.requests as "requests!", used.last_at as "last_called_at!: Time",
                  d.sunset_at as "sunset_at: Time",
                  case when entry.item_uuid is not null then d.replacement else '' end as "replacement!",
                  case when entry.item_uuid is not null then d.replacement_operation_id end as replacement_operation_id,
                  entry.slug as "entry_slug?"
             from (select deprecation_uuid, client_uuid, sum(requests)::bigint as requests, max(last_at) as last_at
                     from deprecation_use
                    where account = 'partner:' || $1::uuid::text
                      and day > (labs_now() at time zone 'UTC')::date - 14
                    group by deprecation_uuid, client_uuid) as used
             join deprecation as d using (deprecation_uuid)
             left join machine_client as program on program.client_uuid = used.client_uuid
             left join publication_item as entry on entry.item_uuid = d.entry_uuid and entry.state = 'RELEASED'
            order by d.sunset_at, d.deprecation_uuid, used.client_uuid
            limit 100"#,
        owner.uuid()
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A partner's budgets.
pub(super) struct RatesRow {
    pub(super) tier_code: String,
    pub(super) burst_per_second: i32,
    pub(super) burst_source: EntitlementSource,
    pub(super) daily_requests: i64,
    pub(super) daily_source: EntitlementSource,
    pub(super) used: i64,
    /// Time when the UTC day ends.
    pub(super) resets_at: Time,
    pub(super) warned_at: Option<Time>,
}

/// Returns a partner's budgets, and today's usage.
pub(super) async fn rates(db: &Db, owner: Owner) -> Result<Option<RatesRow>, Fault> {
    Ok(sqlx::query_as!(
        RatesRow,
        r#"select tier_code as "tier_code!", burst_per_second as "burst_per_second!",
                  burst_source as "burst_source!: EntitlementSource", daily_requests as "daily_requests!",
                  daily_source as "daily_source!: EntitlementSource", granted_today as "used!",
                  ((date '1970-01-02' + today) at time zone 'UTC') as "resets_at!: Time",
                  (select warned_at from daily_budget
                    where account = 'partner:' || partner_uuid::text and day = date '1970-01-01' + today)
                      as "warned_at: Time"
             from partner_rate_limit
            where partner_uuid = $1"#,
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A partner whose daily budget is nearly spent.
pub(super) struct NearlySpent {
    pub(super) partner_uuid: Uuid,
    pub(super) company: String,
    pub(super) used: i64,
    pub(super) limit: i64,
    /// Time when the UTC day ends.
    pub(super) resets_at: Time,
}

/// Returns partners that have used this share of today's budget and were not warned today: at most 500.
pub(super) async fn nearly_spent_page(db: &Db, percent: i64) -> Result<Vec<NearlySpent>, Fault> {
    Ok(sqlx::query_as!(
        NearlySpent,
        r#"select p.partner_uuid, p.company_name as company, used.used as "used!", used.daily_requests as "limit!",
                  ((used.day + 1) at time zone 'UTC') as "resets_at!: Time"
             from budget_use as used
             join partner as p on p.partner_uuid = case when used.kind = 'partner' then substr(used.account, 9)::uuid end
            where used.day = (labs_now() at time zone 'UTC')::date and used.warned_at is null and used.daily_requests > 0
              and used.used * 100 >= used.daily_requests * $1
            order by used.account limit 500"#,
        percent
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Notes the warning of a partner. Returns false if the partner was already warned today.
pub(super) async fn note_warning(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    let noted = sqlx::query!(
        "update daily_budget set warned_at = labs_now()
          where account = 'partner:' || $1::uuid::text and day = (labs_now() at time zone 'UTC')::date
            and warned_at is null",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(noted.rows_affected() > 0)
}

/// Returns the administrators and developers of a partner who want the warning.
pub(super) async fn list_warned_users(db: &Db, partner_uuid: Uuid) -> Result<Vec<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where partner_uuid = $1 and role in ('ADMINISTRATOR', 'DEVELOPER') and state = 'ACTIVE' and quota_mail
            order by created_at, person_uuid"#,
        partner_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
