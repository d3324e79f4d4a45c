//! The folder in which one Labs lives, and its lock.

use anyhow::{Context, bail};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A folder that this process alone may use until the value is dropped.
///
/// The folder has mode 0700. The lock is the kernel's, on the file `lock` inside, so it ends with
/// the process however that ends.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: File,
}

/// What came of asking for a folder.
#[derive(Debug)]
pub enum Claim {
    /// It is ours until the value is dropped.
    Ours(Folder),
    /// Another process has it: its number, when it could be read.
    Theirs(Option<u32>),
}

impl Folder {
    /// Makes the folder where needed and takes it.
    ///
    /// # Errors
    /// When another process holds it (the message names that process), or when it cannot be made
    /// or belongs to somebody else.
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

    /// Like [`Folder::open`], but a folder in use is an answer and no error.
    ///
    /// # Errors
    /// When it cannot be made or belongs to somebody else.
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

    /// The folder's path: absolute, without symbolic links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes a folder of mode 0700, or narrows an existing one to it; answers its absolute path.
///
/// Only an empty folder or one of ours is narrowed: `--folder /` must not lock everybody out.
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
    fn a_folder_is_private_and_has_one_user_at_a_time() {
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
    fn a_folder_that_holds_other_things_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
        fs::write(place.path().join("thesis.txt"), "").unwrap();
        assert!(Folder::open(place.path()).is_err());
        let mode = fs::metadata(place.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}
