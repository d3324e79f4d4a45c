//! Statements for partners for staff.

pub(super) mod erasure;

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Loads the name of a company.
pub(super) async fn get_name(db: &Db, partner_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select company_name from partner where partner_uuid = $1", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Replaces a partner's labels. Unchanged labels write nothing. `None` if the partner does not exist or was erased.
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

/// Sets whether the identity of a partner is verified. Returns whether that changed anything.
pub(super) async fn set_verified(db: &Db, partner_uuid: Uuid, verified: bool) -> Result<bool, Fault> {
    let changed = sqlx::query!(
        "update partner set verified_at = case when $2 then labs_now() end, updated_at = labs_now()
         where partner_uuid = $1 and (verified_at is not null) <> $2",
        partner_uuid,
        verified
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// Loads the offered tier with this code.
pub(super) async fn get_tier(db: &Db, code: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!("select tier_uuid from tier where code = $1 and state = 'OFFERED'", code)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Whether at least two percent of the newest partners have the longest word of a search. True for a search without
/// words, which matches everything.
pub(super) async fn is_common_text(db: &Db, text: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where folded(concat_ws(E'\n', newest.company_name, newest.slug,
                          newest.pending_company_name, newest.vat_id, newest.registration_number))
                      ~ (select coalesce((sought_patterns($1))[1], ''))) * 50 >= count(*) as "is_common!"
             from (select * from partner order by created_at desc, partner_uuid desc limit 400) as newest"#,
        text
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
