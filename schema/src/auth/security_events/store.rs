//! Every statement about the security ledger.

use std::net::IpAddr;

use uuid::Uuid;

use super::SecurityEvent;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::Window;
use crate::paged;
use crate::time::Time;

/// An entry of a person's ledger.
pub(super) struct EventRow {
    pub(super) event_uuid: Uuid,
    pub(super) occurred_at: Time,
    pub(super) kind: String,
    pub(super) outcome: String,
    pub(super) session_uuid: Option<Uuid>,
    pub(super) address: Option<String>,
    pub(super) user_agent: Option<String>,
}

/// What a list is narrowed to.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) kind: Option<Vec<String>>,
    pub(super) outcome: Option<Vec<String>>,
    pub(super) occurred_at_from: Option<Time>,
    pub(super) occurred_at_until: Option<Time>,
}

/// Writes an entry.
pub(super) async fn insert(
    db: &Db,
    event_uuid: Uuid,
    event: &SecurityEvent<'_>,
    address: Option<IpAddr>,
    user_agent: Option<&str>,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into security_event (event_uuid, occurred_at, kind, outcome, person_uuid, client_uuid, partner_uuid, session_uuid, address, user_agent)
         values ($1, labs_now(), $2, $3, $4, $5, $6, $7, $8, $9)",
        event_uuid,
        event.kind,
        if event.succeeded { "SUCCEEDED" } else { "FAILED" },
        event.person_uuid,
        event.client_uuid,
        event.partner_uuid,
        event.session_uuid,
        address.map(ipnet::IpNet::from) as Option<ipnet::IpNet>,
        user_agent,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// A page of one person's ledger, the latest first.
pub(super) async fn page(db: &Db, person_uuid: Uuid, filter: &Filter, window: &Window) -> Result<Vec<EventRow>, Fault> {
    Ok(paged!(
        window,
        db,
        EventRow,
        r#"select event_uuid, occurred_at, kind, outcome, session_uuid, host(address) as address, user_agent
             from security_event
            where person_uuid = $1
              and ($2::text[] is null or kind = any($2)) and ($3::text[] is null or outcome = any($3))
              and occurred_at >= coalesce($4, '-infinity'::timestamptz)
              and occurred_at < coalesce($5, 'infinity'::timestamptz)
              and (occurred_at, event_uuid) < (coalesce($6, 'infinity'::timestamptz), coalesce($7, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by occurred_at desc, event_uuid desc"#,
        person_uuid,
        filter.kind.as_deref() as _,
        filter.outcome.as_deref() as _,
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// How many entries of a person's ledger the filter finds.
pub(super) async fn count(db: &Db, person_uuid: Uuid, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from security_event
            where person_uuid = $1
              and ($2::text[] is null or kind = any($2)) and ($3::text[] is null or outcome = any($3))
              and occurred_at >= coalesce($4, '-infinity'::timestamptz)
              and occurred_at < coalesce($5, 'infinity'::timestamptz)"#,
        person_uuid,
        filter.kind.as_deref() as _,
        filter.outcome.as_deref() as _,
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
