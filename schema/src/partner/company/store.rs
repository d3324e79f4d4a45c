//! Every statement that writes a company's data.

use sqlx::types::Json;
use uuid::Uuid;

use super::{BillingAddress, Company, CompanyAddress};
use crate::core::db::Db;
use crate::core::fault::{Fault, constraint_of};

/// Holds a partner until the transaction ends; its company's data. An erased one has none to change.
pub(super) async fn lock(db: &Db, partner_uuid: Uuid) -> Result<Option<Company>, Fault> {
    let row = sqlx::query!(
        r#"select company_name, legal_form, registration_number, vat_id, country,
                  address as "address: Json<CompanyAddress>", billing_address as "billing_address: Json<BillingAddress>",
                  billing_email, website
             from partner
            where partner_uuid = $1 and state <> 'ERASED'
              for no key update"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| Company {
        company_name: row.company_name,
        legal_form: row.legal_form,
        registration_number: row.registration_number,
        vat_id: row.vat_id,
        country: row.country,
        address: row.address.0,
        billing_address: row.billing_address.0,
        billing_email: row.billing_email,
        website: row.website,
    }))
}

/// Writes a company's data over what is there.
pub(super) async fn update(db: &Db, partner_uuid: Uuid, company: &Company) -> Result<(), Fault> {
    sqlx::query!(
        "update partner
            set company_name = $2, legal_form = $3, registration_number = $4, vat_id = $5, country = $6, address = $7,
                billing_address = $8, billing_email = $9, website = $10, updated_at = labs_now()
          where partner_uuid = $1",
        partner_uuid,
        company.company_name,
        company.legal_form,
        company.registration_number,
        company.vat_id,
        company.country,
        Json(&company.address) as _,
        Json(&company.billing_address) as _,
        company.billing_email,
        company.website,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Makes a partner of a company; false when the slug is taken.
pub(super) async fn insert(db: &Db, partner_uuid: Uuid, slug: &str, company: &Company) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into partner (partner_uuid, slug, company_name, legal_form, registration_number, vat_id, country,
                              address, billing_address, billing_email, website)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         on conflict (slug) do nothing",
        partner_uuid,
        slug,
        company.company_name,
        company.legal_form,
        company.registration_number,
        company.vat_id,
        company.country,
        Json(&company.address) as _,
        Json(&company.billing_address) as _,
        company.billing_email,
        company.website,
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("partner_slug_key") => Ok(false),
        done => Ok(done?.rows_affected() > 0),
    }
}
