//! Every statement about staff roles.

use serde::Deserialize;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::{Fault, FieldError, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// A role with its holders.
pub(super) struct RoleRow {
    pub(super) role_code: String,
    pub(super) name: String,
    /// As the list by name compares it.
    pub(super) name_sorted: String,
    pub(super) description: String,
    pub(super) scopes: Vec<String>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) holders_count: i64,
    /// The first hundred by name.
    pub(super) holders: Json<Vec<HolderRow>>,
}

/// Somebody who holds a role.
#[derive(Deserialize)]
pub(super) struct HolderRow {
    pub(super) person_uuid: Uuid,
    pub(super) name: String,
    pub(super) state: String,
}

/// What the list is narrowed to.
#[derive(Debug)]
pub(super) struct Filter {
    /// Any scope of these is in the role.
    pub(super) scopes: Option<Vec<String>>,
    pub(super) q: Option<String>,
}

/// The orders of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    ByCode,
    ByName,
}

impl RoleRow {
    /// The cursor's keys under this order.
    pub(super) fn keys(&self, order: Order) -> Keys {
        match order {
            Order::ByCode => vec![json!(""), json!(self.role_code)],
            Order::ByName => vec![json!(self.name_sorted), json!(self.role_code)],
        }
    }
}

/// A page under the filter; `$tail` places it.
macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            RoleRow,
            r#"select role_code as "role_code!", name as "name!", lower(name) as "name_sorted!",
                      description as "description!", scopes as "scopes!", created_at as "created_at!",
                      updated_at as "updated_at!", holders_count as "holders_count!", holders as "holders!: _"
                 from staff_role_shown
                where ($1::text[] is null or scopes && $1)
                  and ($2::text is null or strpos(lower(name), lower($2)) > 0 or strpos(lower(description), lower($2)) > 0
                       or strpos(lower(role_code), lower($2)) > 0)"#
                + $tail,
            $filter.scopes.as_deref(),
            $filter.q,
            $window.key::<String>(0)?,
            $window.key::<String>(1)?,
        )
    };
}

/// A page of roles.
pub(super) async fn page(db: &Db, filter: &Filter, order: Order, window: &Window) -> Result<Vec<RoleRow>, Fault> {
    Ok(match order {
        Order::ByCode => filtered!(
            window,
            db,
            filter,
            r#"
            and (coalesce($3, ''), role_code collate "C") > ('', coalesce($4, ''))
          order by role_code collate "C""#
        ),
        Order::ByName => filtered!(
            window,
            db,
            filter,
            "
            and (lower(name), role_code) > (coalesce($3, ''), coalesce($4, ''))
          order by lower(name), role_code"
        ),
    }?)
}

/// How many roles the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from staff_role
            where ($1::text[] is null or scopes && $1)
              and ($2::text is null or strpos(lower(name), lower($2)) > 0 or strpos(lower(description), lower($2)) > 0
                   or strpos(lower(role_code), lower($2)) > 0)"#,
        filter.scopes.as_deref(),
        filter.q
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A role.
pub(super) async fn get(db: &Db, role_code: &str) -> Result<Option<RoleRow>, Fault> {
    Ok(sqlx::query_as!(
        RoleRow,
        r#"select role_code as "role_code!", name as "name!", lower(name) as "name_sorted!",
                  description as "description!", scopes as "scopes!", created_at as "created_at!",
                  updated_at as "updated_at!", holders_count as "holders_count!", holders as "holders!: _"
             from staff_role_shown
            where role_code = $1"#,
        role_code
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Makes a role.
///
/// # Errors
/// [`crate::Code::Conflict`] when the code is taken.
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
            let errors = vec![FieldError::at("/code", "TAKEN", "There is a role with this code.")];
            Err(Fault::conflict(format!(
                "There is a role {role_code} already. Choose another code, or change that one."
            ))
            .with_errors(errors))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// What a role reaches; it stays so until the transaction ends.
pub(super) async fn lock(db: &Db, role_code: &str) -> Result<Option<Vec<String>>, Fault> {
    Ok(sqlx::query_scalar!("select scopes from staff_role where role_code = $1 for update", role_code)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// How many hold a role, and whether this person does.
pub(super) async fn holders_count(db: &Db, role_code: &str, person_uuid: Uuid) -> Result<(i64, bool), Fault> {
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

/// Changes a role; what is `None` stays.
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

/// Removes a role that nobody holds.
pub(super) async fn delete(db: &Db, role_code: &str) -> Result<(), Fault> {
    sqlx::query!("delete from staff_role where role_code = $1", role_code).execute(&mut *db.conn().await?).await?;
    Ok(())
}
