//! Protection of the last staff members who can grant roles and admit others. The last of them must remain. The last
//! staff member with all of `labs.admin:write` must remain too, because otherwise the service could never grant that
//! right again.
//!
//! Code that removes a right from staff members holds [`lock`] during the change, so that two concurrent removals run
//! one after the other, and calls [`ensure_granter_remains`] afterwards. The database checks again at the end of the transaction
//! (migrations, `staff_granter_kept` and `staff_whole_kept`).

use labs_core::db::Db;
use labs_core::fault::Fault;

/// Rights that at least one active staff member holds.
pub(super) struct Granters {
    /// Grant roles and admit other staff members.
    grants: bool,
    /// Hold all rights, so that they can grant every right.
    whole: bool,
}

/// Serializes transactions that remove rights from staff members, until the transaction ends. Returns the rights that
/// must remain.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn lock(db: &Db) -> Result<Granters, Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('staff granters', 0))")
        .execute(&mut *db.conn().await?)
        .await?;
    get(db).await
}

/// Rejects the change if no remaining staff member can grant roles, or none holds all rights although one did before.
///
/// # Errors
/// [`labs_core::Code::Conflict`] in both cases.
pub(super) async fn ensure_granter_remains(db: &Db, before: &Granters) -> Result<(), Fault> {
    let left = get(db).await?;
    if !left.grants {
        return Err(Fault::last_granter());
    }
    if before.whole && !left.whole { Err(Fault::last_of_all_rights()) } else { Ok(()) }
}

async fn get(db: &Db) -> Result<Granters, Fault> {
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

/// Rejects the change if no remaining role includes all of `labs.admin:write`: the service could never grant it again.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if no role with all of it remains.
pub(super) async fn ensure_full_role_remains(db: &Db) -> Result<(), Fault> {
    let some_role = sqlx::query_scalar!(
        r#"select exists (select from staff_role where scopes @> array['labs.admin:write']) as "some_role!""#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    if some_role {
        return Ok(());
    }
    Err(Fault::conflict(
        "This would leave no role with labs.admin:write, so the scope could never be granted again. Create another \
         role with it first.",
    ))
}
