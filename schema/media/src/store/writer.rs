//! Objects that are written as a stream, one part after the other.

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStoreExt as _, WriteMultipart};
use tokio::runtime::Handle;

use super::{MediaStore, StoreError};

/// Object being written. Unless it is finished, nothing remains: if dropped, it is aborted in the background.
pub struct ObjectWriter(Option<WriteMultipart>);

/// Bytes of a part. S3 rejects smaller parts except the last one, and allows 10,000 per object.
pub(super) const PART: usize = 5 * 1024 * 1024;
/// Parts that may be in transfer while the next one is filled.
const PARTS: usize = 1;

impl MediaStore {
    pub(super) async fn begin(&self, path: &Path) -> Result<ObjectWriter, StoreError> {
        let upload = self.objects.put_multipart(path).await?;
        Ok(ObjectWriter(Some(WriteMultipart::new_with_chunk_size(upload, PART))))
    }
}

impl ObjectWriter {
    /// Adds bytes; waits until the storage has caught up.
    ///
    /// # Errors
    /// [`StoreError`]; the writer must then be dropped.
    pub async fn write(&mut self, mut bytes: Bytes) -> Result<(), StoreError> {
        let Some(upload) = &mut self.0 else { return Ok(()) };
        while !bytes.is_empty() {
            upload.wait_for_capacity(PARTS).await?;
            upload.put(bytes.split_to(bytes.len().min(PART)));
        }
        Ok(())
    }

    /// Finishes the object, which exists from then on.
    ///
    /// # Errors
    /// [`StoreError`]; the object then does not exist.
    pub async fn finish(mut self) -> Result<(), StoreError> {
        if let Some(upload) = self.0.take() {
            upload.finish().await?;
        }
        Ok(())
    }

    /// Aborts the write.
    pub async fn abort(mut self) {
        if let Some(upload) = self.0.take() {
            clear(upload).await;
        }
    }
}

impl Drop for ObjectWriter {
    /// The writer was dropped. A bucket keeps the uploaded parts and charges for them, so the upload is aborted.
    fn drop(&mut self) {
        if let (Some(upload), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(clear(upload));
        }
    }
}

async fn clear(upload: WriteMultipart) {
    if let Err(error) = upload.abort().await.map_err(StoreError::from) {
        tracing::warn!(cause = %error, "an incomplete object could not be deleted from the object storage");
    }
}
