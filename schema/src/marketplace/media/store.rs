//! Every statement about the pictures of apps.

use std::collections::BTreeMap;

use sqlx::types::Json;
use uuid::Uuid;

use super::content::{Size, Stored, StoredRow};
use super::list::{BY_ID, MediaRow, OF_A_KIND, OWN};
use super::rules::{MediaKind, Texts};
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::list::Bound;
use crate::core::principal::Owner;

/// What an upload must know of the app: how many pictures of its kind are there, and how many bytes the partner keeps
/// in all, without those that it takes the place of. A picture that a listing or a submission needs stays and counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) of_kind: i64,
    pub(super) bytes: i64,
}

/// Where the bytes of a picture of the partner lie.
pub(super) async fn stored_get(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    media_uuid: Uuid,
) -> Result<Option<Stored>, Fault> {
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

/// A picture whose objects are there, on its way into a draft.
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

/// Adds a picture; when it is the only one of its kind, the one before it leaves the draft.
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
    let row = BY_ID.one(db, [new.media_uuid.into()]).await?;
    row.ok_or_else(|| Fault::internal("a media item cannot be found after it was written"))
}

/// One picture of the draft of an owner's app.
pub(super) async fn get(db: &Db, owner: Owner, app_uuid: Uuid, media_uuid: Uuid) -> Result<Option<MediaRow>, Fault> {
    OWN.one(db, [owner.uuid().into(), app_uuid.into(), media_uuid.into(), Bound::Nothing]).await
}

/// The pictures of one kind in the draft of an owner's app, in their order.
pub(super) async fn get_all(db: &Db, owner: Owner, app_uuid: Uuid, kind: MediaKind) -> Result<Vec<MediaRow>, Fault> {
    let values = [owner.uuid().into(), app_uuid.into(), kind.name().into(), Bound::Nothing];
    let mut rows = OF_A_KIND.all(db, values).await?;
    rows.sort_unstable_by_key(|row| (row.position, row.media_uuid));
    Ok(rows)
}

/// What is said about a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) alt_text: String,
    pub(super) caption: String,
    /// In further locales.
    pub(super) alt_texts: Texts,
    /// In further locales.
    pub(super) captions: Texts,
}

impl Said {
    /// What is said about a picture now.
    pub(super) fn of(row: &MediaRow) -> Self {
        Self {
            alt_text: row.alt_text.clone(),
            caption: row.caption.clone(),
            alt_texts: row.alt_texts.0.clone(),
            captions: row.captions.0.clone(),
        }
    }

    /// The fields that differ from what was said before, as the contract has them.
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

/// Writes what is said about a picture. The caller holds the app.
pub(super) async fn set_texts(db: &Db, media_uuid: Uuid, said: &Said) -> Result<(), Fault> {
    sqlx::query!(
        "update media
         set alt_text = $2, caption = $3, alt_texts = $4, captions = $5, updated_at = labs_now()
         where media_uuid = $1",
        media_uuid,
        said.alt_text,
        said.caption,
        Json(&said.alt_texts) as Json<&Texts>,
        Json(&said.captions) as Json<&Texts>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Takes a picture out of its draft, and those behind it one place up. Its row stays while a listing or what was handed
/// in shows it, and with the row its bytes. The caller holds the app.
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

/// Gives pictures of an app the places in which they are named. The caller holds the app.
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
