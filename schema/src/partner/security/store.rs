//! Every statement about a team's security.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::principal::Owner;
use crate::time::Time;

/// A team's policy.
pub(super) struct PolicyRow {
    pub(super) mfa_required: bool,
    pub(super) session_hours: Option<i32>,
}

/// The policy in force.
pub(super) async fn policy_get(db: &Db, owner: Owner) -> Result<Option<PolicyRow>, Fault> {
    Ok(sqlx::query_as!(
        PolicyRow,
        "select mfa_required, session_hours from partner where partner_uuid = $1",
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Puts a policy in force; false when it is in force already.
pub(super) async fn set_policy(
    db: &Db,
    owner: Owner,
    mfa_required: bool,
    session_hours: Option<i32>,
) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update partner set mfa_required = $2, session_hours = $3, updated_at = labs_now()
          where partner_uuid = $1 and (mfa_required, session_hours) is distinct from ($2, $3)",
        owner.uuid(),
        mfa_required,
        session_hours
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// An entry of the team's ledger.
pub(super) struct EventRow {
    pub(super) event_uuid: Uuid,
    pub(super) occurred_at: Time,
    pub(super) kind: String,
    pub(super) outcome: String,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) person_name: Option<String>,
    pub(super) client_uuid: Option<Uuid>,
    pub(super) client_name: Option<String>,
    pub(super) session_uuid: Option<Uuid>,
    pub(super) address: Option<String>,
    pub(super) user_agent: Option<String>,
}

/// What the ledger is narrowed to, and in which order it comes.
#[derive(Debug)]
pub(super) struct Events {
    pub(super) kind: Option<Vec<String>>,
    pub(super) outcome: Option<Vec<String>>,
    pub(super) person_uuid: Option<Vec<Uuid>>,
    pub(super) client_uuid: Option<Vec<Uuid>>,
    pub(super) occurred_at_from: Option<Time>,
    pub(super) occurred_at_until: Option<Time>,
    pub(super) earliest_first: bool,
}

impl EventRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.occurred_at), json!(self.event_uuid)]
    }
}

/// A page of the ledger; whoever has left the team keeps a name as long as the row has one.
macro_rules! events {
    ($window:ident, $db:ident, $owner:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            EventRow,
            r#"select e.event_uuid, e.occurred_at, e.kind, e.outcome, e.person_uuid, p.name as "person_name?",
                   e.client_uuid, c.name as "client_name?", e.session_uuid, host(e.address) as address, e.user_agent
              from security_event as e
              left join person as p on p.person_uuid = e.person_uuid and p.partner_uuid = e.partner_uuid
              left join machine_client as c on c.client_uuid = e.client_uuid and c.partner_uuid = e.partner_uuid
             where e.partner_uuid = $1 and ($2::text[] is null or e.kind = any($2))
               and ($3::text[] is null or e.outcome = any($3)) and ($4::uuid[] is null or e.person_uuid = any($4))
               and ($5::uuid[] is null or e.client_uuid = any($5))
               and ($6::timestamptz is null or e.occurred_at >= $6) and ($7::timestamptz is null or e.occurred_at < $7)"#
                + $tail,
            $owner.uuid(),
            $filter.kind.as_deref(),
            $filter.outcome.as_deref(),
            $filter.person_uuid.as_deref(),
            $filter.client_uuid.as_deref(),
            $filter.occurred_at_from as Option<Time>,
            $filter.occurred_at_until as Option<Time>,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of the team's ledger.
pub(super) async fn events_page(
    db: &Db,
    owner: Owner,
    filter: &Events,
    window: &Window,
) -> Result<Vec<EventRow>, Fault> {
    Ok(if filter.earliest_first {
        events!(window, db, owner, filter, "
            and (e.occurred_at, e.event_uuid) > (coalesce($8, '-infinity'::timestamptz), coalesce($9, '00000000-0000-0000-0000-000000000000'::uuid))
          order by e.occurred_at, e.event_uuid")
    } else {
        events!(window, db, owner, filter, "
            and (e.occurred_at, e.event_uuid) < (coalesce($8, 'infinity'::timestamptz), coalesce($9, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by e.occurred_at desc, e.event_uuid desc")
    }?)
}

/// A program as its partner sees it.
pub(super) struct ClientRow {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: String,
    pub(super) name: String,
    pub(super) state: String,
    pub(super) allowed_scopes: Vec<String>,
    pub(super) allowed_networks: Vec<String>,
    pub(super) created_at: Time,
    pub(super) last_used_at: Option<Time>,
}

/// A page of the programs that may act for the partner, the newest first.
pub(super) async fn clients_page(
    db: &Db,
    owner: Owner,
    states: Option<&[String]>,
    window: &Window,
) -> Result<Vec<ClientRow>, Fault> {
    Ok(paged!(
        window,
        db,
        ClientRow,
        r#"select client_uuid, client_id, name, state, allowed_scopes, allowed_networks::text[] as "allowed_networks!",
                  created_at, last_used_at
             from machine_client
            where partner_uuid = $1 and ($2::text[] is null or state = any($2))
              and (created_at, client_uuid) < (coalesce($3, 'infinity'::timestamptz), coalesce($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by created_at desc, client_uuid desc"#,
        owner.uuid(),
        states,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}
