//! SQL statements of an app's media.

use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::list::SqlValue;
use labs_core::principal::Owner;
use labs_shared::images::{Size, StoredObject, StoredRow};
use sqlx::types::Json;
use uuid::Uuid;

use super::list::{BY_ID, MediaRow, OF_A_KIND, OWN};
use super::rules::{MediaKind, Texts};

/// Usage before an upload: the number of media items of the kind, and the partner's stored bytes. Both exclude the
/// items that the upload replaces, unless a listing or a submission still needs them.
#[derive(Clone, Copy, Debug)]
pub(super) struct MediaQuota {
    pub(super) of_kind: i64,
    pub(super) bytes: i64,
}

/// Loads the location of a media item's content, for the owner.
pub(super) async fn get_stored(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    media_uuid: Uuid,
) -> Result<Option<StoredObject>, Fault> {
    let row = sqlx::query_as!(
        StoredRow,
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
    Ok(row.map(|row| row.of(media_uuid)))
}

/// Loads the usage before an upload. Returns `None` if the partner does not own the app.
pub(super) async fn get_quota(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    kind: &str,
    is_single: bool,
) -> Result<Option<MediaQuota>, Fault> {
    Ok(sqlx::query_as!(
        MediaQuota,
        r#"select (select count(*) from media where app_uuid = $1 and kind = $3 and removed_at is null) as "of_kind!",
                  (select coalesce(sum(size_bytes), 0)::bigint from media_counted join app as mine using (app_uuid)
                    where mine.partner_uuid = $2
                      and not ($4 and app_uuid = $1 and kind = $3 and removed_at is null
                               and not media_is_needed(media_uuid, app_uuid)))
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

/// Values of a new media item whose objects are stored.
#[derive(Clone, Debug)]
pub(super) struct NewMedia {
    pub(super) media_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) kind: MediaKind,
    pub(super) position: i32,
    pub(super) alt_text: String,
    pub(super) caption: String,
    pub(super) original: Size,
    pub(super) sha256: [u8; 32],
    pub(super) copies: BTreeMap<String, Size>,
    pub(super) renditions: Vec<Size>,
}

/// Inserts a media item. If the kind allows only one, the previous item is removed from the draft.
pub(super) async fn insert(db: &Db, new: &NewMedia, is_single: bool) -> Result<MediaRow, Fault> {
    sqlx::query!(
        "with replaced as (
             update media set removed_at = labs_now(), updated_at = labs_now()
             where $14 and app_uuid = $2 and kind = $3 and removed_at is null
         )
         insert into media (media_uuid, app_uuid, kind, position, alt_text, caption, media_type, width, height,
             size_bytes, sha256, object_key, variants, renditions)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $15)",
        new.media_uuid,
        new.app_uuid,
        new.kind as MediaKind,
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
        Json(&new.renditions) as Json<&Vec<Size>>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    let row = BY_ID.fetch_one(db, [new.media_uuid.into()]).await?;
    row.ok_or_else(|| Fault::internal("a media item cannot be found after it was written"))
}

/// Loads a media item in the draft of an owner's app.
pub(super) async fn get(db: &Db, owner: Owner, app_uuid: Uuid, media_uuid: Uuid) -> Result<Option<MediaRow>, Fault> {
    OWN.fetch_one(db, [owner.uuid().into(), app_uuid.into(), media_uuid.into(), SqlValue::Nothing]).await
}

/// Loads the media items of one kind in the draft of an owner's app, in order.
pub(super) async fn get_all(db: &Db, owner: Owner, app_uuid: Uuid, kind: MediaKind) -> Result<Vec<MediaRow>, Fault> {
    let values = [owner.uuid().into(), app_uuid.into(), kind.name().into(), SqlValue::Nothing];
    let mut rows = OF_A_KIND.fetch_all(db, values).await?;
    rows.sort_unstable_by_key(|row| (row.position, row.media_uuid));
    Ok(rows)
}

/// Texts of a media item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PictureTexts {
    pub(super) alt_text: String,
    pub(super) caption: String,
    /// Text alternatives in further locales.
    pub(super) alt_texts: Texts,
    /// Captions in further locales.
    pub(super) captions: Texts,
}

impl PictureTexts {
    /// Returns the current texts of a media item.
    pub(super) fn of(row: &MediaRow) -> Self {
        Self {
            alt_text: row.alt_text.clone(),
            caption: row.caption.clone(),
            alt_texts: row.alt_texts.0.clone(),
            captions: row.captions.0.clone(),
        }
    }

    /// Returns the contract names of the changed fields.
    pub(super) fn changed_fields(&self, before: &Self) -> Vec<&'static str> {
        let fields = [
            ("alt_text", self.alt_text != before.alt_text),
            ("caption", self.caption != before.caption),
            ("alt_texts", self.alt_texts != before.alt_texts),
            ("captions", self.captions != before.captions),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }
}

/// Updates the texts of a media item. The caller has locked the app.
pub(super) async fn set_texts(db: &Db, media_uuid: Uuid, texts: &PictureTexts) -> Result<(), Fault> {
    sqlx::query!(
        "update media
         set alt_text = $2, caption = $3, alt_texts = $4, captions = $5, updated_at = labs_now()
         where media_uuid = $1",
        media_uuid,
        texts.alt_text,
        texts.caption,
        Json(&texts.alt_texts) as Json<&Texts>,
        Json(&texts.captions) as Json<&Texts>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Removes a media item from its draft and moves later items up. The row and its objects stay while a listing or a
/// submission needs them. The caller has locked the app.
pub(super) async fn set_removed(db: &Db, media_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with removed as (
             update media set removed_at = labs_now(), updated_at = labs_now()
             where media_uuid = $1 and removed_at is null
             returning app_uuid, kind, position
         )
         update media as behind set position = behind.position - 1, updated_at = labs_now()
         from removed
         where behind.app_uuid = removed.app_uuid and behind.kind = removed.kind and behind.removed_at is null
             and behind.position > removed.position",
        media_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the positions of an app's media items to the given order. The caller has locked the app.
pub(super) async fn set_order(db: &Db, app_uuid: Uuid, media_uuids: &[Uuid]) -> Result<(), Fault> {
    sqlx::query!(
        "update media set position = named.place, updated_at = labs_now()
         from unnest($2::uuid[]) with ordinality as named (media_uuid, place)
         where media.media_uuid = named.media_uuid and media.app_uuid = $1 and media.position <> named.place",
        app_uuid,
        media_uuids
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
