//! Every statement that reads a partner's own account.

use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::Window;
use crate::paged;
use crate::partner::company::{BillingAddress, CompanyAddress};
use crate::principal::Owner;
use crate::time::Time;

/// A partner as its team sees it.
pub(super) struct AccountRow {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) company_name: String,
    pub(super) legal_form: Option<String>,
    pub(super) registration_number: Option<String>,
    pub(super) vat_id: Option<String>,
    pub(super) country: Option<String>,
    pub(super) address: Json<CompanyAddress>,
    pub(super) billing_address: Json<BillingAddress>,
    pub(super) billing_email: Option<String>,
    pub(super) website: Option<String>,
    pub(super) state: String,
    pub(super) closes_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// The account.
pub(super) async fn get(db: &Db, owner: Owner) -> Result<Option<AccountRow>, Fault> {
    Ok(sqlx::query_as!(
        AccountRow,
        r#"select partner_uuid, slug, company_name, legal_form, registration_number, vat_id, country,
                  address as "address: Json<CompanyAddress>", billing_address as "billing_address: Json<BillingAddress>",
                  billing_email, website, state, closes_at, created_at, updated_at
             from partner
            where partner_uuid = $1"#,
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// What the history is narrowed to.
#[derive(Debug)]
pub(super) struct History {
    pub(super) group: Option<Vec<String>>,
    pub(super) kind: Option<Vec<String>>,
    pub(super) actor_kind: Option<Vec<String>>,
    pub(super) occurred_at_from: Option<Time>,
    pub(super) occurred_at_until: Option<Time>,
}

/// An entry of the history.
pub(super) struct HistoryRow {
    pub(super) event_group: String,
    pub(super) event_uuid: Uuid,
    pub(super) occurred_at: Time,
    pub(super) kind: String,
    pub(super) actor_kind: String,
    pub(super) actor_uuid: Option<Uuid>,
    pub(super) actor_name: Option<String>,
    pub(super) subject_uuid: Option<Uuid>,
    pub(super) operation: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) detail: Value,
}

/// A page of the account's history, the latest first. Somebody who is of the team no longer has no name in it.
pub(super) async fn history_page(
    db: &Db,
    owner: Owner,
    filter: &History,
    window: &Window,
) -> Result<Vec<HistoryRow>, Fault> {
    Ok(paged!(
        window,
        db,
        HistoryRow,
        r#"select e.event_group as "event_group!", e.event_uuid as "event_uuid!", e.occurred_at as "occurred_at!: Time",
                  e.kind as "kind!", e.actor_kind as "actor_kind!", e.actor_uuid, coalesce(h.name, c.name) as actor_name,
                  e.subject_uuid, e.operation, e.reason, e.detail as "detail!: Value"
             from partner_history($1, $2, $3, $4, coalesce($5, '-infinity'::timestamptz),
                      coalesce($6, 'infinity'::timestamptz), coalesce($7, 'infinity'::timestamptz),
                      coalesce($8, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)) as e
             left join person as h on h.person_uuid = e.actor_uuid and h.partner_uuid = $1
             left join machine_client as c on c.client_uuid = e.actor_uuid and c.partner_uuid = $1
            order by e.occurred_at desc, e.event_uuid desc"#,
        owner.uuid(),
        filter.group.as_deref() as _,
        filter.kind.as_deref() as _,
        filter.actor_kind.as_deref() as _,
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}
