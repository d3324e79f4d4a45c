//! Object storage of images: objects named by the SHA-256 of their content.
//!
//! An object is written completely and is on disk (file and folders) or in the bucket before [`MediaStore::put`]
//! returns. So call `put` first, then commit the row that names the object. A crash between the two leaves an object
//! without a row, which is not visible and is removed by a sweep (docs/decisions/files.md#objects-before-rows).
//!
//! Two rows may name the same object. Delete an object only if no row names it *and* it is older than the longest
//! possible upload. Every `put`, even of existing content, renews the object's age, so the sweep never removes the
//! object of an upload that is about to commit its row.
pub mod archive;
pub mod audit;
mod bucket;
mod failure;
mod location;
mod part;
mod probe;
mod staged;
mod writer;

use std::fmt;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use jiff::Timestamp;
use labs_crypto::sha256;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error, GetResult, GetResultPayload, ObjectMeta, ObjectStore, ObjectStoreExt};
use tokio_util::io::ReaderStream;

use self::failure::is_about_the_bucket;
pub use self::failure::{FailureKind, StoreError};
pub use self::location::{Bucket, MediaPlace};
use self::probe::LastWrite;
pub use self::probe::StoreState;
pub use self::writer::ObjectWriter;
use self::writer::PART;

/// Object storage of the service. Cheap to clone.
#[derive(Clone)]
pub struct MediaStore {
    objects: Arc<dyn ObjectStore>,
    /// Folder of the files, unless a bucket is used.
    folder: Option<Arc<FilePath>>,
    /// Time of the last write by the readiness check.
    written: Arc<LastWrite>,
}

/// The library's debug output can contain keys.
impl fmt::Debug for MediaStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MediaStore").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Name of an object: the SHA-256 of its content. Computed from content or read from a row, never from input of a
/// caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MediaKey([u8; 32]);

/// Object opened for reading.
pub struct MediaObject {
    /// Total size in bytes.
    pub size: u64,
    /// The content. After an error in the middle, the answer must be aborted, not ended normally.
    pub stream: BoxStream<'static, Result<Bytes, StoreError>>,
}

/// Reads an object in pieces of [`PIECE`] bytes if it is a file: the library's pieces have 8 kB, and each needs a
/// blocking thread.
fn read_in_pieces(found: GetResult) -> BoxStream<'static, Result<Bytes, StoreError>> {
    let size = found.meta.size;
    let pieces = match found.payload {
        GetResultPayload::File(file, _) => {
            ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE).map_err(StoreError::Read).boxed()
        }
        GetResultPayload::Stream(pieces) => pieces.map_err(StoreError::from).boxed(),
    };
    whole(size, pieces)
}

/// Ends the stream with an error if it has fewer than this many bytes.
fn whole(
    length: u64,
    pieces: BoxStream<'static, Result<Bytes, StoreError>>,
) -> BoxStream<'static, Result<Bytes, StoreError>> {
    let read = stream::try_unfold((pieces, length), |(mut pieces, left)| async move {
        match pieces.try_next().await? {
            Some(piece) => {
                let left = left.checked_sub(piece.len() as u64).ok_or(StoreError::CutOff)?;
                Ok(Some((piece, (pieces, left))))
            }
            None if left == 0 => Ok(None),
            None => Err(StoreError::CutOff),
        }
    });
    read.boxed()
}

/// Runs a step with the time limit [`PATIENCE`].
async fn limit_time<T>(step: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(PATIENCE, step).await.unwrap_or(Err(StoreError::Silent))
}

/// Returns the result; `None` if no object has this name.
fn found_or_none<T>(found: Result<T, Error>) -> Result<Option<T>, StoreError> {
    match found {
        Err(error @ Error::NotFound { .. }) if !is_about_the_bucket(&error) => Ok(None),
        found => Ok(Some(found?)),
    }
}

/// Object in the listing of the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaEntry {
    /// Name of the object.
    pub key: MediaKey,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last `put`, by the clock of the storage.
    pub modified_at: Timestamp,
}

/// Maximum size of an object that is read at once instead of in pieces.
const READ_WHOLE: u64 = 512 * 1024;
/// Bytes per piece of a file.
const PIECE: usize = 128 * 1024;
/// Time limit of a storage step: writing an object or a part, finding an object, reading a small one.
const PATIENCE: Duration = Duration::from_secs(20);

