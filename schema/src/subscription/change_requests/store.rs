//! Every statement about requests for another tier.

use serde_json::json;
use uuid::Uuid;

use crate::actor::Actor;
use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::principal::Owner;
use crate::time::Time;

/// A request.
pub(crate) struct RequestRow {
    pub(crate) request_uuid: Uuid,
    pub(crate) partner_uuid: Uuid,
    pub(crate) company_name: String,
    pub(crate) from_tier_code: String,
    pub(crate) from_tier_name: String,
    pub(crate) to_tier_code: String,
    pub(crate) to_tier_name: String,
    pub(crate) message: String,
    pub(crate) state: String,
    pub(crate) actor_kind: String,
    pub(crate) actor_uuid: Uuid,
    pub(crate) actor_name: Option<String>,
    pub(crate) created_at: Time,
    pub(crate) decided_at: Option<Time>,
    pub(crate) decision_reason: Option<String>,
}

impl RequestRow {
    /// The cursor's keys of a partner's own list.
    pub(super) fn own_keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.request_uuid)]
    }

    /// The cursor's keys of the staff's list. Null stands for one that is undecided.
    pub(crate) fn keys(&self) -> Keys {
        vec![json!(self.decided_at), json!(self.request_uuid)]
    }
}

/// A page of a partner's own requests, the latest first.
pub(super) async fn page(
    db: &Db,
    owner: Owner,
    states: Option<&[String]>,
    window: &Window,
) -> Result<Vec<RequestRow>, Fault> {
    Ok(paged!(
        window,
        db,
        RequestRow,
        r#"select request_uuid as "request_uuid!", partner_uuid as "partner_uuid!", company_name as "company_name!",
                  from_tier_code as "from_tier_code!", from_tier_name as "from_tier_name!",
                  to_tier_code as "to_tier_code!", to_tier_name as "to_tier_name!", message as "message!",
                  state as "state!", actor_kind as "actor_kind!", actor_uuid as "actor_uuid!", actor_name,
                  created_at as "created_at!", decided_at, decision_reason
             from tier_change_request_shown
            where partner_uuid = $1 and ($2::text[] is null or state = any($2))
              and (created_at, request_uuid) < (coalesce($3, 'infinity'::timestamptz),
                                                coalesce($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by created_at desc, request_uuid desc"#,
        owner.uuid(),
        states,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// What the staff's list is narrowed to.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) state: Option<Vec<String>>,
    pub(crate) partner_uuid: Option<Vec<Uuid>>,
    pub(crate) to_tier_code: Option<Vec<String>>,
    pub(crate) created_at_from: Option<Time>,
    pub(crate) created_at_until: Option<Time>,
}

/// A page of everybody's requests: undecided ones first, of those the one that waits longest; then the latest decided.
pub(crate) async fn any_page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<RequestRow>, Fault> {
    Ok(paged!(
        window,
        db,
        RequestRow,
        r#"select request_uuid as "request_uuid!", partner_uuid as "partner_uuid!", company_name as "company_name!",
                  from_tier_code as "from_tier_code!", from_tier_name as "from_tier_name!",
                  to_tier_code as "to_tier_code!", to_tier_name as "to_tier_name!", message as "message!",
                  state as "state!", actor_kind as "actor_kind!", actor_uuid as "actor_uuid!", actor_name,
                  created_at as "created_at!", decided_at, decision_reason
             from tier_change_request_shown
            where coalesce(($1::text[] is null or state = any($1))
                  and ($2::uuid[] is null or partner_uuid = any($2))
                  and ($3::text[] is null or to_tier_code = any($3))
                  and ($4::timestamptz is null or created_at >= $4)
                  and ($5::timestamptz is null or created_at < $5), false)
              and coalesce(decided_at, 'infinity') <= coalesce($6, 'infinity'::timestamptz)
              and (coalesce(decided_at, 'infinity') < coalesce($6, 'infinity'::timestamptz)
                   or request_uuid > coalesce($7, '00000000-0000-0000-0000-000000000000'::uuid))
            order by coalesce(decided_at, 'infinity') desc, request_uuid"#,
        filter.state.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.to_tier_code.as_deref(),
        filter.created_at_from as Option<Time>,
        filter.created_at_until as Option<Time>,
        window.key::<Option<Time>>(0)?.flatten() as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// How many requests the filter finds.
pub(crate) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from tier_change_request as r join tier as t on t.tier_uuid = r.to_tier_uuid
            where ($1::text[] is null or r.state = any($1)) and ($2::uuid[] is null or r.partner_uuid = any($2))
              and ($3::text[] is null or t.code = any($3)) and ($4::timestamptz is null or r.created_at >= $4)
              and ($5::timestamptz is null or r.created_at < $5)"#,
        filter.state.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.to_tier_code.as_deref(),
        filter.created_at_from as Option<Time>,
        filter.created_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A request; of one partner only, where its partner asks.
pub(super) async fn get(db: &Db, request_uuid: Uuid, owner: Option<Owner>) -> Result<Option<RequestRow>, Fault> {
    Ok(sqlx::query_as!(
        RequestRow,
        r#"select request_uuid as "request_uuid!", partner_uuid as "partner_uuid!", company_name as "company_name!",
                  from_tier_code as "from_tier_code!", from_tier_name as "from_tier_name!",
                  to_tier_code as "to_tier_code!", to_tier_name as "to_tier_name!", message as "message!",
                  state as "state!", actor_kind as "actor_kind!", actor_uuid as "actor_uuid!", actor_name,
                  created_at as "created_at!", decided_at, decision_reason
             from tier_change_request_shown
            where request_uuid = $1 and ($2::uuid is null or partner_uuid = $2)"#,
        request_uuid,
        owner.map(Owner::uuid),
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A request held for a decision.
pub(super) struct HeldRow {
    pub(super) state: String,
    pub(super) partner_state: String,
    pub(super) to_tier_code: String,
}

/// Whose a request is; of one partner only, where its partner asks.
pub(super) async fn partner_get(db: &Db, request_uuid: Uuid, owner: Option<Owner>) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select partner_uuid from tier_change_request
          where request_uuid = $1 and ($2::uuid is null or partner_uuid = $2)",
        request_uuid,
        owner.map(Owner::uuid),
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Holds a request until the transaction ends; of one partner only, where its partner asks. The subscription is held
/// before it, by everybody who settles one.
pub(super) async fn lock(db: &Db, request_uuid: Uuid, owner: Option<Owner>) -> Result<Option<HeldRow>, Fault> {
    Ok(sqlx::query_as!(
        HeldRow,
        "select r.state, p.state as partner_state, t.code as to_tier_code
           from tier_change_request as r
           join partner as p on p.partner_uuid = r.partner_uuid
           join tier as t on t.tier_uuid = r.to_tier_uuid
          where r.request_uuid = $1 and ($2::uuid is null or r.partner_uuid = $2)
            for no key update of r",
        request_uuid,
        owner.map(Owner::uuid),
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A request to be.
pub(super) struct NewRequest<'a> {
    pub(super) request_uuid: Uuid,
    pub(super) to_tier_uuid: Uuid,
    pub(super) message: &'a str,
    pub(super) state: &'a str,
    pub(super) actor: Actor,
}

/// Makes a request from the tier that the partner is on.
///
/// # Errors
/// [`crate::Code::Conflict`] while another is undecided.
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
            Err(Fault::conflict("A request of yours waits for our staff already. Withdraw it before you make another."))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Settles a request.
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
