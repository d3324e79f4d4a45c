//! Health checks of the object storage: at startup for every kind of access, and later repeatedly.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use labs_crypto::random_bytes;
use object_store::path::Path;
use object_store::{ObjectStore as _, ObjectStoreExt as _};

use super::{MediaStore, StoreError, limit_time};

/// Folder of the probes, which the list skips.
const PROBES: &str = "probe";
/// Probe that the readiness check reads.
const READY: &str = "ready";
/// Time limit for writing it, shorter than that for the whole readiness check.
const PATIENCE: Duration = Duration::from_secs(1);
const CONTENT: &[u8] = b"ready";

/// Time of the last written probe, and the minimum interval between writes.
pub(super) struct LastWrite {
    every: Duration,
    at: Mutex<Option<Instant>>,
}

impl LastWrite {
    /// Writes a probe at every check.
    pub(super) fn each_time() -> Arc<Self> {
        Self::every(Duration::ZERO)
    }

    /// Writes a probe at this minimum interval.
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

/// State of the object storage.
#[derive(Debug)]
pub enum StoreState {
    /// Readable and writable.
    Usable,
    /// Readable, but not writable for this reason.
    ReadOnly(StoreError),
    /// Not readable.
    Unusable(StoreError),
}

impl MediaStore {
    /// Writes a probe, for a folder at every check and for a bucket at most once a minute, and reads it. If writing
    /// fails, reading the probe of the startup check shows whether the storage is readable. Anonymous clients must not
    /// be able to call it freely.
    pub async fn state(&self) -> StoreState {
        let probe = Path::from_iter([PROBES, READY]);
        let written = if self.written.is_recent() { Ok(()) } else { self.write_probe(&probe).await };
        match (self.read_probe(&probe).await, written) {
            (Ok(()), Ok(())) => StoreState::Usable,
            (Ok(()), Err(error)) => StoreState::ReadOnly(error),
            (Err(error), _) => {
                // The next check writes the probe again.
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

    /// Writes, reads, lists and deletes a separate probe, and leaves the probe that later checks read.
    ///
    /// # Errors
    /// [`StoreError`] if one of these steps fails.
    pub async fn prove(&self) -> Result<(), StoreError> {
        limit_time(async {
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
