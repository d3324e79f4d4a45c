//! Sample pictures of the apps and profiles: drawn, processed like uploads, and put into the object storage.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::thread::available_parallelism;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use labs_blocking::BlockingPool;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_media::image::{PictureKind, Processed, process_sizes};
use labs_media::store::{MediaKey, MediaStore};
use labs_pictures::draw::{self, Look};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::data::{AppData, Data, SceneData};
use super::icons;
use super::past::{Past, id};
use super::rows::{MediaRow, bytes};
use super::words;
use super::works::Begun;

/// Pictures that are drawn or wait to be written at the same time.
pub(super) const AT_ONCE: usize = 12;

/// A picture to draw.
#[derive(Clone, Copy)]
struct Job {
    app: &'static AppData,
    /// Scene of a screenshot; none for the icon.
    scene: Option<&'static SceneData>,
    /// Position among the media items of its kind.
    position: i32,
}

/// Draws and stores every picture. All pictures are on disk when this returns, so the rows may follow.
pub(super) async fn all(store: &MediaStore, data: &'static Data, past: Past) -> Result<Vec<MediaRow>, Fault> {
    let lane = BlockingPool::new(available_parallelism().map_or(1, NonZero::get), AT_ONCE);
    let jobs = data.apps.iter().flat_map(jobs);
    stream::iter(jobs).map(|job| make(&lane, store, data, past, job)).buffered(AT_ONCE).try_collect().await
}

fn jobs(app: &'static AppData) -> impl Iterator<Item = Job> {
    let scenes = app.look.as_ref().map(|look| look.scenes.as_slice()).unwrap_or_default();
    let icon = app.look.as_ref().map(|_| Job { app, scene: None, position: 1 });
    let views = scenes.iter().zip(1..).map(move |(scene, position)| Job { app, scene: Some(scene), position });
    icon.into_iter().chain(views)
}

async fn make(
    lane: &BlockingPool,
    store: &MediaStore,
    data: &'static Data,
    past: Past,
    job: Job,
) -> Result<MediaRow, Fault> {
    row(data, past, job, keep(lane, store, move || draw(job)).await?)
}

/// A picture in the object storage.
pub(super) struct Kept {
    /// The processed picture.
    pub(super) drawn: Processed,
    /// Key of its object.
    pub(super) key: MediaKey,
    /// Its smaller sizes, as stored in a row.
    pub(super) variants: Value,
    /// Sizes that pages show until a job has made the renditions, as stored in a row.
    pub(super) renditions: Value,
}

/// Draws a picture and stores each of its sizes. A job makes the renditions later, because they take most of the time.
pub(super) async fn keep(
    lane: &BlockingPool,
    store: &MediaStore,
    draw: impl FnOnce() -> Result<Processed, Fault> + Send + 'static,
) -> Result<Kept, Fault> {
    let drawn = lane.run(draw).await.map_err(Fault::internal)??;
    let key = put(store, drawn.bytes.clone()).await?;
    let stored = |key: MediaKey, (width, height): (u32, u32), bytes: &Bytes| {
        json!({ "object_key": key.name(), "media_type": drawn.media_type, "width": width, "height": height,
            "size_bytes": bytes.len() })
    };
    let mut variants = Map::new();
    let mut by_width = BTreeMap::from([(drawn.width, stored(key, (drawn.width, drawn.height), &drawn.bytes))]);
    for variant in &drawn.variants {
        // A size that equals the full picture uses its object.
        let key = if variant.bytes == drawn.bytes { key } else { put(store, variant.bytes.clone()).await? };
        let copy = stored(key, (variant.width, variant.height), &variant.bytes);
        by_width.insert(variant.width, copy.clone());
        variants.insert(variant.name.to_owned(), copy);
    }
    let renditions = by_width.into_values().collect();
    Ok(Kept { drawn, key, variants: Value::Object(variants), renditions })
}

fn draw(job: Job) -> Result<Processed, Fault> {
    let look = job.app.look.as_ref().ok_or_else(|| Fault::internal("an app without a look"))?;
    let words = look.words();
    let look = Look { colours: look.colours, words: &words };
    let name = job.app.texts.first().map(|text| text.name.as_str()).unwrap_or_default();
    let (upload, kind) = match job.scene {
        None => (
            icons::find(&job.app.slug).map_or_else(|| draw::icon(name, &look), |png| Ok(png.to_vec())),
            PictureKind::Icon,
        ),
        Some(scene) => (draw::screenshot(name, &look, scene.scene), PictureKind::Screenshot),
    };
    process_sizes(&upload.map_err(Fault::internal)?, kind).map_err(Fault::internal)
}

async fn put(store: &MediaStore, content: Bytes) -> Result<MediaKey, Fault> {
    store.put(content).await.map_err(Fault::internal)
}

fn row(data: &'static Data, past: Past, job: Job, kept: Kept) -> Result<MediaRow, Fault> {
    let Kept { drawn, key, variants, renditions } = kept;
    let begun = Begun::of(data, past, job.app)?;
    let (kind, caption) = job.scene.map_or(("ICON", ""), |scene| ("SCREENSHOT", &scene.caption));
    let created_at = past.between(begun.at, begun.pictured_at, &format!("{} {kind} {}", job.app.slug, job.position));
    Ok(MediaRow {
        media_uuid: media_uuid(created_at, job),
        app_uuid: begun.app_uuid,
        kind,
        position: job.position,
        alt_text: words::alternative(job.app, job.scene.map(|scene| scene.scene)),
        caption,
        media_type: drawn.media_type,
        width: drawn.width,
        height: drawn.height,
        size_bytes: drawn.bytes.len(),
        sha256: bytes(key.digest()),
        object_key: key.name(),
        variants,
        renditions,
        created_at,
    })
}

fn media_uuid(created_at: Time, job: Job) -> Uuid {
    id(created_at, &format!("{} {:?} {}", job.app.slug, job.scene.map(|scene| scene.scene), job.position))
}
