//! Every statement about the pictures of apps.

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::content::{Size, Stored};
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::principal::Owner;
use crate::time::Time;

/// A picture of an app's draft.
#[derive(Clone, Debug)]
pub(super) struct MediaRow {
    pub(super) media_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) kind: String,
    pub(super) position: i32,
    pub(super) alt_text: String,
    pub(super) caption: String,
    pub(super) media_type: String,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) size_bytes: i64,
    pub(super) sha256: Vec<u8>,
    pub(super) object_key: String,
    pub(super) variants: Json<BTreeMap<String, Size>>,
    pub(super) created_at: Time,
    /// Sorts as the listing shows them: icon, banner, screenshots.
    pub(super) rank: i32,
}

impl MediaRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.rank), json!(self.position), json!(self.media_uuid)]
    }

    /// The whole picture among its sizes.
    pub(super) fn original(&self) -> Size {
        Size {
            object_key: self.object_key.clone(),
            media_type: self.media_type.clone(),
            width: self.width,
            height: self.height,
            size_bytes: self.size_bytes,
        }
    }
}

/// What an upload must know of the app: how many pictures of its kind are there, and how many bytes the partner keeps
/// in all, without those that it takes the place of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) of_kind: i64,
    pub(super) bytes: i64,
}

/// A page of an app's pictures: icon, banner, screenshots in their order. `kinds` narrows it.
pub(super) async fn page(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    kinds: Option<&[String]>,
    window: &Window,
) -> Result<Vec<MediaRow>, Fault> {
    Ok(paged!(
        window,
        db,
        MediaRow,
        r#"with picture as (
             select media.*, case kind when 'ICON' then 0 when 'BANNER' then 1 else 2 end as rank
               from media join app using (app_uuid)
              where app_uuid = $1 and app.partner_uuid = $2 and removed_at is null
                and ($3::text[] is null or kind = any($3)))
           select media_uuid as "media_uuid!", app_uuid as "app_uuid!", kind as "kind!", position as "position!",
                  alt_text as "alt_text!", caption as "caption!", media_type as "media_type!", width as "width!",
                  height as "height!", size_bytes as "size_bytes!", sha256 as "sha256!", object_key as "object_key!",
                  variants as "variants!: Json<BTreeMap<String, Size>>", created_at as "created_at!", rank as "rank!"
             from picture
            where (rank, position, media_uuid)
                > (coalesce($4, -1), coalesce($5, 0), coalesce($6, '00000000-0000-0000-0000-000000000000'::uuid))
            order by rank, position, media_uuid"#,
        app_uuid,
        owner.uuid(),
        kinds,
        window.key::<i32>(0)?,
        window.key::<i32>(1)?,
        window.key::<Uuid>(2)?,
    )?)
}

/// Where the bytes of a picture of the partner lie.
pub(super) async fn stored_get(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    media_uuid: Uuid,
) -> Result<Option<Stored>, Fault> {
    let row = sqlx::query!(
        r#"select media_type, width, height, size_bytes, sha256, object_key,
                  variants as "variants: Json<BTreeMap<String, Size>>"
             from media join app using (app_uuid)
            where media_uuid = $1 and app_uuid = $2 and app.partner_uuid = $3 and removed_at is null"#,
        media_uuid,
        app_uuid,
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| Stored {
        media_uuid,
        sha256: row.sha256,
        original: Size {
            object_key: row.object_key,
            media_type: row.media_type,
            width: row.width,
            height: row.height,
            size_bytes: row.size_bytes,
        },
        copies: row.variants.0,
    }))
}

/// What there is before an upload; `None` when the app is not the partner's.
pub(super) async fn room_get(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    kind: &str,
    is_single: bool,
) -> Result<Option<Room>, Fault> {
    Ok(sqlx::query_as!(
        Room,
        r#"select (select count(*) from media where app_uuid = $1 and kind = $3 and removed_at is null) as "of_kind!",
                  (select coalesce(sum(size_bytes), 0)::bigint from media join app as mine using (app_uuid)
                    where mine.partner_uuid = $2 and removed_at is null
                      and not ($4 and app_uuid = $1 and kind = $3))
                + (select coalesce(sum(size_bytes), 0)::bigint from partner_image
                    where partner_uuid = $2 and removed_at is null) as "bytes!"
             from app where app_uuid = $1 and partner_uuid = $2"#,
        app_uuid,
        owner.uuid(),
        kind,
        is_single,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A picture whose objects are there, on its way into a draft.
#[derive(Clone, Debug)]
pub(super) struct NewMedia {
    pub(super) media_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) kind: &'static str,
    pub(super) position: i32,
    pub(super) alt_text: String,
    pub(super) caption: String,
    pub(super) original: Size,
    pub(super) sha256: [u8; 32],
    pub(super) copies: BTreeMap<String, Size>,
}

/// Adds a picture; when it is the only one of its kind, the one before it leaves the draft.
pub(super) async fn insert(db: &Db, new: &NewMedia, is_single: bool) -> Result<MediaRow, Fault> {
    Ok(sqlx::query_as!(
        MediaRow,
        r#"with replaced as (
             update media set removed_at = labs_now(), updated_at = labs_now()
              where $14 and app_uuid = $2 and kind = $3 and removed_at is null)
           insert into media (media_uuid, app_uuid, kind, position, alt_text, caption, media_type, width, height,
                              size_bytes, sha256, object_key, variants)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
           returning media_uuid, app_uuid, kind, position, alt_text, caption, media_type, width, height, size_bytes,
                     sha256, object_key, variants as "variants: Json<BTreeMap<String, Size>>", created_at, 0 as "rank!""#,
        new.media_uuid,
        new.app_uuid,
        new.kind,
        new.position,
        new.alt_text,
        new.caption,
        new.original.media_type,
        new.original.width,
        new.original.height,
        new.original.size_bytes,
        &new.sha256,
        new.original.object_key,
        Json(&new.copies) as Json<&BTreeMap<String, Size>>,
        is_single,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
