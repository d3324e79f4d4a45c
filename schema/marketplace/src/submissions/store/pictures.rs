//! Submitted media.

use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_shared::images::{Size, StoredObject, StoredRow};
use sqlx::types::Json;
use uuid::Uuid;

/// Loads the location of a submitted media item's content. The content remains stored if the owner removes the item
/// from the draft.
pub(in crate::submissions) async fn get_media(
    db: &Db,
    submission_uuid: Uuid,
    media_uuid: Uuid,
) -> Result<Option<StoredObject>, Fault> {
    let row = sqlx::query_as!(
        StoredRow,
        r#"select m.sha256, m.object_key, m.media_type, m.width, m.height, m.size_bytes,
               m.variants as "variants: Json<BTreeMap<String, Size>>"
         from submission as s
         join media as m on m.app_uuid = s.app_uuid
         where s.submission_uuid = $1 and m.media_uuid = $2
             and s.snapshot -> 'media' @> jsonb_build_array(jsonb_build_object('media_uuid', $2::text))"#,
        submission_uuid,
        media_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| row.of(media_uuid)))
}
