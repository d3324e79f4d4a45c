//! Paths of a private PostgreSQL.

use anyhow::{Context, bail};
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::path::{Path, PathBuf};

use super::owner::Owner;

/// PostgreSQL's standard port, which is part of the socket's name.
const PORT: u16 = 5432;

/// Name of the socket file for that port.
const SOCKET: &str = ".s.PGSQL.5432";

/// Maximum length of a Unix socket path, in bytes: Linux allows 107, macOS 103.
const SOCKET_PATH_MAX: usize = 103;

/// Paths of all parts, derived from the folder.
#[derive(Clone, Debug)]
pub(super) struct ClusterPaths {
    /// The service's folder.
    pub(super) folder: PathBuf,
    /// PostgreSQL's data directory.
    pub(super) data: PathBuf,
    /// Folder of the socket.
    pub(super) socket: PathBuf,
    /// Name that identifies this server in a list of processes.
    pub(super) name: String,
}

/// Returns PostgreSQL's data directory in a folder.
pub(super) fn data_of(folder: &Path) -> PathBuf {
    folder.join("postgres")
}

impl ClusterPaths {
    /// Returns the paths for a folder, given by its absolute path.
    pub(super) fn of(folder: &Path) -> anyhow::Result<Self> {
        let name = format!("labs-{:016x}", hash(folder.as_os_str().as_bytes()));
        let near = folder.join("socket");
        let socket = if fits(&near) { near } else { std::env::temp_dir().join(&name) };
        if !fits(&socket) {
            bail!(
                "the paths of {} and of the temporary folder are too long for a socket (limit: {} bytes): choose \
                 another folder with --folder",
                folder.display(),
                SOCKET_PATH_MAX
            );
        }
        Ok(Self { data: data_of(folder), folder: folder.to_owned(), socket, name })
    }

    /// Returns the path of the socket.
    pub(super) fn socket_file(&self) -> PathBuf {
        self.socket.join(SOCKET)
    }

    /// Returns the path of PostgreSQL's output during its last start.
    pub(super) fn start_log(&self) -> PathBuf {
        self.folder.join("postgres.log")
    }

    /// Returns the address of the database for its owner. The path is in the host part, encoded, so that no part of it
    /// can be misinterpreted. Omitted parts would be read from PGPORT and PGSSLMODE.
    pub(super) fn url(&self) -> anyhow::Result<String> {
        let path = self.socket.to_str().context("the socket's path is not UTF-8")?;
        let host: String = path
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect();
        Ok(format!("postgres://labs@{host}:{PORT}/labs?sslmode=disable"))
    }

    /// Creates the socket's folder, mode 0700, for the server's user.
    pub(super) fn make_socket(&self, owner: &Owner) -> anyhow::Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.socket) {
            Ok(()) => owner.give(&self.socket)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("{} could not be created", self.socket.display()));
            }
        }
        // Another user may have created a folder with this name in a shared temporary folder.
        let found = fs::symlink_metadata(&self.socket)?;
        if !found.is_dir() || found.uid() != owner.uid || found.mode() & 0o077 != 0 {
            bail!("{} is not a private folder of user {}: remove it", self.socket.display(), owner.uid);
        }
        Ok(())
    }

    /// Removes the socket's folder, which must not remain in a shared temporary folder.
    pub(super) fn remove_socket(&self) {
        let _ = fs::remove_dir(&self.socket);
    }
}

impl Owner {
    /// Makes this user the owner of a path, if the service runs as another user (root).
    pub(super) fn give(&self, path: &Path) -> anyhow::Result<()> {
        if self.is_other_user() {
            chown(path, Some(self.uid), Some(self.gid))
                .with_context(|| format!("the owner of {} could not be changed", path.display()))?;
        }
        Ok(())
    }
}

fn fits(socket: &Path) -> bool {
    socket.join(SOCKET).as_os_str().len() <= SOCKET_PATH_MAX
}

/// FNV-1a, 64 bits: the same in every version, unlike the standard hasher.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_moves_to_temp_folder_if_path_is_too_long() {
        let near = ClusterPaths::of(Path::new("/srv/labs")).unwrap();
        assert_eq!(near.socket, Path::new("/srv/labs/socket"));
        assert_eq!(near.url().unwrap(), "postgres://labs@%2Fsrv%2Flabs%2Fsocket:5432/labs?sslmode=disable");

        let deep = format!("/{}", "deep/".repeat(40));
        let far = ClusterPaths::of(Path::new(&deep)).unwrap();
        assert_eq!(far.socket, std::env::temp_dir().join(&far.name));
        let other = ClusterPaths::of(Path::new(&format!("{deep}er"))).unwrap();
        assert_ne!(far.socket, other.socket);
    }

    #[test]
    fn symlinked_socket_folder_is_rejected() {
        let place = tempfile::tempdir().unwrap();
        let mut here = ClusterPaths::of(place.path()).unwrap();
        here.socket = place.path().join("elsewhere");
        std::os::unix::fs::symlink("/tmp", &here.socket).unwrap();
        let owner = Owner { uid: fs::metadata(place.path()).unwrap().uid(), gid: 0, drop: Vec::new() };
        assert!(here.make_socket(&owner).is_err());
    }
}
