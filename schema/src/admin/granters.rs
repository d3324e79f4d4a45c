//! Internal people who can grant roles and let others in: the last of them stays, and so does the last one who holds all
//! of `labs.admin:write`, because nobody else could grant it again.
//!
//! Whoever takes a right from internal people holds [`lock`] while they do, so that two who take it from each other
//! come one after the other, and asks [`remain`] afterwards. The database looks once more at the end of the transaction
//! (migrations, `staff_granter_kept` and `staff_whole_kept`).

use crate::core::db::Db;
use crate::core::fault::Fault;

/// What some active internal person can do.
pub(super) struct Granters {
    /// Grant roles and let others in.
    grants: bool,
    /// Everything, so that there is nothing that they cannot grant.
    whole: bool,
}

/// Makes those who take rights from internal people wait for one another until the transaction ends. Answers what there
/// is to be kept.
///
/// # Errors
/// What the database answered.
pub(super) async fn lock(db: &Db) -> Result<Granters, Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('staff granters', 0))")
        .execute(&mut *db.conn().await?)
        .await?;
    get(db).await
}

/// Refuses what was just done when nobody who can grant is left, or nobody of those who held everything.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) async fn remain(db: &Db, before: &Granters) -> Result<(), Fault> {
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

/// Refuses what was just done when no role is left that reaches all of `labs.admin:write`: nobody could ever be granted
/// it again.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) async fn whole_remains(db: &Db) -> Result<(), Fault> {
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
