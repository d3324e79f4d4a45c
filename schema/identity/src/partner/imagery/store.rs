//! Statements for the images of profiles.

use labs_shared::images::PartnerImageKind;
use labs_shared::images::{Size, StoredObject};
use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::list::SqlValue;
use labs_core::principal::Owner;
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

use super::list::SHOWN;

/// An image of a profile.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ImageRow {
    pub(crate) image_uuid: Uuid,
    pub(crate) kind: PartnerImageKind,
    pub(crate) alt_text: String,
    pub(crate) media_type: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(super) size_bytes: i64,
    pub(super) sha256: Vec<u8>,
    pub(super) object_key: String,
    pub(super) variants: Json<BTreeMap<String, Size>>,
    pub(super) created_at: Time,
    /// Whether the draft uses it.
    pub(crate) in_draft: bool,
    /// Whether the published profile uses it.
    pub(super) is_published: bool,
}

impl ImageRow {
    /// Returns the size of the original.
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

/// Loads all images in the draft and in the published profile: four at most.
pub async fn images(db: &Db, partner_uuid: Uuid) -> Result<Vec<ImageRow>, Fault> {
    SHOWN.fetch_all(db, [partner_uuid.into(), SqlValue::Nothing]).await
}

/// Loads the location of an image's bytes in the owner's draft.
pub(super) async fn get_stored(db: &Db, owner: Owner, kind: PartnerImageKind) -> Result<Option<StoredObject>, Fault> {
    let row = sqlx::query!(
        r#"select image_uuid, media_type, width, height, size_bytes, sha256, object_key,
                  variants as "variants: Json<BTreeMap<String, Size>>"
             from partner_image
            where partner_uuid = $1 and kind = $2 and removed_at is null"#,
        owner.uuid(),
        kind.name()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| StoredObject {
        media_uuid: row.image_uuid,
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

/// Computes the total bytes of the owner's images, without the image that a new one of this kind replaces.
pub(super) async fn get_bytes(db: &Db, owner: Owner, kind: PartnerImageKind) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select (select coalesce(sum(size_bytes), 0)::bigint from media_counted join app using (app_uuid)
                    where app.partner_uuid = $1)
                + (select coalesce(sum(size_bytes), 0)::bigint from partner_image
                    where partner_uuid = $1 and removed_at is null and kind <> $2) as "bytes!""#,
        owner.uuid(),
        kind.name()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// An image whose objects exist, to be added to a draft.
pub(super) struct NewImage {
    pub(super) image_uuid: Uuid,
    pub(super) kind: PartnerImageKind,
    pub(super) alt_text: String,
    pub(super) original: Size,
    pub(super) sha256: [u8; 32],
    pub(super) copies: BTreeMap<String, Size>,
    pub(super) renditions: Vec<Size>,
}

/// Inserts an image. The previous image must have been removed from the draft.
pub(super) async fn insert(db: &Db, owner: Owner, new: &NewImage) -> Result<(), Fault> {
    sqlx::query!(
        "insert into partner_image (image_uuid, partner_uuid, kind, alt_text, media_type, width, height, size_bytes,
                                    sha256, object_key, variants, renditions)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        new.image_uuid,
        owner.uuid(),
        new.kind.name(),
        new.alt_text,
        new.original.media_type,
        new.original.width,
        new.original.height,
        new.original.size_bytes,
        &new.sha256,
        new.original.object_key,
        Json(&new.copies) as Json<&BTreeMap<String, Size>>,
        Json(&new.renditions) as Json<&Vec<Size>>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Removes an image from the draft. Returns false if there was none.
pub(super) async fn remove(db: &Db, partner_uuid: Uuid, kind: PartnerImageKind) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update partner_image set removed_at = labs_now()
          where partner_uuid = $1 and kind = $2 and removed_at is null",
        partner_uuid,
        kind.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Removes an image from the published profile. Returns false if the profile does not use it.
pub(super) async fn unpublish(db: &Db, partner_uuid: Uuid, kind: PartnerImageKind) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update partner_profile set snapshot = snapshot - (lower($2) || '_uuid')
          where partner_uuid = $1 and snapshot ->> (lower($2) || '_uuid') is not null",
        partner_uuid,
        kind.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes the rows of images that neither the draft nor the published profile uses.
pub async fn sweep(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "delete from partner_image as i
          where partner_uuid = $1 and removed_at is not null and not exists (
                select from partner_profile as f
                 where f.partner_uuid = i.partner_uuid and f.state = 'PUBLISHED' and i.image_uuid in
                       ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid))",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
