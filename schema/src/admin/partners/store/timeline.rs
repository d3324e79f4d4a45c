//! The statements of a partner's timeline.

use serde_json::Value;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::Window;
use crate::paged;
use crate::time::Time;

/// What the timeline is narrowed to.
#[derive(Debug)]
pub(in super::super) struct Filter {
    pub(in super::super) partner_uuid: Uuid,
    pub(in super::super) group: Option<Vec<String>>,
    pub(in super::super) kind: Option<Vec<String>>,
    pub(in super::super) occurred_at_from: Option<Time>,
    pub(in super::super) occurred_at_until: Option<Time>,
}

/// An entry of the timeline.
pub(in super::super) struct EntryRow {
    pub(in super::super) event_group: String,
    pub(in super::super) event_uuid: Uuid,
    pub(in super::super) occurred_at: Time,
    pub(in super::super) kind: String,
    pub(in super::super) outcome: String,
    pub(in super::super) actor_kind: Option<String>,
    pub(in super::super) actor_uuid: Option<Uuid>,
    pub(in super::super) actor_name: Option<String>,
    pub(in super::super) subject_kind: Option<String>,
    pub(in super::super) subject_uuid: Option<Uuid>,
    pub(in super::super) reason: Option<String>,
    pub(in super::super) detail: Value,
}

/// A page of what happened to a partner, the latest first. Each source gives a page of the largest size and one more. What
/// an erasure took out of the histories is not told out of the audit log again.
pub(in super::super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<EntryRow>, Fault> {
    Ok(paged!(
        window,
        db,
        EntryRow,
        r#"select e.event_group as "event_group!", e.event_uuid as "event_uuid!", e.occurred_at as "occurred_at!: Time",
                  e.kind as "kind!", e.outcome as "outcome!", e.actor_kind, e.actor_uuid,
                  coalesce(case when p.state <> 'ERASED' then e.actor_label end, h.name, c.name) as actor_name,
                  e.subject_kind, e.subject_uuid, case when p.state <> 'ERASED' then e.reason end as reason,
                  e.detail as "detail!: Value"
             from partner as p
            cross join partner_timeline($1, $2, $3, coalesce($4, '-infinity'::timestamptz),
                      coalesce($5, 'infinity'::timestamptz), coalesce($6, 'infinity'::timestamptz),
                      coalesce($7, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid), 101) as e
             left join person as h on h.person_uuid = e.actor_uuid
             left join machine_client as c on c.client_uuid = e.actor_uuid
            where p.partner_uuid = $1
            order by e.occurred_at desc, e.event_uuid desc"#,
        filter.partner_uuid,
        filter.group.as_deref() as _,
        filter.kind.as_deref() as _,
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// How much happened to a partner that the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!"
             from partner_timeline($1, $2, $3, coalesce($4, '-infinity'::timestamptz),
                      coalesce($5, 'infinity'::timestamptz), 'infinity'::timestamptz,
                      'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, null)"#,
        filter.partner_uuid,
        filter.group.as_deref() as _,
        filter.kind.as_deref() as _,
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
