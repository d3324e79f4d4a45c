//! All SQL statements about features, except the lists in [`super::list`].

use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError, constraint_of};
use serde_json::Value;
use sqlx::types::Json;

use crate::values::FeatureKind;

/// A feature with the data needed to set its value.
pub(crate) struct DefinitionRow {
    pub(crate) feature_code: String,
    pub(crate) kind: FeatureKind,
    pub(crate) default_value: Value,
}

/// Returns every feature.
pub(crate) async fn definitions(db: &Db) -> Result<Vec<DefinitionRow>, Fault> {
    Ok(sqlx::query_as!(
        DefinitionRow,
        r#"select feature_code, kind as "kind: FeatureKind", default_value from feature order by position, feature_code"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Locks a feature until the transaction ends and returns its kind.
pub(super) async fn lock(db: &Db, feature_code: &str) -> Result<Option<FeatureKind>, Fault> {
    let kind = sqlx::query_scalar!(
        r#"select kind as "kind: FeatureKind" from feature where feature_code = $1 for no key update"#,
        feature_code
    );
    Ok(kind.fetch_optional(&mut *db.conn().await?).await?)
}

/// Columns of a new feature.
pub(super) struct NewFeature<'a> {
    pub(super) code: &'a str,
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) unit: Option<&'a str>,
    pub(super) scope: Option<&'a str>,
    pub(super) default_value: Value,
    /// `None` places it after all others.
    pub(super) position: Option<i32>,
}

/// Inserts a feature.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the code is taken, or another feature has the scope.
pub(super) async fn insert(db: &Db, new: &NewFeature<'_>) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into feature (feature_code, kind, name, description, unit, scope, default_value, position)
         values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, (select least(coalesce(max(position), 0) + 10, 1000000) from feature)))",
        new.code,
        new.kind,
        new.name,
        new.description,
        new.unit,
        new.scope,
        Json(&new.default_value) as _,
        new.position,
    )
    .execute(&mut *db.conn().await?)
    .await;
    let taken = |place: &str, detail: &str| {
        Err(Fault::conflict(detail).with_errors(vec![FieldError::at(place, "TAKEN", detail)]))
    };
    match inserted {
        Err(error) => match constraint_of(&error) {
            Some("feature_pkey") => {
                taken("/code", "A feature with this code already exists. Choose another code, or update that feature.")
            }
            Some("feature_scope_key") => taken("/scope", "Another feature already grants this scope. Use that one."),
            _ => Err(error.into()),
        },
        Ok(_) => Ok(()),
    }
}

/// A change of a feature; `None` keeps a field.
pub(super) struct FeatureChange<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    /// Whether the unit changes, possibly to none.
    pub(super) has_unit: bool,
    pub(super) unit: Option<String>,
    pub(super) default_value: Option<Value>,
    pub(super) position: Option<i32>,
}

pub(super) async fn update(db: &Db, feature_code: &str, change: &FeatureChange<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "update feature
            set name = coalesce($2, name), description = coalesce($3, description),
                unit = case when $4 then $5 else unit end, default_value = coalesce($6, default_value),
                position = coalesce($7, position), updated_at = labs_now()
          where feature_code = $1",
        feature_code,
        change.name,
        change.description,
        change.has_unit,
        change.unit,
        change.default_value.as_ref().map(Json) as _,
        change.position,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
