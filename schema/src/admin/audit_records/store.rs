//! Every statement that reads the audit log.
//!
//! A page is read in two steps: first which records, from the one index that suits the filter and the order, then
//! what they say. So there are many ways to find, all of them small, and one way to show.

pub(super) mod summary;

use serde::Deserialize;
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use super::filter::{Filter, Lead, Order, Place, Span};
use crate::db::Db;
use crate::fault::Fault;
use crate::time::Time;

/// A record with its differences and its seal.
pub(super) struct RecordRow {
    pub(super) record_uuid: Uuid,
    pub(super) recorded_at: Time,
    pub(super) operation: String,
    pub(super) channel: String,
    pub(super) outcome: String,
    pub(super) code: Option<String>,
    pub(super) actor_kind: String,
    pub(super) actor_uuid: Option<Uuid>,
    pub(super) actor_label: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) target_kind: Option<String>,
    pub(super) target_uuid: Option<Uuid>,
    pub(super) target_label: Option<String>,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) reason: Option<String>,
    pub(super) request_id: Option<String>,
    pub(super) address: Option<String>,
    pub(super) changes: Json<Vec<ChangeRow>>,
    pub(super) position: Option<i64>,
    pub(super) hash: Option<Vec<u8>>,
}

/// What became of one row.
#[derive(Deserialize)]
pub(super) struct ChangeRow {
    pub(super) thing: String,
    pub(super) action: String,
    pub(super) uuid: Option<Uuid>,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
}

/// Places that a statement answers at most: a page of the largest size, and one more to see whether others follow.
pub(super) const PLACES: usize = 101;

/// The one text of the statements that find places. The filters stand in one `coalesce`, because the planner takes each
/// of them for a narrow one, and would rather fetch and sort all that it expects than follow the order of an index.
macro_rules! places {
    ($db:expr, $filter:expr, $span:expr, $from:expr, $within:literal, $order:literal) => {
        sqlx::query_as!(
            Place,
            r#"select recorded_at as "recorded_at!: Time", record_uuid as "record_uuid!" from "#
                + $from
                + " and coalesce(
                    ($1::uuid[] is null or actor_uuid = any($1)) and ($2::text[] is null or actor_kind = any($2))
                    and ($3::text[] is null or operation = any($3)) and ($4::text[] is null or outcome = any($4))
                    and ($5::uuid[] is null or target_uuid = any($5)) and ($6::uuid[] is null or partner_uuid = any($6))
                    and ($7::text[] is null or request_id = any($7)) and ($8::text[] is null or channel = any($8)),
                    false) and "
                + $within
                + " order by "
                + $order
                + " limit 101) as found order by "
                + $order
                + " limit 101",
            $filter.actor_uuid.as_deref(),
            $filter.actor_kind.as_deref(),
            $filter.operation.as_deref(),
            $filter.outcome.as_deref(),
            $filter.target_uuid.as_deref(),
            $filter.partner_uuid.as_deref(),
            $filter.request_id.as_deref(),
            $filter.channel.as_deref(),
            $span.end as Time,
            $span.after.recorded_at as Time,
            $span.after.record_uuid,
        )
        .fetch_all(&mut *$db.conn().await?)
        .await?
    };
}

/// A statement that takes the values of the leading filter one by one, so that each reads its own stretch of that
/// filter's index in the list's order, however many they are.
macro_rules! led {
    ($db:expr, $filter:expr, $span:expr, $values:literal, $column:literal, $within:literal, $order:literal) => {
        places!(
            $db,
            $filter,
            $span,
            "unnest("
                + $values
                + ") as wanted (value) cross join lateral (select recorded_at, record_uuid from audit_log where "
                + $column
                + " = wanted.value",
            $within,
            $order
        )
    };
}

/// The statements of one direction: the index of the leading filter serves each.
macro_rules! page_in {
    ($db:expr, $filter:expr, $span:expr, $within:literal, $order:literal) => {
        match $filter.lead() {
            Lead::Request => led!($db, $filter, $span, "$7::text[]", "request_id", $within, $order),
            Lead::Target => led!($db, $filter, $span, "$5::uuid[]", "target_uuid", $within, $order),
            Lead::Actor => led!($db, $filter, $span, "$1::uuid[]", "actor_uuid", $within, $order),
            Lead::Partner => led!($db, $filter, $span, "$6::uuid[]", "partner_uuid", $within, $order),
            Lead::Operation => led!($db, $filter, $span, "$3::text[]", "operation", $within, $order),
            Lead::Outcome => led!($db, $filter, $span, "$4::text[]", "outcome", $within, $order),
            Lead::Time => places!(
                $db,
                $filter,
                $span,
                "(select recorded_at, record_uuid from audit_log where true",
                $within,
                $order
            ),
        }
    };
}

/// The next places of a span, of those that the filter finds.
pub(super) async fn page(db: &Db, filter: &Filter, span: Span) -> Result<Vec<Place>, Fault> {
    Ok(match span.order {
        Order::LatestFirst => page_in!(
            db,
            filter,
            span,
            "recorded_at >= $9 and (recorded_at, record_uuid) < ($10::timestamptz, $11::uuid)",
            "recorded_at desc, record_uuid desc"
        ),
        Order::EarliestFirst => page_in!(
            db,
            filter,
            span,
            "recorded_at < $9 and (recorded_at, record_uuid) > ($10::timestamptz, $11::uuid)",
            "recorded_at, record_uuid"
        ),
    })
}

/// How many records the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from audit_log
            where ($1::uuid[] is null or actor_uuid = any($1)) and ($2::text[] is null or actor_kind = any($2))
              and ($3::text[] is null or operation = any($3)) and ($4::text[] is null or outcome = any($4))
              and ($5::uuid[] is null or target_uuid = any($5)) and ($6::uuid[] is null or partner_uuid = any($6))
              and ($7::text[] is null or request_id = any($7)) and ($8::text[] is null or channel = any($8))
              and recorded_at >= $9 and recorded_at < $10"#,
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
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// These records, in this order. One that is not there is left out.
pub(super) async fn get(db: &Db, wanted: &[Uuid]) -> Result<Vec<RecordRow>, Fault> {
    Ok(sqlx::query_as!(
        RecordRow,
        r#"select l.record_uuid, recorded_at, operation, channel, outcome, code, actor_kind, actor_uuid, actor_label,
                  scope, target_kind, target_uuid, target_label, partner_uuid, reason, request_id,
                  host(address) as address, coalesce((
                      select jsonb_agg(jsonb_build_object('thing', thing, 'action', action, 'uuid', thing_uuid,
                                 'before', before, 'after', after) order by c.position)
                        from (select * from audit_change where record_uuid = l.record_uuid
                               order by position limit 10000) as c
                  ), '[]') as "changes!: Json<Vec<ChangeRow>>", s.position as "position?", s.hash as "hash?"
             from unnest($1::uuid[]) with ordinality as wanted (record_uuid, place)
             join audit_log as l on l.record_uuid = wanted.record_uuid
             left join audit_seal as s on s.record_uuid = l.record_uuid
            order by wanted.place"#,
        wanted
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// The database's time: in a transaction, that of its beginning, which is also when its audit record was recorded.
pub(super) async fn now(db: &Db) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(r#"select labs_now() as "now!: Time""#).fetch_one(&mut *db.conn().await?).await?)
}

/// Up to when, at most up to a moment, every record is there: what was begun before may still be open and leave one.
pub(super) async fn settled(db: &Db, wanted: Time) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(r#"select audit_settled($1) as "settled!: Time""#, wanted as Time)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}
