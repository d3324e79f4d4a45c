//! Every statement about denied networks.

use std::net::IpAddr;

use ipnet::IpNet;
use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// A denied network.
pub(super) struct DenialRow {
    pub(super) denial_uuid: Uuid,
    pub(super) network: String,
    pub(super) reason: String,
    pub(super) in_force: bool,
    pub(super) created_by: Option<Uuid>,
    pub(super) created_by_name: Option<String>,
    pub(super) created_at: Time,
    pub(super) expires_at: Option<Time>,
}

impl DenialRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.denial_uuid)]
    }
}

/// What the list is narrowed to.
#[derive(Debug)]
pub(super) struct Filter {
    /// Networks that hold this address.
    pub(super) address: Option<IpAddr>,
    pub(super) in_force: Option<bool>,
    pub(super) oldest_first: bool,
}

/// A page under the filter; `$tail` places it.
macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            DenialRow,
            r#"select denial_uuid, network::text as "network!", reason,
                   coalesce(expires_at > labs_now(), true) as "in_force!", created_by,
                   person.name as "created_by_name?", network_denial.created_at, expires_at
              from network_denial left join person on person_uuid = created_by
             where ($1::inet is null or network >>= $1)
               and ($2::boolean is null or coalesce(expires_at > labs_now(), true) = $2)"#
                + $tail,
            $filter.address.map(IpNet::from) as Option<IpNet>,
            $filter.in_force,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of denied networks.
pub(super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<DenialRow>, Fault> {
    Ok(if filter.oldest_first {
        filtered!(
            window,
            db,
            filter,
            "
            and (network_denial.created_at, denial_uuid)
                > (coalesce($3, '-infinity'::timestamptz), coalesce($4, '00000000-0000-0000-0000-000000000000'::uuid))
          order by network_denial.created_at, denial_uuid"
        )
    } else {
        filtered!(
            window,
            db,
            filter,
            "
            and (network_denial.created_at, denial_uuid)
                < (coalesce($3, 'infinity'::timestamptz), coalesce($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by network_denial.created_at desc, denial_uuid desc"
        )
    }?)
}

/// How many denied networks the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from network_denial
            where ($1::inet is null or network >>= $1)
              and ($2::boolean is null or coalesce(expires_at > labs_now(), true) = $2)"#,
        filter.address.map(IpNet::from) as Option<IpNet>,
        filter.in_force,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A denied network.
pub(super) async fn get(db: &Db, denial_uuid: Uuid) -> Result<Option<DenialRow>, Fault> {
    Ok(sqlx::query_as!(
        DenialRow,
        r#"select denial_uuid, network::text as "network!", reason,
                  coalesce(expires_at > labs_now(), true) as "in_force!", created_by,
                  person.name as "created_by_name?", network_denial.created_at, expires_at
             from network_denial left join person on person_uuid = created_by
            where denial_uuid = $1"#,
        denial_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A denial to be.
pub(super) struct NewDenial<'a> {
    pub(super) denial_uuid: Uuid,
    pub(super) network: IpNet,
    pub(super) reason: &'a str,
    /// The internal person who made it; a program is no person.
    pub(super) created_by: Option<Uuid>,
    pub(super) expires_at: Option<Time>,
}

/// Denies a network, in place of a denial whose time is over.
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
            "This network is denied already. To give it another reason or end, lift that denial and make a new one.",
        )),
        done => done.map(drop).map_err(Fault::from),
    }
}

/// Lifts a denial; the network that it was of.
pub(super) async fn delete(db: &Db, denial_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"delete from network_denial where denial_uuid = $1 returning network::text as "network!""#,
        denial_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
