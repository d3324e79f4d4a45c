//! Objects of the audit log's transparency log: checkpoint, tiles and entries. They are separate from the images, so the
//! sweep of the images never sees them.

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use jiff::Timestamp;
use labs_transparency::{LogObject, Tile};
use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use crate::store::{MediaStore, StoreError, found_or_none, limit_time};

/// Folder of the objects.
const FOLDER: &str = "audit-log";

fn path_of(object: LogObject) -> Path {
    Path::from(format!("{FOLDER}/{}", object.path()))
}

impl MediaStore {
    /// Stores an object of the log. It replaces an object with the same name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn put_log(&self, object: LogObject, content: Bytes) -> Result<(), StoreError> {
        limit_time(async { Ok(self.objects.put(&path_of(object), content.into()).await?) }).await.map(drop)
    }

    /// Reads an object of the log; `None` if it does not exist. Each has at most some kilobytes.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn get_log(&self, object: LogObject) -> Result<Option<Bytes>, StoreError> {
        limit_time(async {
            match found_or_none(self.objects.get(&path_of(object)).await)? {
                Some(found) => Ok(Some(found.bytes().await?)),
                None => Ok(None),
            }
        })
        .await
    }

    /// Returns the time at which the checkpoint was stored, by the clock of the storage; `None` without a checkpoint.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn checkpoint_stored_at(&self) -> Result<Option<Timestamp>, StoreError> {
        let path = path_of(LogObject::Checkpoint);
        let found = limit_time(async { found_or_none(self.objects.head(&path).await) }).await?;
        Ok(found.and_then(|found| Timestamp::from_millisecond(found.last_modified.timestamp_millis()).ok()))
    }

    /// Deletes the partial versions of full tiles, with their entries.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn delete_partial_tiles(&self, tile: Tile) -> Result<(), StoreError> {
        let objects = [LogObject::Tile(tile), LogObject::Entries(tile)];
        let folders = objects.map(|object| Path::from(format!("{FOLDER}/{}.p", object.to_full().path())));
        for folder in folders.into_iter().take(if tile.level == 0 { 2 } else { 1 }) {
            let found: Vec<_> = limit_time(async { Ok(self.objects.list(Some(&folder)).try_collect().await?) }).await?;
            for partial in found {
                limit_time(async { found_or_none(self.objects.delete(&partial.location).await) }).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(level: u8, index: u64, width: u16) -> Tile {
        Tile { level, index, width }
    }

    #[tokio::test]
    async fn log_objects_are_stored_under_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(folder.path()).unwrap();
        assert!(store.get_log(LogObject::Checkpoint).await.unwrap().is_none());
        assert!(store.checkpoint_stored_at().await.unwrap().is_none());
        for object in [LogObject::Checkpoint, LogObject::Tile(tile(0, 1234, 5)), LogObject::Entries(tile(0, 1234, 5))] {
            store.put_log(object, Bytes::from(object.path())).await.unwrap();
            assert_eq!(store.get_log(object).await.unwrap().unwrap(), object.path().as_bytes());
        }
        assert!(folder.path().join("audit-log/tile/0/x001/234.p/5").exists());
        assert!(store.checkpoint_stored_at().await.unwrap().is_some());
        assert!(store.list().try_collect::<Vec<_>>().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn only_partial_versions_of_the_full_tile_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(folder.path()).unwrap();
        let kept = [tile(0, 0, 256), tile(0, 1, 3), tile(1, 0, 1)].map(LogObject::Tile);
        let deleted = [tile(0, 0, 7), tile(0, 0, 255)];
        let deleted = deleted.iter().flat_map(|tile| [LogObject::Tile(*tile), LogObject::Entries(*tile)]);
        let deleted: Vec<_> = deleted.collect();
        for object in kept.iter().chain(&deleted) {
            store.put_log(*object, Bytes::from_static(b"x")).await.unwrap();
        }
        store.delete_partial_tiles(tile(0, 0, 256)).await.unwrap();
        for object in kept {
            assert!(store.get_log(object).await.unwrap().is_some(), "{}", object.path());
        }
        for object in deleted {
            assert!(store.get_log(object).await.unwrap().is_none(), "{}", object.path());
        }
    }
}
