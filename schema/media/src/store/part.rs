//! Parts of objects.

use std::io::{self, SeekFrom};
use std::ops::Range;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::{GetOptions, GetResultPayload, ObjectStore as _, ObjectStoreExt as _};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio_util::io::ReaderStream;

use super::{MediaKey, MediaStore, PIECE, StoreError, found_or_none, limit_time, whole};

impl MediaStore {
    /// Returns the size of an object in bytes; `None` if no object has this name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn size(&self, key: MediaKey) -> Result<Option<u64>, StoreError> {
        let found = limit_time(async { found_or_none(self.objects.head(&key.path()).await) }).await?;
        Ok(found.map(|found| found.size))
    }

    /// Streams a range of an object without reading the rest. The object is opened when the first bytes are needed.
    #[must_use]
    pub fn part(self, key: MediaKey, part: Range<u64>) -> BoxStream<'static, io::Result<Bytes>> {
        stream::once(async move { self.open(key, part).await }).try_flatten().map_err(io::Error::other).boxed()
    }

    async fn open(
        self,
        key: MediaKey,
        part: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, StoreError>>, StoreError> {
        let options = GetOptions::new().with_range(Some(part));
        let found = limit_time(async { Ok(self.objects.get_opts(&key.path(), options).await?) }).await?;
        // The storage may have shortened the range to the available bytes.
        let part = found.range.clone();
        let length = part.end.saturating_sub(part.start);
        let pieces = match found.payload {
            GetResultPayload::File(file, _) => {
                let mut file = tokio::fs::File::from_std(file);
                file.seek(SeekFrom::Start(part.start)).await.map_err(StoreError::Read)?;
                ReaderStream::with_capacity(file.take(length), PIECE).map_err(StoreError::Read).boxed()
            }
            GetResultPayload::Stream(pieces) => pieces.map_err(StoreError::from).boxed(),
        };
        Ok(whole(length, pieces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn byte_range_is_read_exactly() {
        let folder = tempfile::tempdir().unwrap();
        let files = MediaStore::in_folder(&folder.path().join("media")).unwrap();
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
        for store in [files, MediaStore::in_memory()] {
            let key = store.put(bytes.clone().into()).await.unwrap();
            assert_eq!(store.size(key).await.unwrap(), Some(3_000_000));
            for part in [0..1, 0..3_000_000, 1_000_000..1_000_010, 700_000..2_000_000, 2_999_999..3_000_000] {
                let read: Vec<Bytes> = store.clone().part(key, part.clone()).try_collect().await.unwrap();
                let expected = bytes.get(part.start as usize..part.end as usize).unwrap();
                assert!(read.concat() == expected, "{part:?}");
            }
            let unknown = MediaKey::of(b"unknown");
            assert_eq!(store.size(unknown).await.unwrap(), None);
            assert!(store.part(unknown, 0..1).try_collect::<Vec<_>>().await.is_err());
        }
    }
}
