//! What must never be printed: given texts, and the key made on the first run.

use anyhow::{Context, bail};
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::str::FromStr;

/// A text that is never printed.
///
/// specification: design/security.md, 19.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself, for the one who needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is one: an empty variable is the same as none.
    pub(crate) fn is_some(&self) -> bool {
        !self.0.is_empty()
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

/// The key outside the database from which all others are derived: 256 random bits.
///
/// specification: design/security.md, 7 and 19.
#[derive(Clone)]
pub struct MasterKey([u8; 32]);

impl MasterKey {
    /// Reads the key from its file of 64 hexadecimal digits; makes key and file (mode 0600) when
    /// there is none.
    ///
    /// # Errors
    /// When the file can be read by others, or holds something else, or cannot be made.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        if !path.exists() {
            make(path).with_context(|| format!("{} cannot be made", path.display()))?;
        }
        let about = || format!("the master key {} cannot be used", path.display());
        let mode = fs::metadata(path).with_context(about)?.permissions().mode();
        if mode & 0o077 != 0 {
            bail!(
                "the master key {} can be read by others: run `chmod 600` on it",
                path.display()
            );
        }
        let text = fs::read_to_string(path).with_context(about)?;
        parse(text.trim())
            .map(Self)
            .with_context(|| format!("{} does not hold 64 hexadecimal digits", path.display()))
    }

    /// The key itself.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MasterKey(hidden)")
    }
}

/// Writes a new key beside its place and links it there: whoever comes second keeps the first's.
fn make(path: &Path) -> anyhow::Result<()> {
    let parent = path.parent().context("it has no folder")?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(parent)?;
    let mut key = [0_u8; 32];
    File::open("/dev/urandom")?.read_exact(&mut key)?;
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();

    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)?;
    writeln!(file, "{digits}")?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if !path.exists() => Err(error.into()),
        _ => Ok(File::open(parent)?.sync_all()?),
    }
}

fn parse(digits: &str) -> Option<[u8; 32]> {
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0_u8; 32];
    for (place, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(place * 2..place * 2 + 2)?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;

    #[test]
    fn a_master_key_is_made_once_and_kept_to_oneself() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("secrets/master.key");
        let made = MasterKey::open(&path).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(MasterKey::open(&path).unwrap().bytes(), made.bytes());
        assert_ne!(made.bytes(), &[0_u8; 32]);
        assert_eq!(format!("{made:?}"), "MasterKey(hidden)");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);

        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(MasterKey::open(&path).is_err());
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "short").unwrap();
        assert!(MasterKey::open(&path).is_err());
    }
}