impl MediaStore {
    /// Opens the storage in a folder. A missing folder is created with mode 0700. Writes are synced.
    ///
    /// # Errors
    /// [`StoreError`] if the folder cannot be opened or created.
    pub fn in_folder(folder: &FilePath) -> Result<MediaStore, StoreError> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let files = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
        Ok(MediaStore { objects: Arc::new(files), folder: Some(folder.into()), written: LastWrite::each_time() })
    }

    /// Creates a storage in memory, for tests.
    pub fn in_memory() -> MediaStore {
        MediaStore { objects: Arc::new(InMemory::new()), folder: None, written: LastWrite::each_time() }
    }

    /// Stores an object and returns its name. Storing the same content again is not an error and renews the object's
    /// age. A concurrent reader gets the whole object or nothing.
    ///
    /// # Errors
    /// [`StoreError`]; the object must then not be assumed to exist.
    pub async fn put(&self, content: Bytes) -> Result<MediaKey, StoreError> {
        let key = MediaKey::of(&content);
        if content.len() <= PART {
            limit_time(async { Ok(self.objects.put(&key.path(), content.into()).await?) }).await?;
        } else {
            let mut writer = self.begin(&key.path()).await?;
            writer.write(content).await?;
            writer.finish().await?;
        }
        Ok(key)
    }

    /// Opens an object; `None` if no object has this name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn get(&self, key: MediaKey) -> Result<Option<MediaObject>, StoreError> {
        limit_time(async {
            let Some(found) = found_or_none(self.objects.get(&key.path()).await)? else { return Ok(None) };
            let size = found.meta.size;
            let stream = if size <= READ_WHOLE {
                let content = found.bytes().await?;
                if content.len() as u64 != size {
                    return Err(StoreError::CutOff);
                }
                stream::once(async { Ok(content) }).boxed()
            } else {
                read_in_pieces(found)
            };
            Ok(Some(MediaObject { size, stream }))
        })
        .await
    }

    /// Deletes an object whose last `put` was before this moment. Returns whether it existed. The module comment says
    /// when this is safe.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn delete_old(&self, key: MediaKey, before: Timestamp) -> Result<bool, StoreError> {
        let path = key.path();
        limit_time(async {
            let found = found_or_none(self.objects.head(&path).await)?.and_then(|found| MediaEntry::of(&found));
            if found.is_none_or(|entry| entry.modified_at >= before) {
                return Ok(false);
            }
            Ok(found_or_none(self.objects.delete(&path).await)?.is_some())
        })
        .await
    }

    /// Lists all objects for the sweep, in no particular order. Other files in the storage are skipped.
    pub fn list(&self) -> BoxStream<'static, Result<MediaEntry, StoreError>> {
        self.objects
            .list(None)
            .map_err(StoreError::from)
            .try_filter_map(|meta| async move { Ok(MediaEntry::of(&meta)) })
            .boxed()
    }
}

impl MediaKey {
    /// Computes the name of this content.
    pub fn of(content: &[u8]) -> MediaKey {
        MediaKey(sha256(content))
    }

    /// Converts a row's column to a name; `None` unless it has 32 bytes.
    pub fn from_digest(digest: &[u8]) -> Option<MediaKey> {
        digest.try_into().ok().map(MediaKey)
    }

    /// Converts a row's text to a name; `None` unless it has 64 hexadecimal digits.
    pub fn from_name(name: &str) -> Option<MediaKey> {
        let mut digest = [0u8; 32];
        hex::decode_to_slice(name, &mut digest).ok()?;
        Some(MediaKey(digest))
    }

    /// Returns the name as text for a row: 64 hexadecimal digits.
    pub fn name(&self) -> String {
        hex::encode(self.0)
    }

    /// Returns the SHA-256, for the row and the entity tag.
    pub fn digest(&self) -> &[u8; 32] {
        &self.0
    }

    /// Two levels of folders, so that no folder grows large.
    fn path(self) -> Path {
        let name = self.name();
        let (first, rest) = name.split_at_checked(2).unwrap_or_default();
        let (second, _) = rest.split_at_checked(2).unwrap_or_default();
        Path::from_iter([first, second, &name])
    }
}

impl MediaEntry {
    fn of(meta: &ObjectMeta) -> Option<MediaEntry> {
        let key = MediaKey::from_name(meta.location.filename()?)?;
        let modified_at = Timestamp::from_millisecond(meta.last_modified.timestamp_millis());
        (key.path() == meta.location).then_some(MediaEntry { key, size: meta.size, modified_at: modified_at.ok()? })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, SystemTime};

    use super::*;

    async fn content(store: &MediaStore, key: MediaKey) -> Option<(u64, Vec<u8>)> {
        let object = store.get(key).await.unwrap()?;
        let pieces: Vec<Bytes> = object.stream.try_collect().await.unwrap();
        Some((object.size, pieces.concat()))
    }

    fn in_new_folder() -> (tempfile::TempDir, MediaStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(&folder.path().join("media")).unwrap();
        (folder, store)
    }

    #[tokio::test]
    async fn stored_object_is_read_in_both_stores_and_all_sizes() {
        let (_folder, files) = in_new_folder();
        for store in [files, MediaStore::in_memory()] {
            for size in [0, 1, 512 * 1024, 512 * 1024 + 1, 3_000_000] {
                let bytes: Vec<u8> = (0..size).map(|at: u32| (at % 251) as u8).collect();
                let key = store.put(bytes.clone().into()).await.unwrap();
                assert_eq!(key, MediaKey::of(&bytes));
                let read = content(&store, key).await;
                assert_eq!(read, Some((u64::from(size), bytes)));
            }
        }
    }

