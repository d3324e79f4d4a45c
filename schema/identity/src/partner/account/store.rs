//! Statement that reads a partner's own account.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

use crate::partner::company::{BillingAddress, CompanyAddress};

/// A partner, for its team.
pub(super) struct AccountRow {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) company_name: String,
    pub(super) pending_company_name: Option<String>,
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

/// Loads the account.
pub(super) async fn get(db: &Db, owner: Owner) -> Result<Option<AccountRow>, Fault> {
    Ok(sqlx::query_as!(
        AccountRow,
        r#"select partner_uuid, slug, company_name, pending_company_name, legal_form, registration_number, vat_id, country,
                  address as "address: Json<CompanyAddress>", billing_address as "billing_address: Json<BillingAddress>",
                  billing_email, website, state, closes_at, created_at, updated_at
             from partner
            where partner_uuid = $1"#,
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
