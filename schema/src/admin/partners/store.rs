//! Every statement about partners as staff see them.

pub(super) mod erasure;
pub(super) mod list;
pub(super) mod timeline;

use sqlx::types::Json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::partner::company::{BillingAddress, CompanyAddress};
use crate::time::Time;

/// A partner as staff see it.
pub(super) struct PartnerRow {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) company_name: String,
    /// As the list by name compares it.
    pub(super) name_sorted: String,
    pub(super) legal_form: Option<String>,
    pub(super) registration_number: Option<String>,
    pub(super) vat_id: Option<String>,
    pub(super) country: Option<String>,
    pub(super) address: Json<CompanyAddress>,
    pub(super) billing_address: Json<BillingAddress>,
    pub(super) billing_email: Option<String>,
    pub(super) website: Option<String>,
    pub(super) state: String,
    pub(super) state_reason: Option<String>,
    pub(super) state_changed_at: Time,
    pub(super) closes_at: Option<Time>,
    pub(super) labels: Vec<String>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) tier_code: Option<String>,
    pub(super) tier_name: Option<String>,
    pub(super) subscription_state: Option<String>,
    pub(super) subscription_started_at: Option<Time>,
    pub(super) subscription_period_end: Option<Time>,
    pub(super) members_count: i64,
    pub(super) invitations_count: i64,
    pub(super) apps_count: i64,
    pub(super) listings_count: i64,
    pub(super) machine_clients_count: i64,
    pub(super) contacts_count: i64,
    pub(super) notes_count: i64,
}

/// A partner.
pub(super) async fn get(db: &Db, partner_uuid: Uuid) -> Result<Option<PartnerRow>, Fault> {
    Ok(list::get(db, &[partner_uuid]).await?.pop())
}

/// A company's name.
pub(super) async fn name_get(db: &Db, partner_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select company_name from partner where partner_uuid = $1", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Replaces a partner's labels; the same again writes nothing. `None` when there is no such partner, or it was erased.
pub(super) async fn set_labels(db: &Db, partner_uuid: Uuid, labels: &[String]) -> Result<Option<()>, Fault> {
    let found = sqlx::query_scalar!(
        r#"with held as (
             select partner_uuid from partner where partner_uuid = $1 and state <> 'ERASED' for no key update
           ), changed as (
             update partner set labels = $2, updated_at = labs_now()
               from held
              where partner.partner_uuid = held.partner_uuid and partner.labels <> $2
           )
           select exists (select from held) as "found!""#,
        partner_uuid,
        labels
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok(found.then_some(()))
}

/// The tier of this code that is offered.
pub(super) async fn tier_get(db: &Db, code: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!("select tier_uuid from tier where code = $1 and state = 'OFFERED'", code)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}
