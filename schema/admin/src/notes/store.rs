//! Statements for staff notes.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Locks a note until the transaction ends and returns its author; `None` if the note does not exist.
pub(super) async fn lock(db: &Db, partner_uuid: Uuid, note_uuid: Uuid) -> Result<Option<Option<Uuid>>, Fault> {
    Ok(sqlx::query_scalar!(
        "select author_uuid from partner_note where note_uuid = $2 and partner_uuid = $1 for update",
        partner_uuid,
        note_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Locks a partner until the transaction ends. Returns false if the partner does not exist or was erased.
pub(super) async fn lock_partner(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    let found = sqlx::query_scalar!(
        "select partner_uuid from partner where partner_uuid = $1 and state <> 'ERASED' for share",
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(found.is_some())
}

/// Inserts a note.
pub(super) async fn insert(
    db: &Db,
    partner_uuid: Uuid,
    note_uuid: Uuid,
    author_uuid: Option<Uuid>,
    body: &str,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into partner_note (note_uuid, partner_uuid, author_uuid, body) values ($1, $2, $3, $4)",
        note_uuid,
        partner_uuid,
        author_uuid,
        body
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Updates a note. An unchanged text writes nothing.
pub(super) async fn update(db: &Db, note_uuid: Uuid, body: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update partner_note set body = $2, updated_at = labs_now() where note_uuid = $1 and body <> $2",
        note_uuid,
        body
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes a note.
pub(super) async fn delete(db: &Db, note_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("delete from partner_note where note_uuid = $1", note_uuid).execute(&mut *db.conn().await?).await?;
    Ok(())
}
