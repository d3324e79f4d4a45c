//! Every statement about staff's notes.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// A note with the name of its author.
pub(super) struct NoteRow {
    pub(super) note_uuid: Uuid,
    pub(super) author_uuid: Option<Uuid>,
    pub(super) author_name: Option<String>,
    pub(super) body: String,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

impl NoteRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.note_uuid)]
    }
}

/// What the list is narrowed to.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) partner_uuid: Uuid,
    pub(super) author_uuid: Option<Vec<Uuid>>,
    pub(super) q: Option<String>,
}

/// A page of the notes about a partner, the newest first.
pub(super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<NoteRow>, Fault> {
    Ok(paged!(
        window,
        db,
        NoteRow,
        r#"select n.note_uuid, n.author_uuid, a.name as "author_name?", n.body, n.created_at, n.updated_at
             from partner_note as n
             left join person as a on a.person_uuid = n.author_uuid
            where n.partner_uuid = $1 and ($2::uuid[] is null or n.author_uuid = any($2))
              and ($3::text is null or strpos(lower(n.body), lower($3)) > 0)
              and (n.created_at, n.note_uuid) < (coalesce($4, 'infinity'::timestamptz),
                                                 coalesce($5, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by n.created_at desc, n.note_uuid desc"#,
        filter.partner_uuid,
        filter.author_uuid.as_deref(),
        filter.q,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// How many notes the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from partner_note
            where partner_uuid = $1 and ($2::uuid[] is null or author_uuid = any($2))
              and ($3::text is null or strpos(lower(body), lower($3)) > 0)"#,
        filter.partner_uuid,
        filter.author_uuid.as_deref(),
        filter.q,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A note.
pub(super) async fn get(db: &Db, partner_uuid: Uuid, note_uuid: Uuid) -> Result<Option<NoteRow>, Fault> {
    Ok(sqlx::query_as!(
        NoteRow,
        r#"select n.note_uuid, n.author_uuid, a.name as "author_name?", n.body, n.created_at, n.updated_at
             from partner_note as n
             left join person as a on a.person_uuid = n.author_uuid
            where n.note_uuid = $2 and n.partner_uuid = $1"#,
        partner_uuid,
        note_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Who wrote a note, which is held until the transaction ends; `None` when there is no such note.
pub(super) async fn lock(db: &Db, partner_uuid: Uuid, note_uuid: Uuid) -> Result<Option<Option<Uuid>>, Fault> {
    Ok(sqlx::query_scalar!(
        "select author_uuid from partner_note where note_uuid = $2 and partner_uuid = $1 for update",
        partner_uuid,
        note_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Holds a partner until the transaction ends; false when there is none, or it was erased.
pub(super) async fn partner_lock(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    let found = sqlx::query_scalar!(
        "select partner_uuid from partner where partner_uuid = $1 and state <> 'ERASED' for share",
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(found.is_some())
}

/// Adds a note.
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

/// Changes a note; the same again writes nothing.
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

/// Removes a note.
pub(super) async fn delete(db: &Db, note_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("delete from partner_note where note_uuid = $1", note_uuid).execute(&mut *db.conn().await?).await?;
    Ok(())
}
