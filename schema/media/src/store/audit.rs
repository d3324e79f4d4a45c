//! Archived pieces of the audit log: objects whose names contain their positions in the chain. They are separate from
//! the images, so the sweep of the images never sees them, and nothing deletes them.

mod log;

use std::fmt;

use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use super::writer::ObjectWriter;
use super::{MediaObject, MediaStore, StoreError, found_or_none, limit_time, read_in_pieces};

/// Name of a piece: its first and last position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditPieceName {
    /// First position.
    pub first: i64,
    /// Last position.
    pub last: i64,
}

impl AuditPieceName {
    fn path(self) -> Path {
        Path::from_iter(["audit", &self.to_string()])
    }
}

impl fmt::Display for AuditPieceName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:015}-{:015}.ndjson", self.first, self.last)
    }
}

impl MediaStore {
    /// Begins a piece. It exists once it is finished, and replaces a piece with the same name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn begin_audit(&self, name: AuditPieceName) -> Result<ObjectWriter, StoreError> {
        self.begin(&name.path()).await
    }

    /// Opens a piece; `None` if no piece has this name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn get_audit(&self, name: AuditPieceName) -> Result<Option<MediaObject>, StoreError> {
        let found = limit_time(async { found_or_none(self.objects.get(&name.path()).await) }).await?;
        Ok(found.map(|found| MediaObject { size: found.meta.size, stream: read_in_pieces(found) }))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::TryStreamExt as _;

    use super::*;

    #[tokio::test]
    async fn audit_piece_is_found_by_its_positions() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(folder.path()).unwrap();
        let name = AuditPieceName { first: 1, last: 20 };
        assert!(store.get_audit(name).await.unwrap().is_none());
        let mut writer = store.begin_audit(name).await.unwrap();
        writer.write(Bytes::from_static(b"line\n")).await.unwrap();
        writer.finish().await.unwrap();
        let object = store.get_audit(name).await.unwrap().unwrap();
        assert_eq!(object.stream.try_collect::<Vec<_>>().await.unwrap().concat(), b"line\n");
        assert!(store.list().try_collect::<Vec<_>>().await.unwrap().is_empty());
        assert!(folder.path().join("audit/000000000000001-000000000000020.ndjson").exists());
    }
}
