//! Statements about the rights of staff members that must remain.

use labs_core::db::Db;
use labs_core::fault::Fault;

/// Rights that at least one active staff member holds.
pub(crate) struct Granters {
    /// Grant roles and admit other staff members.
    pub(crate) grants: bool,
    /// Hold all rights, so that they can grant every right.
    pub(crate) whole: bool,
}

/// Serializes transactions that remove rights from staff members, until the transaction ends.
pub(super) async fn lock(db: &Db) -> Result<(), Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('staff granters', 0))")
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Returns the rights that active staff members hold.
pub(super) async fn get(db: &Db) -> Result<Granters, Fault> {
    Ok(sqlx::query_as!(
        Granters,
        r#"select count(*) > 0 as "grants!", count(*) filter (where 'labs.admin:write' = any(r.scopes)) > 0 as "whole!"
             from person as p
             join staff_role_grant as g using (person_uuid) join staff_role as r using (role_code)
            where p.kind = 'STAFF_USER' and p.state = 'ACTIVE' and staff_scopes_grant(r.scopes)"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether a role includes all of `labs.admin:write`.
pub(super) async fn has_full_role(db: &Db) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from staff_role where scopes @> array['labs.admin:write']) as "some_role!""#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
