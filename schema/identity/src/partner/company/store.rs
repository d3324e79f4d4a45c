//! Statements that write company data.

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::imitation;
use sqlx::PgPool;
use sqlx::types::Json;
use uuid::Uuid;

use super::{BillingAddress, Company, CompanyAddress};

/// Locks a partner until the transaction ends and loads its company data. An erased partner has no data to change.
pub(super) async fn lock(db: &Db, partner_uuid: Uuid) -> Result<Option<Company>, Fault> {
    let row = sqlx::query!(
        r#"select company_name, pending_company_name, legal_form, registration_number, vat_id, country,
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
        pending_name: row.pending_company_name,
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

/// Replaces a company's data.
pub(super) async fn update(db: &Db, partner_uuid: Uuid, company: &Company) -> Result<(), Fault> {
    sqlx::query!(
        "update partner
            set company_name = $2, legal_form = $3, registration_number = $4, vat_id = $5, country = $6, address = $7,
                billing_address = $8, billing_email = $9, website = $10, name_skeletons = $11,
                pending_company_name = $12,
                pending_name_since = case when pending_company_name = $12 then pending_name_since
                                          when $12 is not null then labs_now() end,
                updated_at = labs_now()
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
        &imitation::skeletons(&company.company_name),
        company.pending_name,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Whether reviewers have seen the partner's name: it has a listing, also one that is unlisted, suspended or archived
/// and can return without a review, or a version that is claimed, approved or scheduled.
pub(super) async fn has_reviewed_name(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from listing where partner_uuid = $1)
               or exists (select from app join app_version using (app_uuid)
                           where app.partner_uuid = $1 and app_version.state in ('IN_REVIEW', 'APPROVED', 'SCHEDULED'))
               as "has!""#,
        partner_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether another active company has a name that shares one of these skeletons. The other company must have a visible
/// listing or, with `counts_verified`, be verified.
pub(super) async fn is_like_another(
    db: &Db,
    partner_uuid: Option<Uuid>,
    skeletons: &[String],
    counts_verified: bool,
) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (
               select from partner as p
                where p.name_skeletons && $2 and p.partner_uuid is distinct from $1 and p.state in ('ACTIVE', 'CLOSING')
                  and ((p.verified_at is not null and $3)
                       or exists (select from listing as l where l.partner_uuid = p.partner_uuid and l.visible))
           ) as "is_like!""#,
        partner_uuid,
        skeletons,
        counts_verified
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Loads some names without skeletons.
pub(super) async fn page_without_skeletons(pool: &PgPool, most: i64) -> Result<Vec<(Uuid, String)>, Fault> {
    let rows = sqlx::query!(
        "select partner_uuid, company_name from partner where name_skeletons is null order by partner_uuid limit $1",
        most
    );
    Ok(rows.fetch_all(pool).await?.into_iter().map(|row| (row.partner_uuid, row.company_name)).collect())
}

/// Stores the skeletons of a name, unless the name has changed.
pub(super) async fn set_skeletons(pool: &PgPool, partner_uuid: Uuid, name: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update partner set name_skeletons = $3 where partner_uuid = $1 and company_name = $2 and name_skeletons is null",
        partner_uuid,
        name,
        &imitation::skeletons(name)
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Inserts the partner of a company. Returns false if the slug is in use.
pub(super) async fn insert(db: &Db, partner_uuid: Uuid, slug: &str, company: &Company) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into partner (partner_uuid, slug, company_name, legal_form, registration_number, vat_id, country,
                              address, billing_address, billing_email, website, name_skeletons)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
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
        &imitation::skeletons(&company.company_name),
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("partner_slug_key") => Ok(false),
        done => Ok(done?.rows_affected() > 0),
    }
}
