//! Statements for staff members.

use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError, constraint_of};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{Role, StaffState};

/// A staff member locked for a change.
pub(super) struct LockedStaffRow {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) state: StaffState,
    /// Whether they ever set a password.
    pub(super) has_accepted: bool,
    pub(super) role_codes: Vec<String>,
    pub(super) scopes: Vec<String>,
}

/// Locks a staff member until the transaction ends.
pub(super) async fn lock(db: &Db, person_uuid: Uuid) -> Result<Option<LockedStaffRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedStaffRow,
        r#"select name, email, case state when 'LOCKED' then 'DISABLED' else state end as "state!: _",
                  password_hash is not null as "has_accepted!",
                  array(select role_code from staff_role_grant as g where g.person_uuid = p.person_uuid
                         order by role_code) as "role_codes!",
                  array(select distinct scope from staff_role_grant as g join staff_role as r using (role_code),
                               unnest(r.scopes) as scope
                         where g.person_uuid = p.person_uuid) as "scopes!"
             from person as p
            where person_uuid = $1 and kind = 'STAFF_USER' and state <> 'REMOVED'
              for no key update"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads the roles with these codes that exist, and locks them until the transaction ends.
pub(super) async fn lock_roles(db: &Db, codes: &[String]) -> Result<Vec<Role>, Fault> {
    Ok(sqlx::query_as!(
        Role,
        "select role_code as code, scopes from staff_role where role_code = any($1) order by role_code for share",
        codes
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Inserts a staff member who has not set a password yet.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the address belongs to another account.
pub(super) async fn insert(
    db: &Db,
    person_uuid: Uuid,
    email: &EmailAddress,
    name: &str,
    locale: &str,
) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into person (person_uuid, kind, email, email_normalised, name, locale, state)
         values ($1, 'STAFF_USER', $2, $3, $4, $5, 'INVITED')",
        person_uuid,
        email.as_str(),
        email.normalised(),
        name,
        locale
    )
    .execute(&mut *db.conn().await?)
    .await;
    inserted.map(drop).map_err(err_address_taken)
}

/// Grants these roles and revokes all others. `granted_by` is the granting user; `None` for a machine client.
pub(super) async fn put_roles(
    db: &Db,
    person_uuid: Uuid,
    codes: &[String],
    granted_by: Option<Uuid>,
) -> Result<(), Fault> {
    sqlx::query!(
        "with gone as (
             delete from staff_role_grant where person_uuid = $1 and role_code <> all ($2)
         )
         insert into staff_role_grant (person_uuid, role_code, granted_by)
         select $1, role_code, $3 from unnest($2::text[]) as role_code
         on conflict do nothing",
        person_uuid,
        codes,
        granted_by
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Stores the only invitation of a staff member; earlier invitations become void.
pub(super) async fn put_invitation(db: &Db, person_uuid: Uuid, sha256: &[u8], expires_at: Time) -> Result<(), Fault> {
    set_tokens_void(db, person_uuid).await?;
    sqlx::query!(
        "insert into one_time_token (token_sha256, purpose, person_uuid, expires_at)
         values ($1, 'STAFF_INVITATION', $2, $3)",
        sha256,
        person_uuid,
        expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Voids all tokens that were mailed to a user so far, and all incomplete sign-ins.
pub(super) async fn set_tokens_void(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update one_time_token set used_at = labs_now() where person_uuid = $1 and used_at is null",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Updates the name of a staff member.
pub(super) async fn set_name(db: &Db, person_uuid: Uuid, name: &str) -> Result<(), Fault> {
    sqlx::query!("update person set name = $2, updated_at = labs_now() where person_uuid = $1", person_uuid, name)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Sets a new e-mail address, which is unverified.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the address belongs to another account.
pub(super) async fn set_email(db: &Db, person_uuid: Uuid, email: &EmailAddress) -> Result<(), Fault> {
    let updated = sqlx::query!(
        "update person set email = $2, email_normalised = $3, email_verified_at = null, updated_at = labs_now()
          where person_uuid = $1",
        person_uuid,
        email.as_str(),
        email.normalised()
    )
    .execute(&mut *db.conn().await?)
    .await;
    updated.map(drop).map_err(err_address_taken)
}

/// Sets the state of a staff member.
pub(super) async fn set_state(db: &Db, person_uuid: Uuid, state: StaffState) -> Result<(), Fault> {
    sqlx::query!(
        "update person set state = $2, updated_at = labs_now() where person_uuid = $1",
        person_uuid,
        state.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

fn err_address_taken(error: sqlx::Error) -> Fault {
    match constraint_of(&error) {
        Some("person_email_normalised_key") => Fault::conflict(
            "Another user already has this e-mail address. Each address belongs to one user. Send another one.",
        )
        .with_errors(vec![FieldError::at("/email", "TAKEN", "Another user already has this address.")]),
        _ => error.into(),
    }
}
