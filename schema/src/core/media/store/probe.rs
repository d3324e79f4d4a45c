//! Whether the store can be used: at the start once, in all that the service does to it; after that again and again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectStore as _, ObjectStoreExt as _};

use super::{MediaStore, StoreError, in_time};
use crate::core::crypto::random_bytes;

/// Where probes lie. The list passes over them.
const PROBES: &str = "probe";
/// The one that readiness reads.
const READY: &str = "ready";
/// How long readiness waits for it to be written: less than the whole check may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// What is in one.
const CONTENT: &[u8] = b"ready";

/// When a probe was last written, and how often one is to be.
pub(super) struct LastWrite {
    every: Duration,
    at: Mutex<Option<Instant>>,
}

impl LastWrite {
    /// Whenever somebody asks.
    pub(super) fn each_time() -> Arc<Self> {
        Self::every(Duration::ZERO)
    }

    /// After so long.
    pub(super) fn every(every: Duration) -> Arc<Self> {
        Arc::new(Self { every, at: Mutex::new(None) })
    }

    fn is_recent(&self) -> bool {
        let at = *self.at.lock().unwrap_or_else(PoisonError::into_inner);
        at.is_some_and(|at| at.elapsed() < self.every)
    }

    fn note(&self, at: Option<Instant>) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

/// What the store can be used for.
#[derive(Debug)]
pub enum StoreState {
    /// It can be read and written.
    Usable,
    /// It can be read, and not written for this reason.
    ReadOnly(StoreError),
    /// It cannot be read.
    Unusable(StoreError),
}

impl MediaStore {
    /// Writes a probe, into a folder now, into a bucket a minute ago at most, and reads it. Where it cannot be written, the
    /// one that the start left tells whether the store can be read. Do not let strangers call it freely.
    pub async fn state(&self) -> StoreState {
        let probe = Path::from_iter([PROBES, READY]);
        let written = if self.written.is_recent() { Ok(()) } else { self.write_probe(&probe).await };
        match (self.read_probe(&probe).await, written) {
            (Ok(()), Ok(())) => StoreState::Usable,
            (Ok(()), Err(error)) => StoreState::ReadOnly(error),
            (Err(error), _) => {
                // The next one to ask writes it again.
                self.written.note(None);
                StoreState::Unusable(error)
            }
        }
    }

    async fn write_probe(&self, probe: &Path) -> Result<(), StoreError> {
        let put = self.objects.put(probe, Bytes::from_static(CONTENT).into());
        tokio::time::timeout(PATIENCE, put).await.map_err(|_| StoreError::Silent)??;
        self.written.note(Some(Instant::now()));
        Ok(())
    }

    /// Writes a probe of its own, reads it, lists it and deletes it again, and leaves the one that is read later.
    ///
    /// # Errors
    /// [`StoreError`] when one of these fails.
    pub(crate) async fn prove(&self) -> Result<(), StoreError> {
        in_time(async {
            let probe = Path::from_iter([PROBES, &hex::encode(random_bytes::<16>())]);
            self.objects.put(&probe, Bytes::from_static(CONTENT).into()).await?;
            self.read_probe(&probe).await?;
            self.objects.list(Some(&Path::from(PROBES))).try_next().await?.ok_or(StoreError::Mixed)?;
            self.objects.delete(&probe).await?;
            self.write_probe(&Path::from_iter([PROBES, READY])).await
        })
        .await
    }

    async fn read_probe(&self, probe: &Path) -> Result<(), StoreError> {
        let read = self.objects.get(probe).await?.bytes().await?;
        if read == CONTENT { Ok(()) } else { Err(StoreError::Mixed) }
    }
}
