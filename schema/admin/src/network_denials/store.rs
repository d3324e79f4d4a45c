//! Statements for network denials.

use ipnet::IpNet;
use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::time::Time;
use uuid::Uuid;

/// A network denial to create.
pub(super) struct NewDenial<'a> {
    pub(super) denial_uuid: Uuid,
    pub(super) network: IpNet,
    pub(super) reason: &'a str,
    /// Staff member who created it; `None` if a machine client did.
    pub(super) created_by: Option<Uuid>,
    pub(super) expires_at: Option<Time>,
}

/// Inserts a network denial. Replaces an expired denial of the same network.
pub(super) async fn insert(db: &Db, new: &NewDenial<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "delete from network_denial where network = $1::inet::cidr and expires_at <= labs_now()",
        new.network as IpNet
    )
    .execute(&mut *db.conn().await?)
    .await?;
    let done = sqlx::query!(
        "insert into network_denial (denial_uuid, network, reason, created_by, expires_at)
         values ($1, $2::inet::cidr, $3, $4, $5)",
        new.denial_uuid,
        new.network as IpNet,
        new.reason,
        new.created_by,
        new.expires_at as Option<Time>,
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("network_denial_network_key") => Err(Fault::conflict(
            "This network is already denied. To change its reason or end, lift that denial and create a new one.",
        )),
        done => done.map(drop).map_err(Fault::from),
    }
}

/// Deletes a network denial. Returns its network.
pub(super) async fn delete(db: &Db, denial_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"delete from network_denial where denial_uuid = $1 returning network::text as "network!""#,
        denial_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
