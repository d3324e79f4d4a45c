//! Leftovers of interrupted writes. The library writes next to the object's name, with `#` and a number appended, and
//! renames the file when it is complete. Its list skips these files, and a killed process leaves them.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use walkdir::{DirEntry, WalkDir};

use super::{MediaStore, StoreError};

impl MediaStore {
    /// Deletes unfinished files that were not written since this moment. Returns the number of deleted files. The
    /// moment must be earlier than the start of any write that can still be running.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn delete_staged(&self, before: Timestamp) -> Result<u64, StoreError> {
        let Some(folder) = self.folder.clone() else { return Ok(0) };
        let swept = tokio::task::spawn_blocking(move || sweep(&folder, before.into())).await;
        swept.map_err(io::Error::other).flatten().map_err(StoreError::Sweep)
    }
}

fn sweep(folder: &Path, before: SystemTime) -> io::Result<u64> {
    let mut deleted = 0;
    for entry in WalkDir::new(folder) {
        // Another process may sweep or finish a write at the same time.
        deleted += match entry.map_err(io::Error::from).and_then(|entry| delete(&entry, before)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            done => u64::from(done?),
        };
    }
    Ok(deleted)
}

fn delete(entry: &DirEntry, before: SystemTime) -> io::Result<bool> {
    let is_old = || Ok::<_, io::Error>(entry.metadata()?.modified()? < before);
    if !entry.file_type().is_file() || !is_staged(entry) || !is_old()? {
        return Ok(false);
    }
    fs::remove_file(entry.path()).map(|()| true)
}

/// Whether a file has the name of an unfinished write of the library.
fn is_staged(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name.rsplit_once('#').is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::archive::ArchiveName;

    #[tokio::test]
    async fn old_incomplete_uploads_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::in_folder(folder.path()).unwrap();
        let key = store.put(bytes::Bytes::from_static(b"picture")).await.unwrap();
        let mut writer = store.begin_archive(ArchiveName::new([7; 32])).await.unwrap();
        writer.write(vec![1; 20_000_000].into()).await.unwrap();
        // Simulates `kill -9`: no code of the writer runs any more.
        std::mem::forget(writer);
        let archives = || fs::read_dir(folder.path().join("archives")).unwrap().map(|entry| entry.unwrap().path());
        assert_eq!(archives().count(), 1, "what the object store has not finished is no file of its list");
        let begun = fs::metadata(archives().next().unwrap()).unwrap().modified().unwrap();
        let at = |time: SystemTime| Timestamp::try_from(time).unwrap();
        assert_eq!(store.delete_staged(at(begun - Duration::from_secs(60))).await.unwrap(), 0, "it is too young");
        assert_eq!(store.delete_staged(at(begun + Duration::from_secs(60))).await.unwrap(), 1);
        assert_eq!(archives().count(), 0);
        assert!(store.get(key).await.unwrap().is_some());
    }
}
