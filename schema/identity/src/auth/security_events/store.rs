//! SQL statements about security events.

use std::net::IpAddr;

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::{EventIdentity, NewSecurityEvent};

/// Inserts an event.
pub(super) async fn insert(
    db: &Db,
    event_uuid: Uuid,
    event: &NewSecurityEvent,
    address: Option<IpAddr>,
    user_agent: Option<&str>,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into security_event (event_uuid, occurred_at, kind, outcome, person_uuid, client_uuid, partner_uuid, session_uuid, address, user_agent, detail)
         values ($1, labs_now(), $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, '{}'::jsonb))",
        event_uuid,
        event.kind.name(),
        if event.succeeded { "SUCCEEDED" } else { "FAILED" },
        event.person_uuid,
        event.client_uuid,
        event.partner_uuid,
        event.session_uuid,
        address.map(ipnet::IpNet::from) as Option<ipnet::IpNet>,
        user_agent,
        event.identity.as_ref().map(sqlx::types::Json) as Option<sqlx::types::Json<&EventIdentity>>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
