//! SQL statements about attribution.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::resolvers::BoardAttribution;

/// Returns the attribution of a user.
pub(super) async fn get(db: &Db, person_uuid: Uuid) -> Result<Option<BoardAttribution>, Fault> {
    Ok(sqlx::query_as!(
        BoardAttribution,
        "select h.show_name, h.name, p.company_name from person as h join partner as p using (partner_uuid)
          where h.person_uuid = $1",
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Sets the attribution of a user. A value that is already set writes nothing.
pub(super) async fn set_show_name(db: &Db, person_uuid: Uuid, show_name: bool) -> Result<(), Fault> {
    sqlx::query!(
        "update person set show_name = $2, updated_at = labs_now() where person_uuid = $1 and show_name <> $2",
        person_uuid,
        show_name,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
