//! Statements for staff roles.

use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError, constraint_of};
use uuid::Uuid;

/// Inserts a role.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the code is in use.
pub(super) async fn insert(
    db: &Db,
    role_code: &str,
    name: &str,
    description: &str,
    scopes: &[String],
) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into staff_role (role_code, name, description, scopes) values ($1, $2, $3, $4)",
        role_code,
        name,
        description,
        scopes
    )
    .execute(&mut *db.conn().await?)
    .await;
    match inserted {
        Err(error) if constraint_of(&error) == Some("staff_role_pkey") => {
            let errors = vec![FieldError::at("/code", "TAKEN", "A role with this code already exists.")];
            Err(Fault::conflict(format!(
                "The role {role_code} already exists. Choose another code, or update that role."
            ))
            .with_errors(errors))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Loads the scopes of a role and locks the role until the transaction ends.
pub(super) async fn lock(db: &Db, role_code: &str) -> Result<Option<Vec<String>>, Fault> {
    Ok(sqlx::query_scalar!("select scopes from staff_role where role_code = $1 for update", role_code)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Counts the holders of a role, and returns whether this user is a holder.
pub(super) async fn count_holders(db: &Db, role_code: &str, person_uuid: Uuid) -> Result<(i64, bool), Fault> {
    let row = sqlx::query!(
        r#"select count(*) as "count!", coalesce(bool_or(person_uuid = $2), false) as "holds!"
             from staff_role_grant where role_code = $1"#,
        role_code,
        person_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok((row.count, row.holds))
}

/// Updates a role; `None` keeps the current value.
pub(super) async fn update(
    db: &Db,
    role_code: &str,
    name: Option<&str>,
    description: Option<&str>,
    scopes: Option<&[String]>,
) -> Result<(), Fault> {
    sqlx::query!(
        "update staff_role
            set name = coalesce($2, name), description = coalesce($3, description), scopes = coalesce($4, scopes),
                updated_at = labs_now()
          where role_code = $1",
        role_code,
        name,
        description,
        scopes
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes a role without holders.
pub(super) async fn delete(db: &Db, role_code: &str) -> Result<(), Fault> {
    sqlx::query!("delete from staff_role where role_code = $1", role_code).execute(&mut *db.conn().await?).await?;
    Ok(())
}
