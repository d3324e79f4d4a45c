//! The history of subscriptions.

use serde_json::{Value, json};
use sqlx::types::Json;
use uuid::Uuid;

use crate::actor::Actor;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// What happened to a subscription.
pub(in crate::subscription::changing) struct NewEvent<'a> {
    pub(in crate::subscription::changing) partner_uuid: Uuid,
    pub(in crate::subscription::changing) kind: &'static str,
    /// The moment since which it holds, where that is not now.
    pub(in crate::subscription::changing) since: Option<Time>,
    pub(in crate::subscription::changing) from_tier_uuid: Option<Uuid>,
    pub(in crate::subscription::changing) to_tier_uuid: Option<Uuid>,
    pub(in crate::subscription::changing) actor: Actor,
    pub(in crate::subscription::changing) reason: Option<&'a str>,
    pub(in crate::subscription::changing) detail: Value,
}

/// Writes down what happened.
pub(in crate::subscription::changing) async fn insert(db: &Db, new: &NewEvent<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into subscription_event
             (event_uuid, partner_uuid, occurred_at, kind, from_tier_uuid, to_tier_uuid, actor_kind, actor_uuid, reason,
              detail)
         values (labs_uuid(), $1, coalesce($2, labs_now()), $3, $4, $5, $6, $7, $8, $9)",
        new.partner_uuid,
        new.since as Option<Time>,
        new.kind,
        new.from_tier_uuid,
        new.to_tier_uuid,
        new.actor.kind,
        new.actor.uuid,
        new.reason,
        Json(&new.detail) as _,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Something that happened to a subscription.
pub(in crate::subscription::changing) struct EventRow {
    pub(in crate::subscription::changing) event_uuid: Uuid,
    pub(in crate::subscription::changing) occurred_at: Time,
    pub(in crate::subscription::changing) kind: String,
    pub(in crate::subscription::changing) from_tier_code: Option<String>,
    pub(in crate::subscription::changing) to_tier_code: Option<String>,
    pub(in crate::subscription::changing) actor_kind: String,
    pub(in crate::subscription::changing) actor_uuid: Option<Uuid>,
    pub(in crate::subscription::changing) actor_name: Option<String>,
    pub(in crate::subscription::changing) reason: Option<String>,
    pub(in crate::subscription::changing) detail: Value,
}

impl EventRow {
    /// The cursor's keys.
    pub(in crate::subscription::changing) fn keys(&self) -> Keys {
        vec![json!(self.occurred_at), json!(self.event_uuid)]
    }
}

/// Whose history, what of it, and for whom: staff and the service's own programs are named to staff only.
#[derive(Debug)]
pub(in crate::subscription::changing) struct Filter {
    pub(in crate::subscription::changing) partner_uuid: Uuid,
    pub(in crate::subscription::changing) kind: Option<Vec<String>>,
    pub(in crate::subscription::changing) occurred_at_from: Option<Time>,
    pub(in crate::subscription::changing) occurred_at_until: Option<Time>,
    pub(in crate::subscription::changing) names_staff: bool,
}

/// A page of a history, the latest first.
pub(in crate::subscription::changing) async fn page(
    db: &Db,
    filter: &Filter,
    window: &Window,
) -> Result<Vec<EventRow>, Fault> {
    Ok(paged!(
        window,
        db,
        EventRow,
        r#"select e.event_uuid, e.occurred_at, e.kind, f.code as "from_tier_code?", t.code as "to_tier_code?",
                  e.actor_kind, shown.actor_uuid as "actor_uuid?",
                  actor_name(e.actor_kind, shown.actor_uuid) as "actor_name?", e.reason, e.detail
             from subscription_event as e
            cross join lateral (
                select case when $5 or e.actor_kind = 'PARTNER_USER'
                             or exists (select from machine_client as c
                                         where c.client_uuid = e.actor_uuid and c.partner_uuid = e.partner_uuid)
                            then e.actor_uuid end as actor_uuid
            ) as shown
             left join tier as f on f.tier_uuid = e.from_tier_uuid
             left join tier as t on t.tier_uuid = e.to_tier_uuid
            where e.partner_uuid = $1 and ($2::text[] is null or e.kind = any($2))
              and ($3::timestamptz is null or e.occurred_at >= $3) and ($4::timestamptz is null or e.occurred_at < $4)
              and (e.occurred_at, e.event_uuid) < (coalesce($6, 'infinity'::timestamptz),
                                                   coalesce($7, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by e.occurred_at desc, e.event_uuid desc"#,
        filter.partner_uuid,
        filter.kind.as_deref(),
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
        filter.names_staff,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// How many entries the filter finds.
pub(in crate::subscription::changing) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from subscription_event
            where partner_uuid = $1 and ($2::text[] is null or kind = any($2))
              and ($3::timestamptz is null or occurred_at >= $3) and ($4::timestamptz is null or occurred_at < $4)"#,
        filter.partner_uuid,
        filter.kind.as_deref(),
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
