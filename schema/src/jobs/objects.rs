//! Deletion of unreferenced media objects: an upload that was rejected or interrupted after its object was written, a
//! replaced media item, an erased profile; and unfinished files of a killed process
//! (docs/decisions/files.md#objects-before-rows).

use futures_util::{StreamExt as _, TryStreamExt as _};
use jiff::{SignedDuration, Timestamp};
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_media::store::MediaKey;
use sqlx::PgPool;

/// Minimum age of a deletable object. It is far longer than the time from the upload to COMMIT, in which each statement
/// and lock has a timeout of seconds.
const OLD: SignedDuration = SignedDuration::from_mins(30);
/// Minimum age of a deletable unfinished file. An archive may take hours to write.
const UNFINISHED: SignedDuration = SignedDuration::from_hours(24);
/// Objects looked up by one statement.
const BATCH: usize = 500;

/// Checks every object once. Returns the number of deleted objects.
pub(super) async fn sweep(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let before = file_time() - OLD;
    let old = services.media.list().try_filter(move |entry| std::future::ready(entry.modified_at < before));
    let mut batches = old.map_ok(|entry| entry.key.name()).try_chunks(BATCH).boxed();
    let mut deleted = services.media.delete_staged(file_time() - UNFINISHED).await?;
    while let Some(names) = batches.next().await {
        let names = names.map_err(|broken_off| broken_off.1)?;
        for name in list_unnamed(pool, &names).await? {
            deleted += u64::from(delete(services, &name, before).await?);
        }
    }
    Ok(deleted)
}

#[expect(clippy::disallowed_methods, reason = "file ages follow the file system's clock, which tests cannot set")]
fn file_time() -> Timestamp {
    Timestamp::now()
}

async fn delete(services: &Services, name: &str, before: Timestamp) -> Result<bool, Fault> {
    let Some(key) = MediaKey::from_name(name) else { return Ok(false) };
    Ok(services.media.delete_old(key, before).await?)
}

/// Returns those objects to which no row refers, neither as a media item nor as a copy of one.
async fn list_unnamed(pool: &PgPool, names: &[String]) -> Result<Vec<String>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select name as "name!" from unnest($1::text[]) as name
            where not exists (select from media where object_key = name)
              and not exists (select from media
                               where jsonb_path_query_array(variants, '$.*.object_key') @> to_jsonb(name))
              and not exists (select from partner_image where object_key = name)
              and not exists (select from media
                               where jsonb_path_query_array(renditions, '$[*].object_key') @> to_jsonb(name))
              and not exists (select from publication_item where object_key = name)
              and not exists (select from partner_image
                               where jsonb_path_query_array(variants, '$.*.object_key') @> to_jsonb(name))
              and not exists (select from partner_image
                               where jsonb_path_query_array(renditions, '$[*].object_key') @> to_jsonb(name))"#,
        names
    )
    .fetch_all(pool)
    .await?)
}
