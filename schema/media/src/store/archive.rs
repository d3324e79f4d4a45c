//! Archives: large objects under unguessable names, written as a stream and kept for a limited time.
//!
//! They are separate from the images, whose names follow from their content, so the sweep of the images never sees
//! them. An archive exists as soon as [`ObjectWriter::finish`] returns, and not before.

use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use super::writer::ObjectWriter;
use super::{MediaObject, MediaStore, StoreError, found_or_none, limit_time, read_in_pieces};

/// Name of an archive: 32 random bytes. Generated or read from a row, never from input of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveName([u8; 32]);

impl ArchiveName {
    /// Creates a name from new random bytes.
    pub fn new(random: [u8; 32]) -> ArchiveName {
        ArchiveName(random)
    }

    /// Converts a row's text to a name; `None` unless it has 64 hexadecimal digits.
    pub fn from_name(name: &str) -> Option<ArchiveName> {
        let mut bytes = [0u8; 32];
        hex::decode_to_slice(name, &mut bytes).ok()?;
        Some(ArchiveName(bytes))
    }

    /// Returns the name as text for a row.
    pub fn name(&self) -> String {
        hex::encode(self.0)
    }

    fn path(self) -> Path {
        Path::from_iter(["archives", &self.name()])
    }
}

impl MediaStore {
    /// Begins an archive.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn begin_archive(&self, name: ArchiveName) -> Result<ObjectWriter, StoreError> {
        self.begin(&name.path()).await
    }

    /// Opens an archive for reading in pieces; `None` if no archive has this name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn get_archive(&self, name: ArchiveName) -> Result<Option<MediaObject>, StoreError> {
        let found = limit_time(async { found_or_none(self.objects.get(&name.path()).await) }).await?;
        Ok(found.map(|found| MediaObject { size: found.meta.size, stream: read_in_pieces(found) }))
    }

    /// Deletes an archive; a missing archive is not an error.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn delete_archive(&self, name: ArchiveName) -> Result<(), StoreError> {
        limit_time(async { found_or_none(self.objects.delete(&name.path()).await) }).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::TryStreamExt as _;

    use super::*;

    async fn content(store: &MediaStore, name: ArchiveName) -> Option<Vec<u8>> {
        let object = store.get_archive(name).await.unwrap()?;
        let pieces: Vec<Bytes> = object.stream.try_collect().await.unwrap();
        Some(pieces.concat())
    }

    #[tokio::test]
    async fn archive_is_visible_only_after_completion() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(folder.path()).unwrap();
        let name = ArchiveName::new([7; 32]);
        let mut writer = store.begin_archive(name).await.unwrap();
        for piece in 0..12_u8 {
            writer.write(vec![piece; 1_000_000].into()).await.unwrap();
            assert_eq!(content(&store, name).await, None);
        }
        writer.finish().await.unwrap();
        let read = content(&store, name).await.unwrap();
        assert_eq!((read.len(), read[0], read[11_999_999]), (12_000_000, 0, 11));
        assert!(store.list().try_collect::<Vec<_>>().await.unwrap().is_empty(), "it is no picture");
        store.delete_archive(name).await.unwrap();
        store.delete_archive(name).await.unwrap();
        assert_eq!(content(&store, name).await, None);
    }

    #[tokio::test]
    async fn aborted_archive_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(folder.path()).unwrap();
        let name = ArchiveName::new([8; 32]);
        let mut writer = store.begin_archive(name).await.unwrap();
        writer.write(vec![1; 20_000_000].into()).await.unwrap();
        writer.abort().await;
        assert_eq!(content(&store, name).await, None);
        let left = std::fs::read_dir(folder.path().join("archives")).map(Iterator::count).unwrap_or_default();
        assert_eq!(left, 0);
    }

    #[test]
    fn archive_name_requires_thirty_two_bytes() {
        let name = ArchiveName::new([9; 32]);
        assert_eq!(ArchiveName::from_name(&name.name()), Some(name));
        for other in ["", "../secrets/master.key", &"0".repeat(62)] {
            assert_eq!(ArchiveName::from_name(other), None, "{other}");
        }
    }
}
