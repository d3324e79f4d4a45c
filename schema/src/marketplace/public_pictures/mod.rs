//! Pictures of what is on show, at addresses that an `<img>` of any page can use without a token.
//!
//! ```text
//!   upload ──▶ copies for pages, each named by the SHA-256 of its bytes ──▶ address in the storefront's answers
//!                                                                             │ asked by anybody
//!                                                                             ▼
//!                          on show? (each replica knows) ──▶ bytes, from memory or from the store
//! ```
//!
//! Each replica holds what is on show in memory, and hears of changes over a connection of its own, so that an unknown
//! address costs no statement and what was taken off is gone within a second (docs/decisions.md#lists). While it has not
//! heard for a second, it waits for word, and then answers that it does not know.

mod address;
mod due;
mod on_show;
mod store;

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use moka::sync::Cache;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::on_show::OnShow;
use crate::core::fault::Fault;
use crate::core::media::store::{MediaKey, MediaStore};
use crate::core::services::Services;

pub use address::PictureName;
pub(in crate::marketplace) use address::PictureSource;
pub(crate) use due::make_due;

/// How often the listening connection is asked.
const BEAT: Duration = Duration::from_millis(200);
/// How long its answer vouches for what is held. Also how long a request waits for the next one.
const VOUCHED: Duration = Duration::from_secs(1);
/// How long no answer is awaited before the connection is given up.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most owners whose pictures are looked at one by one; where more have changed, everything is read anew.
const MOST_OWNERS: usize = 2_000;
/// Bytes of pictures that are held in memory.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What a replica knows of the pictures on show.
pub(crate) struct PublicPictures {
    on_show: RwLock<OnShow>,
    /// When the listening connection was last asked and had answered.
    heard: watch::Sender<Option<Instant>>,
    /// Bytes by their SHA-256: they never change.
    bytes: Cache<MediaKey, Bytes>,
}

impl Default for PublicPictures {
    fn default() -> Self {
        let weight = |_: &MediaKey, bytes: &Bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Self {
            on_show: RwLock::default(),
            heard: watch::Sender::new(None),
            bytes: Cache::builder().max_capacity(MOST_BYTES).weigher(weight).build(),
        }
    }
}

/// The bytes of a picture that is on show now; `None` where nothing on show has it.
///
/// # Errors
/// [`crate::Code::Unavailable`] while this replica does not hear of changes, or the store is away.
pub(crate) async fn open(services: &Services, name: &PictureName) -> Result<Option<Bytes>, Fault> {
    let pictures = services.state::<PublicPictures>();
    pictures.ensure_fresh().await?;
    if !pictures.on_show.read().unwrap_or_else(PoisonError::into_inner).holds(name) {
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

/// Keeps the knowledge fresh until cancelled.
pub(crate) async fn watch(services: Arc<Services>, stop: CancellationToken) {
    let pictures = services.state::<PublicPictures>();
    let mut is_told = false;
    while !stop.is_cancelled() {
        let begun = Instant::now();
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            ended = pictures.listen(&services.listeners) => ended,
        };
        // Once for each time that it breaks off, however often it is tried again.
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
    /// Waits until it is known what is on show, for a moment.
    async fn ensure_fresh(&self) -> Result<(), Fault> {
        let is_fresh = |at: &Option<Instant>| at.is_some_and(|at| at.elapsed() < VOUCHED);
        let mut heard = self.heard.subscribe();
        let is_known = timeout(VOUCHED, heard.wait_for(is_fresh)).await.is_ok_and(|heard| heard.is_ok());
        if is_known {
            return Ok(());
        }
        Err(Fault::unavailable("The service cannot determine at the moment which images are published. Try again."))
    }

    /// One life of the listening connection, which is none of the pool's: requests need those. A round trip on it proves
    /// that every notification committed before it has arrived.
    async fn listen(&self, listeners: &PgPool) -> Result<(), Fault> {
        let mut listener = PgListener::connect_with(listeners).await?;
        listener.ignore_pool_close_event(true);
        listener.listen("pictures").await?;
        self.learn_all(&mut listener).await?;
        loop {
            let asked = Instant::now();
            timeout(PATIENCE, sqlx::query("select 1").execute(&mut listener))
                .await
                .map_err(|_| Fault::unavailable("the listening connection does not answer"))??;
            let mut owners = BTreeSet::new();
            while let Some(notice) = listener.next_buffered() {
                owners.extend(Uuid::parse_str(notice.payload()));
            }
            self.learn(&mut listener, owners).await?;
            self.heard.send_replace(Some(asked));
            tokio::time::sleep(BEAT).await;
        }
    }

    async fn learn_all(&self, listener: &mut PgListener) -> Result<(), Fault> {
        let all = store::shown_all(listener).await?;
        *self.on_show.write().unwrap_or_else(PoisonError::into_inner) = all;
        Ok(())
    }

    /// Looks at the pictures of these owners anew.
    async fn learn(&self, listener: &mut PgListener, owners: BTreeSet<Uuid>) -> Result<(), Fault> {
        match owners.len() {
            0 => Ok(()),
            1..=MOST_OWNERS => {
                let owners: Vec<Uuid> = owners.into_iter().collect();
                let found = store::shown_of(listener, &owners).await?;
                self.on_show.write().unwrap_or_else(PoisonError::into_inner).replace(&owners, found);
                Ok(())
            }
            _ => self.learn_all(listener).await,
        }
    }
}
