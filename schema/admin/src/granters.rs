//! Protection of the last staff members who can grant roles and admit others. The last of them must remain. The last
//! staff member with all of `labs.admin:write` must remain too, because otherwise the service could never grant that
//! right again.
//!
//! Code that removes a right from staff members holds [`lock`] during the change, so that two concurrent removals run
//! one after the other, and calls [`ensure_granter_remains`] afterwards. The database checks again at the end of the
//! transaction (migrations, `staff_granter_kept` and `staff_whole_kept`).

mod store;

use labs_core::db::Db;
use labs_core::fault::Fault;

use self::store::Granters;

/// Serializes transactions that remove rights from staff members, until the transaction ends. Returns the rights that
/// must remain.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn lock(db: &Db) -> Result<Granters, Fault> {
    store::lock(db).await?;
    store::get(db).await
}

/// Rejects the change if no remaining staff member can grant roles, or none holds all rights although one did before.
///
/// # Errors
/// [`labs_core::Code::Conflict`] in both cases.
pub(super) async fn ensure_granter_remains(db: &Db, before: &Granters) -> Result<(), Fault> {
    let left = store::get(db).await?;
    if !left.grants {
        return Err(Fault::last_granter());
    }
    if before.whole && !left.whole { Err(Fault::last_of_all_rights()) } else { Ok(()) }
}

/// Rejects the change if no remaining role includes all of `labs.admin:write`: the service could never grant it again.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if no role with all of it remains.
pub(super) async fn ensure_full_role_remains(db: &Db) -> Result<(), Fault> {
    if store::has_full_role(db).await? {
        return Ok(());
    }
    Err(Fault::conflict(
        "This would leave no role with labs.admin:write, so the scope could never be granted again. Create another \
         role with it first.",
    ))
}
