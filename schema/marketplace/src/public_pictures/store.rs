//! SQL statements of published images.

use futures_util::TryStreamExt as _;
use labs_core::fault::Fault;
use labs_media::name::PictureFormat;
use labs_shared::images::Size;
use sqlx::types::Json;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

use super::on_show::{ByOwner, PublishedImages};

/// Rendition of an image that an owner publishes.
struct ShownRow {
    owner_uuid: Uuid,
    half: Vec<u8>,
    media_type: String,
}

/// Makes a round trip.
pub(super) async fn ping(on: impl PgExecutor<'_>) -> Result<(), sqlx::Error> {
    sqlx::query("select 1").execute(on).await.map(drop)
}

/// Loads all published images.
pub(super) async fn shown_all(on: impl PgExecutor<'_>) -> Result<PublishedImages, Fault> {
    let mut rows = sqlx::query_as!(
        ShownRow,
        r#"select owner_uuid as "owner_uuid!", decode(left(copy ->> 'object_key', 32), 'hex') as "half!",
                  copy ->> 'media_type' as "media_type!"
             from picture_on_show as every cross join jsonb_array_elements(every.renditions) as copy"#
    )
    .fetch(on);
    let mut found = ByOwner::new();
    while let Some(row) = rows.try_next().await? {
        add(&mut found, &row);
    }
    Ok(PublishedImages::of(found))
}

/// Loads the published images of these apps and partners.
pub(super) async fn shown_of(on: impl PgExecutor<'_>, owners: &[Uuid]) -> Result<ByOwner, Fault> {
    let rows = sqlx::query_as!(
        ShownRow,
        r#"select owner_uuid as "owner_uuid!", decode(left(copy ->> 'object_key', 32), 'hex') as "half!",
                  copy ->> 'media_type' as "media_type!"
             from picture_on_show cross join jsonb_array_elements(renditions) as copy
            where owner_uuid = any($1)"#,
        owners
    )
    .fetch_all(on)
    .await?;
    let mut found = ByOwner::new();
    for row in &rows {
        add(&mut found, row);
    }
    Ok(found)
}

fn add(found: &mut ByOwner, row: &ShownRow) {
    let known = row.half.first_chunk::<16>().zip(PictureFormat::of(&row.media_type));
    if let Some((half, format)) = known {
        found.entry(row.owner_uuid).or_default().push((*half, format));
    }
}

/// Image that was uploaded before renditions existed.
pub(super) struct DuePicture {
    pub(super) uuid: Uuid,
    pub(super) is_icon: bool,
    pub(super) object_key: String,
}

/// Returns some images without renditions, in random order, so that replicas rarely process the same ones.
pub(super) async fn due_page(pool: &PgPool, most: i64) -> Result<Vec<DuePicture>, Fault> {
    Ok(sqlx::query_as!(
        DuePicture,
        r#"select uuid as "uuid!", is_icon as "is_icon!", object_key as "object_key!"
             from ((select media_uuid as uuid, kind = 'ICON' as is_icon, object_key
                      from media where renditions_due order by media_uuid limit 100)
                   union all
                   (select image_uuid, kind = 'LOGO', object_key
                      from partner_image where renditions_due order by image_uuid limit 100)) as due
            order by random() limit $1"#,
        most
    )
    .fetch_all(pool)
    .await?)
}

/// Stores the renditions of an image that had none. Without renditions, the image keeps its existing sizes. If another
/// replica was faster, nothing changes.
pub(super) async fn set_renditions(pool: &PgPool, uuid: Uuid, copies: Option<Vec<Size>>) -> Result<(), Fault> {
    sqlx::query!(
        "with of_app as (
             update media set renditions = coalesce($2, renditions), renditions_due = false
             where media_uuid = $1 and renditions_due
         )
         update partner_image set renditions = coalesce($2, renditions), renditions_due = false
         where image_uuid = $1 and renditions_due",
        uuid,
        copies.map(Json) as Option<Json<Vec<Size>>>
    )
    .execute(pool)
    .await?;
    Ok(())
}
