//! Pieces of the audit log that were archived: objects under names that tell which places of the chain they hold. They stand
//! apart from the pictures, so that no sweep over those meets them, and nothing deletes them.

use std::fmt;

use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use super::writer::ObjectWriter;
use super::{MediaObject, MediaStore, StoreError, in_time, read_in_pieces, there};

/// A piece's name: its first and its last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AuditPieceName {
    /// The first place.
    pub(crate) first: i64,
    /// The last place.
    pub(crate) last: i64,
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
    /// Begins a piece; it is there when it is finished, and takes the place of one of the same name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub(crate) async fn audit_begin(&self, name: AuditPieceName) -> Result<ObjectWriter, StoreError> {
        self.begin(&name.path()).await
    }

    /// Opens a piece; `None` when there is none of this name.
    ///
    /// # Errors
    /// [`StoreError`]
    pub(crate) async fn audit_get(&self, name: AuditPieceName) -> Result<Option<MediaObject>, StoreError> {
        let found = in_time(async { there(self.objects.get(&name.path()).await) }).await?;
        Ok(found.map(|found| MediaObject { size: found.meta.size, stream: read_in_pieces(found) }))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::TryStreamExt as _;

    use super::*;

    #[tokio::test]
    async fn a_piece_is_found_by_its_places_and_is_no_picture() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(folder.path()).unwrap();
        let name = AuditPieceName { first: 1, last: 20 };
        assert!(store.audit_get(name).await.unwrap().is_none());
        let mut writer = store.audit_begin(name).await.unwrap();
        writer.write(Bytes::from_static(b"line\n")).await.unwrap();
        writer.finish().await.unwrap();
        let object = store.audit_get(name).await.unwrap().unwrap();
        assert_eq!(object.stream.try_collect::<Vec<_>>().await.unwrap().concat(), b"line\n");
        assert!(store.list().try_collect::<Vec<_>>().await.unwrap().is_empty());
        assert!(folder.path().join("audit/000000000000001-000000000000020.ndjson").exists());
    }
}
