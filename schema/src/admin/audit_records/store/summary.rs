//! The statements that count the log.

use serde_json::json;
use uuid::Uuid;

use super::super::filter::Filter;
use super::super::summary::Apart;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// How many records are alike.
pub(in super::super) struct CountRow {
    pub(in super::super) day: Option<String>,
    pub(in super::super) operation: Option<String>,
    pub(in super::super) outcome: Option<String>,
    pub(in super::super) actor_kind: Option<String>,
    /// Nil for an actor who has none.
    pub(in super::super) actor_uuid: Option<Uuid>,
    /// What the actor is called in their latest record, looked up for the page alone.
    pub(in super::super) actor_label: Option<String>,
    pub(in super::super) records: i64,
}

impl CountRow {
    /// The cursor's keys: what is not counted apart is empty everywhere.
    pub(in super::super) fn keys(&self) -> Keys {
        vec![
            json!(self.day.as_deref().unwrap_or_default()),
            json!(self.operation.as_deref().unwrap_or_default()),
            json!(self.outcome.as_deref().unwrap_or_default()),
            json!(self.actor_kind.as_deref().unwrap_or_default()),
            json!(self.actor_uuid.unwrap_or_default()),
        ]
    }
}

/// A page of counts.
pub(in super::super) async fn page(
    db: &Db,
    filter: &Filter,
    apart: Apart,
    window: &Window,
) -> Result<Vec<CountRow>, Fault> {
    Ok(paged!(
        window,
        db,
        CountRow,
        r#"select day, operation, outcome, actor_kind, actor_uuid, records as "records!",
                  (select l.actor_label from audit_log as l where l.actor_uuid = counted.actor_uuid
                    order by l.recorded_at desc, l.record_uuid desc limit 1) as actor_label
             from (
                 select case when $11 then to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD') end as day,
                        case when $12 then operation end as operation, case when $13 then outcome end as outcome,
                        case when $14 then actor_kind end as actor_kind,
                        case when $14 then coalesce(actor_uuid, '00000000-0000-0000-0000-000000000000') end as actor_uuid,
                        count(*) as records
                   from audit_log
                  where ($1::uuid[] is null or actor_uuid = any($1)) and ($2::text[] is null or actor_kind = any($2))
                    and ($3::text[] is null or operation = any($3)) and ($4::text[] is null or outcome = any($4))
                    and ($5::uuid[] is null or target_uuid = any($5))
                    and ($6::uuid[] is null or partner_uuid = any($6))
                    and ($7::text[] is null or request_id = any($7)) and ($8::text[] is null or channel = any($8))
                    and recorded_at >= $9 and recorded_at < $10
                  group by 1, 2, 3, 4, 5
             ) as counted
            where (coalesce(day, ''), coalesce(operation, ''), coalesce(outcome, ''), coalesce(actor_kind, ''),
                   coalesce(actor_uuid, '00000000-0000-0000-0000-000000000000'))
                > (coalesce($15, ''), coalesce($16, ''), coalesce($17, ''), coalesce($18, ''),
                   coalesce($19, '00000000-0000-0000-0000-000000000000'::uuid))
            order by coalesce(day, ''), coalesce(operation, ''), coalesce(outcome, ''), coalesce(actor_kind, ''),
                   coalesce(actor_uuid, '00000000-0000-0000-0000-000000000000')"#,
        filter.actor_uuid.as_deref(),
        filter.actor_kind.as_deref(),
        filter.operation.as_deref(),
        filter.outcome.as_deref(),
        filter.target_uuid.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.request_id.as_deref(),
        filter.channel.as_deref(),
        filter.from as Time,
        filter.until as Time,
        apart.day,
        apart.operation,
        apart.outcome,
        apart.actor,
        window.key::<String>(0)?,
        window.key::<String>(1)?,
        window.key::<String>(2)?,
        window.key::<String>(3)?,
        window.key::<Uuid>(4)?,
    )?)
}

/// How many counts the filter makes.
pub(in super::super) async fn count(db: &Db, filter: &Filter, apart: Apart) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select from audit_log
                where ($1::uuid[] is null or actor_uuid = any($1)) and ($2::text[] is null or actor_kind = any($2))
                  and ($3::text[] is null or operation = any($3)) and ($4::text[] is null or outcome = any($4))
                  and ($5::uuid[] is null or target_uuid = any($5)) and ($6::uuid[] is null or partner_uuid = any($6))
                  and ($7::text[] is null or request_id = any($7)) and ($8::text[] is null or channel = any($8))
                  and recorded_at >= $9 and recorded_at < $10
                group by case when $11 then (recorded_at at time zone 'UTC')::date end,
                      case when $12 then operation end, case when $13 then outcome end,
                      case when $14 then actor_kind end, case when $14 then actor_uuid end
           ) as counted"#,
        filter.actor_uuid.as_deref(),
        filter.actor_kind.as_deref(),
        filter.operation.as_deref(),
        filter.outcome.as_deref(),
        filter.target_uuid.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.request_id.as_deref(),
        filter.channel.as_deref(),
        filter.from as Time,
        filter.until as Time,
        apart.day,
        apart.operation,
        apart.outcome,
        apart.actor,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
