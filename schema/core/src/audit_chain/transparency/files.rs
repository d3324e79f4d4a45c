//! Objects of the log in the object storage.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use labs_media::store::MediaStore;
use labs_transparency::proof::Tiles;
use labs_transparency::{Hash, LogEntry, LogObject, Tile, entry, tile};

use crate::fault::Fault;

/// Objects in transfer at the same time.
const AT_ONCE: usize = 8;

/// Objects of the log.
#[derive(Clone, Copy)]
pub(super) struct LogFiles<'a>(pub(super) &'a MediaStore);

impl LogFiles<'_> {
    /// Loads the current checkpoint as text; `None` without one. Invalid characters are replaced, so that the signature
    /// does not verify.
    pub(super) async fn checkpoint(self) -> Result<Option<String>, Fault> {
        let content = self.0.get_log(LogObject::Checkpoint).await?;
        Ok(content.map(|content| String::from_utf8_lossy(&content).into_owned()))
    }

    /// Loads an object of a partial tile. It may have been replaced by the object of the full tile.
    async fn get(self, object: LogObject) -> Result<Option<Bytes>, Fault> {
        match self.0.get_log(object).await? {
            None if object != object.to_full() => Ok(self.0.get_log(object.to_full()).await?),
            found => Ok(found),
        }
    }

    /// Loads the hashes of these tiles, without those that are missing or shorter than their width.
    pub(super) async fn tiles(self, tiles: impl IntoIterator<Item = Tile>) -> Result<Tiles, Fault> {
        let loads = tiles.into_iter().map(|named| async move {
            let content = self.get(LogObject::Tile(named)).await?;
            Ok::<_, Fault>(content.and_then(|content| Some((named, tile::from_bytes(&content, named.width)?))))
        });
        let loaded: Vec<_> = stream::iter(loads).buffered(AT_ONCE).try_collect().await?;
        Ok(loaded.into_iter().flatten().collect())
    }

    /// Loads the entries of a tile at level 0, as far as they can be read.
    pub(super) async fn entries(self, named: Tile) -> Result<Vec<LogEntry>, Fault> {
        let content = self.get(LogObject::Entries(named)).await?;
        let mut entries = content.map(|content| entry::from_bundle(&content)).unwrap_or_default();
        entries.truncate(named.width.into());
        Ok(entries)
    }

    /// Stores tiles, and the entries of those at level 0.
    pub(super) async fn put(self, tiles: &[(Tile, Vec<Hash>)], entries: &[(Tile, Vec<LogEntry>)]) -> Result<(), Fault> {
        let tiles = tiles.iter().map(|(named, hashes)| (LogObject::Tile(*named), tile::to_bytes(hashes)));
        let entries = entries.iter().map(|(named, entries)| (LogObject::Entries(*named), entry::to_bundle(entries)));
        let objects: Vec<_> = tiles.chain(entries).collect();
        let puts = objects.into_iter().map(|(object, content)| self.0.put_log(object, content.into()));
        stream::iter(puts).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        Ok(())
    }
}
