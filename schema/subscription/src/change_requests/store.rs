//! SQL statements about tier change requests.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::principal::Owner;
use uuid::Uuid;

use super::rules::TierChangeRequestState;

/// A request locked for a decision.
pub(super) struct LockedRequestRow {
    pub(super) state: TierChangeRequestState,
    pub(super) partner_state: String,
    pub(super) to_tier_code: String,
}

/// Returns the partner of a request; only of the given partner if the caller is a partner.
pub(super) async fn get_partner(db: &Db, request_uuid: Uuid, owner: Option<Owner>) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select partner_uuid from tier_change_request
          where request_uuid = $1 and ($2::uuid is null or partner_uuid = $2)",
        request_uuid,
        owner.map(Owner::uuid),
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Locks a request until the transaction ends; only of the given partner if the caller is a partner. Every code path
/// that settles a request locks the subscription first.
pub(super) async fn lock(db: &Db, request_uuid: Uuid, owner: Option<Owner>) -> Result<Option<LockedRequestRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedRequestRow,
        r#"select r.state as "state: TierChangeRequestState", p.state as partner_state, t.code as to_tier_code
             from tier_change_request as r
             join partner as p on p.partner_uuid = r.partner_uuid
             join tier as t on t.tier_uuid = r.to_tier_uuid
            where r.request_uuid = $1 and ($2::uuid is null or r.partner_uuid = $2)
              for no key update of r"#,
        request_uuid,
        owner.map(Owner::uuid),
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Columns of a new request.
pub(super) struct NewRequest<'a> {
    pub(super) request_uuid: Uuid,
    pub(super) to_tier_uuid: Uuid,
    pub(super) message: &'a str,
    pub(super) state: &'a str,
    pub(super) actor: Actor,
}

/// Inserts a request, from the current tier of the partner.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another request is pending.
pub(super) async fn insert(db: &Db, owner: Owner, new: &NewRequest<'_>) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into tier_change_request (request_uuid, partner_uuid, from_tier_uuid, to_tier_uuid, message, state,
             actor_kind, actor_uuid, decided_at)
         select $1, s.partner_uuid, s.tier_uuid, $3, $4, $5, $6, $7, case when $5 <> 'PENDING' then labs_now() end
           from subscription as s where s.partner_uuid = $2",
        new.request_uuid,
        owner.uuid(),
        new.to_tier_uuid,
        new.message,
        new.state,
        new.actor.kind,
        new.actor.uuid,
    )
    .execute(&mut *db.conn().await?)
    .await;
    match inserted {
        Err(error) if constraint_of(&error) == Some("tier_change_request_pending_key") => {
            Err(Fault::conflict("You already have a pending request. Withdraw it before you create another one."))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

pub(super) async fn set_decided(db: &Db, request_uuid: Uuid, state: &str, reason: Option<&str>) -> Result<(), Fault> {
    sqlx::query!(
        "update tier_change_request set state = $2, decided_at = labs_now(), decision_reason = $3
          where request_uuid = $1",
        request_uuid,
        state,
        reason
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
