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

impl MediaStore {
    /// Reads a probe, which it has written: into a folder now, into a bucket a minute ago at most. Do not let strangers
    /// call it freely.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be used.
    pub async fn ready(&self) -> Result<(), StoreError> {
        let probe = Path::from_iter([PROBES, "ready"]);
        if !self.written.is_recent() {
            self.objects.put(&probe, Bytes::from_static(CONTENT).into()).await?;
            self.written.note(Some(Instant::now()));
        }
        // Where it is gone, the next one to ask writes it again.
        self.read_probe(&probe).await.inspect_err(|_| self.written.note(None))
    }

    /// Writes a probe of its own, reads it, lists it and deletes it again.
    ///
    /// # Errors
    /// [`StoreError`] when one of these fails.
    pub(crate) async fn prove(&self) -> Result<(), StoreError> {
        in_time(async {
            let probe = Path::from_iter([PROBES, &hex::encode(random_bytes::<16>())]);
            self.objects.put(&probe, Bytes::from_static(CONTENT).into()).await?;
            self.read_probe(&probe).await?;
            self.objects.list(Some(&Path::from(PROBES))).try_next().await?.ok_or(StoreError::Mixed)?;
            Ok(self.objects.delete(&probe).await?)
        })
        .await
    }

    async fn read_probe(&self, probe: &Path) -> Result<(), StoreError> {
        let read = self.objects.get(probe).await?.bytes().await?;
        if read == CONTENT { Ok(()) } else { Err(StoreError::Mixed) }
    }
}
