//! SQL statements of apps' texts by locale.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use uuid::Uuid;

use super::list::{OWN, TranslationRow};
use crate::apps::Texts;

/// Loads the texts of an owner's app in one locale.
pub(super) async fn get(db: &Db, owner: Owner, app_uuid: Uuid, locale: &str) -> Result<Option<TranslationRow>, Fault> {
    OWN.fetch_one(db, [owner.uuid().into(), app_uuid.into(), locale.into()]).await
}

/// Inserts or updates the texts of one locale. The caller has locked the app.
pub(super) async fn put(db: &Db, app_uuid: Uuid, locale: &str, texts: &Texts) -> Result<(), Fault> {
    sqlx::query!(
        "insert into app_translation (app_uuid, locale, name, tagline, description)
         values ($1, $2, $3, $4, $5)
         on conflict on constraint app_translation_pkey do update
         set name = excluded.name, tagline = excluded.tagline, description = excluded.description,
             updated_at = labs_now()",
        app_uuid,
        locale,
        texts.name,
        texts.tagline,
        texts.description,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes the texts of one locale. The caller has locked the app.
pub(super) async fn delete(db: &Db, app_uuid: Uuid, locale: &str) -> Result<(), Fault> {
    sqlx::query!("delete from app_translation where app_uuid = $1 and locale = $2", app_uuid, locale)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}
