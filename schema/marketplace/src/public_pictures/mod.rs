//! Published images, at URLs that an `<img>` of any page can use without an access token.
//!
//! ```text
//!   upload ──▶ page renditions, each named by the SHA-256 of its bytes ──▶ URL in the storefront's answers
//!                                                                          │ requested by any client
//!                                                                          ▼
//!                                                      published? (each replica has the list) ──▶ bytes, from memory or from the object storage
//! ```
//!
//! Each replica keeps the list of published images in memory and receives changes over a separate connection. So an
//! unknown URL costs no statement, and a removed image is unavailable within a second
//! (docs/decisions/files.md#public-images). If a replica has received no confirmation for a second, requests wait
//! briefly, and then it answers that it cannot determine which images are published.

mod address;
mod due;
mod on_show;
mod store;

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_media::name::PictureName;
use labs_media::store::{MediaKey, MediaStore};
use moka::sync::Cache;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::on_show::PublishedImages;

pub(crate) use address::PictureSource;
pub use due::make_due;

/// Interval of the round trips on the listening connection.
const BEAT: Duration = Duration::from_millis(200);
/// Time for which a round trip confirms the list. Also the maximum time that a request waits for the next one.
const VOUCHED: Duration = Duration::from_secs(1);
/// Timeout of a round trip, after which the connection is closed.
const PATIENCE: Duration = Duration::from_secs(2);
/// Maximum number of changed owners that are re-read individually. If more have changed, the whole list is re-read.
const MOST_OWNERS: usize = 2_000;
/// Maximum bytes of images in memory.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// State of a replica: the published images and their cached content.
pub(crate) struct PublicPictures {
    on_show: RwLock<PublishedImages>,
    /// Start time of the last successful round trip on the listening connection.
    refreshed_at: watch::Sender<Option<Instant>>,
    /// Content by SHA-256. It never changes.
    bytes: Cache<MediaKey, Bytes>,
}

impl Default for PublicPictures {
    fn default() -> Self {
        let weight = |_: &MediaKey, bytes: &Bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Self {
            on_show: RwLock::default(),
            refreshed_at: watch::Sender::new(None),
            bytes: Cache::builder().max_capacity(MOST_BYTES).weigher(weight).build(),
        }
    }
}

/// Returns the content of a published image; `None` if no published object contains it.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if this replica receives no changes, or the object storage does not answer.
pub async fn open(services: &Services, name: &PictureName) -> Result<Option<Bytes>, Fault> {
    let pictures = services.state::<PublicPictures>();
    pictures.ensure_fresh().await?;
    if !pictures.on_show.read().unwrap_or_else(PoisonError::into_inner).contains(name) {
        return Ok(None);
    }
    if let Some(bytes) = pictures.bytes.get(&name.key()) {
        return Ok(Some(bytes));
    }
    let bytes = read(&services.media, name.key()).await?;
    if let Some(bytes) = &bytes {
        pictures.bytes.insert(name.key(), bytes.clone());
    }
    Ok(bytes)
}

async fn read(media: &MediaStore, key: MediaKey) -> Result<Option<Bytes>, Fault> {
    let Some(object) = media.get(key).await? else { return Ok(None) };
    let mut pieces: Vec<Bytes> = object.stream.try_collect().await?;
    Ok(if pieces.len() == 1 { pieces.pop() } else { Some(pieces.concat().into()) })
}

/// Keeps the list of published images up to date until cancelled.
pub async fn watch(services: Arc<Services>, stop: CancellationToken) {
    let pictures = services.state::<PublicPictures>();
    let mut is_told = false;
    while !stop.is_cancelled() {
        let begun = Instant::now();
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            ended = pictures.listen(&services.listeners) => ended,
        };
        // Logs each interruption once, regardless of the number of retries.
        is_told &= begun.elapsed() < PATIENCE * 2;
        if let Err(fault) = ended
            && !std::mem::replace(&mut is_told, true)
        {
            tracing::warn!(
                cause = fault.for_log(),
                "the feed of published images was interrupted; no image is served until it works again"
            );
        }
        tokio::time::sleep(BEAT).await;
    }
}

impl PublicPictures {
    /// Waits briefly until the list of published images is confirmed.
    async fn ensure_fresh(&self) -> Result<(), Fault> {
        let is_fresh = |at: &Option<Instant>| at.is_some_and(|at| at.elapsed() < VOUCHED);
        let mut refreshed_at = self.refreshed_at.subscribe();
        let is_known =
            timeout(VOUCHED, refreshed_at.wait_for(is_fresh)).await.is_ok_and(|refreshed_at| refreshed_at.is_ok());
        if is_known {
            return Ok(());
        }
        Err(Fault::unavailable("The service cannot determine at the moment which images are published. Try again."))
    }

    /// Runs the listening connection until it fails. The connection is not from the pool, because requests need those
    /// connections. A round trip proves that every notification committed before it has arrived.
    async fn listen(&self, listeners: &PgPool) -> Result<(), Fault> {
        let mut listener = PgListener::connect_with(listeners).await?;
        listener.ignore_pool_close_event(true);
        listener.listen("pictures").await?;
        self.reload_all(&mut listener).await?;
        loop {
            let asked = Instant::now();
            timeout(PATIENCE, store::ping(&mut listener))
                .await
                .map_err(|_| Fault::unavailable("the connection that listens for notifications does not answer"))??;
            let mut owners = BTreeSet::new();
            while let Some(notice) = listener.next_buffered() {
                owners.extend(Uuid::parse_str(notice.payload()));
            }
            self.reload(&mut listener, owners).await?;
            self.refreshed_at.send_replace(Some(asked));
            tokio::time::sleep(BEAT).await;
        }
    }

    async fn reload_all(&self, listener: &mut PgListener) -> Result<(), Fault> {
        let all = store::shown_all(listener).await?;
        *self.on_show.write().unwrap_or_else(PoisonError::into_inner) = all;
        Ok(())
    }

    /// Re-reads the images of these owners.
    async fn reload(&self, listener: &mut PgListener, owners: BTreeSet<Uuid>) -> Result<(), Fault> {
        match owners.len() {
            0 => Ok(()),
            1..=MOST_OWNERS => {
                let owners: Vec<Uuid> = owners.into_iter().collect();
                let found = store::shown_of(listener, &owners).await?;
                self.on_show.write().unwrap_or_else(PoisonError::into_inner).replace(&owners, found);
                Ok(())
            }
            _ => self.reload_all(listener).await,
        }
    }
}
