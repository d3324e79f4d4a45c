//! Objects that are written as they come, a part after the other.

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStoreExt as _, WriteMultipart};
use tokio::runtime::Handle;

use super::{MediaStore, StoreError};

/// An object in the making. Unless it is finished, nothing of it stays: dropped, it is aborted in the background.
pub struct ObjectWriter(Option<WriteMultipart>);

/// Bytes of a part. S3 takes no smaller one but the last, and 10,000 of an object.
pub(super) const PART: usize = 5 * 1024 * 1024;
/// Parts that may be on their way to the store while the next is filled.
const PARTS: usize = 1;

impl MediaStore {
    /// Begins an object.
    pub(super) async fn begin(&self, path: &Path) -> Result<ObjectWriter, StoreError> {
        let upload = self.objects.put_multipart(path).await?;
        Ok(ObjectWriter(Some(WriteMultipart::new_with_chunk_size(upload, PART))))
    }
}

impl ObjectWriter {
    /// Adds bytes, when the store has kept up.
    ///
    /// # Errors
    /// [`StoreError`]; then drop it.
    pub async fn write(&mut self, mut bytes: Bytes) -> Result<(), StoreError> {
        let Some(upload) = &mut self.0 else { return Ok(()) };
        while !bytes.is_empty() {
            upload.wait_for_capacity(PARTS).await?;
            upload.put(bytes.split_to(bytes.len().min(PART)));
        }
        Ok(())
    }

    /// Ends it: from now on it is there.
    ///
    /// # Errors
    /// [`StoreError`]; then it is not there.
    pub async fn finish(mut self) -> Result<(), StoreError> {
        if let Some(upload) = self.0.take() {
            upload.finish().await?;
        }
        Ok(())
    }

    /// Forgets it.
    pub async fn abort(mut self) {
        if let Some(upload) = self.0.take() {
            clear(upload).await;
        }
    }
}

impl Drop for ObjectWriter {
    /// Whoever wrote it is gone. A bucket keeps the parts that came, and charges for them.
    fn drop(&mut self) {
        if let (Some(upload), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(clear(upload));
        }
    }
}

async fn clear(upload: WriteMultipart) {
    if let Err(error) = upload.abort().await.map_err(StoreError::from) {
        tracing::warn!(cause = %error, "an incomplete object could not be deleted");
    }
}