    #[tokio::test]
    async fn content_shorter_or_longer_than_declared_is_rejected() {
        for (length, is_whole) in [(6, true), (7, false), (5, false), (0, false)] {
            let pieces = stream::iter([b"one", b"two"].map(|piece| Ok(Bytes::from_static(piece)))).boxed();
            let read = whole(length, pieces).try_collect::<Vec<_>>().await;
            assert_eq!(read.is_ok(), is_whole, "{length}");
        }
    }

    #[tokio::test]
    async fn missing_or_deleted_object_is_not_found() {
        let (_folder, files) = in_new_folder();
        for store in [files, MediaStore::in_memory()] {
            let unknown = MediaKey::of(b"unknown");
            assert!(store.get(unknown).await.unwrap().is_none());
            let (before, after) = (Timestamp::UNIX_EPOCH, Timestamp::MAX);
            assert!(!store.delete_old(unknown, after).await.unwrap());
            let key = store.put(Bytes::from_static(b"known")).await.unwrap();
            assert!(!store.delete_old(key, before).await.unwrap(), "it is too young");
            assert!(store.get(key).await.unwrap().is_some());
            assert!(store.delete_old(key, after).await.unwrap());
            assert!(store.get(key).await.unwrap().is_none());
        }
    }

    #[tokio::test]
    async fn repeated_put_changes_only_age() {
        let (folder, store) = in_new_folder();
        let key = store.put(Bytes::from_static(b"picture")).await.unwrap();
        let file = folder.path().join("media").join(key.path().as_ref());
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        fs::File::open(&file).unwrap().set_modified(long_ago).unwrap();
        let entries = || async { store.list().try_collect::<Vec<_>>().await.unwrap() };
        assert_eq!(entries().await[0].modified_at.as_second(), 1_000_000);
        store.put(Bytes::from_static(b"picture")).await.unwrap();
        let entries = entries().await;
        assert_eq!(entries.len(), 1);
        assert!(entries[0].modified_at.as_second() > 1_700_000_000);
        assert_eq!((entries[0].key, entries[0].size), (key, 7));
    }

    #[tokio::test]
    async fn objects_are_stored_in_two_levels_of_private_folder() {
        let (folder, store) = in_new_folder();
        let key = store.put(Bytes::from_static(b"abc")).await.unwrap();
        let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex::encode(key.digest()), name);
        let root = folder.path().join("media");
        assert!(root.join("ba/78").join(name).is_file());
        let mode = fs::metadata(&root).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[tokio::test]
    async fn object_list_skips_probe_and_other_files() {
        let (folder, store) = in_new_folder();
        assert!(matches!(store.state().await, StoreState::Usable));
        let key = store.put(Bytes::from_static(b"picture")).await.unwrap();
        let root = folder.path().join("media");
        fs::write(root.join("notes.txt"), "x").unwrap();
        fs::write(root.join("00".repeat(32)), "in no folder").unwrap();
        let entries: Vec<_> = store.list().try_collect().await.unwrap();
        assert_eq!(entries.iter().map(|e| e.key).collect::<Vec<_>>(), [key]);
    }

    #[tokio::test]
    async fn readers_never_see_partial_object() {
        let (_folder, store) = in_new_folder();
        let bytes = Bytes::from(vec![7u8; 2_000_000]);
        let key = MediaKey::of(&bytes);
        let writers = (0..8).map(|_| store.put(bytes.clone()));
        let readers = (0..64).map(|_| content(&store, key));
        let (written, read) =
            tokio::join!(futures_util::future::join_all(writers), futures_util::future::join_all(readers));
        assert!(written.iter().all(Result::is_ok));
        for (size, content) in read.into_iter().flatten() {
            assert_eq!((size, content.len()), (2_000_000, 2_000_000));
        }
    }

    #[tokio::test]
    async fn store_that_cannot_be_read_is_unusable() {
        let (folder, store) = in_new_folder();
        assert!(matches!(store.state().await, StoreState::Usable));
        fs::remove_dir_all(folder.path().join("media")).unwrap();
        fs::write(folder.path().join("media"), "a file in its place").unwrap();
        assert!(matches!(store.state().await, StoreState::Unusable(_)));
        assert!(store.put(Bytes::from_static(b"x")).await.is_err());
    }

    #[test]
    fn media_key_requires_thirty_two_bytes() {
        let key = MediaKey::of(b"abc");
        assert_eq!(MediaKey::from_digest(key.digest()), Some(key));
        assert_eq!(MediaKey::from_digest(&[0; 31]), None);
        assert_eq!(MediaKey::from_digest(b"../../etc/passwd"), None);
        assert_eq!(MediaKey::from_name(&key.name()), Some(key));
        for name in ["", "../../etc/passwd", &"0".repeat(63), &"0".repeat(66), &"g".repeat(64)] {
            assert_eq!(MediaKey::from_name(name), None, "{name}");
        }
    }
}
