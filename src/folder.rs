//! The folder of an instance of Labs, and its lock.

use anyhow::{Context, bail};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A folder that only this process may use until the value is dropped.
///
/// The folder has mode 0700. The kernel holds the lock on the file `lock` in it, so it ends with the process in every
/// case.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: File,
}

/// Result of locking a folder.
#[derive(Debug)]
pub enum Claim {
    /// This process has the lock until the value is dropped.
    Ours(Folder),
    /// Another process has the lock; its number, if known.
    Theirs(Option<u32>),
}

impl Folder {
    /// Creates the folder if needed and locks it.
    ///
    /// # Errors
    /// If another process has the lock (the message names it), or if the folder cannot be created or belongs to another
    /// user.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        match Self::claim(path)? {
            Claim::Ours(folder) => Ok(folder),
            Claim::Theirs(process) => bail!(
                "the folder {} is in use by {}: stop that process first, or choose another folder with --folder or \
                 LABS_FOLDER",
                path.display(),
                process.map_or_else(|| "another Labs".into(), |id| format!("another Labs, process {id}")),
            ),
        }
    }

    /// Like [`Folder::open`], but a locked folder is a result and not an error.
    ///
    /// # Errors
    /// If the folder cannot be created or belongs to another user.
    pub fn claim(path: &Path) -> anyhow::Result<Claim> {
        let path = private(path)?;
        let name = path.join("lock");
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&name)
            .with_context(|| format!("{} cannot be opened", name.display()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                lock.read_to_string(&mut holder)?;
                return Ok(Claim::Theirs(holder.trim().parse().ok()));
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("{} cannot be locked", name.display()));
            }
        }
        lock.set_len(0)?;
        writeln!(lock, "{}", std::process::id())?;
        Ok(Claim::Ours(Self { path, _lock: lock }))
    }

    /// Absolute path of the folder, without symbolic links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Creates a folder with mode 0700, or restricts an existing one to it; returns its absolute path.
///
/// Only an empty folder or a folder of Labs is restricted: `--folder /` must not lock out all users.
fn private(path: &Path) -> anyhow::Result<PathBuf> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("the folder {} could not be created", path.display()))?;
    let path = fs::canonicalize(path).with_context(|| format!("the folder {} cannot be accessed", path.display()))?;
    if fs::metadata(&path)?.permissions().mode() & 0o7777 != 0o700 {
        if !path.join("lock").exists() && fs::read_dir(&path)?.next().is_some() {
            bail!(
                "the folder {} contains other files and is readable by other users: choose an empty folder, or run \
                 `chmod 700` on it",
                path.display()
            );
        }
        fs::set_permissions(&path, Permissions::from_mode(0o700)).with_context(|| {
            format!("the permissions of the folder {} could not be restricted to its owner", path.display())
        })?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_private_and_has_one_user_at_a_time() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("labs");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();

        let first = Folder::open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        let refusal = Folder::open(&path).unwrap_err().to_string();
        let process = format!("process {}", std::process::id());
        assert!(refusal.contains(&process), "{refusal}");

        drop(first);
        Folder::open(&path).unwrap();
    }

    #[test]
    fn folder_with_other_files_is_left_unchanged() {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
        fs::write(place.path().join("thesis.txt"), "").unwrap();
        assert!(Folder::open(place.path()).is_err());
        let mode = fs::metadata(place.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}
