//! Master key and everything derived from it: sealing (AES-256-GCM) and MACs (HMAC-SHA-256).
//!
//! The key is in a file outside the database, so that a copy of the database alone opens nothing
//! (docs/decisions/credentials.md#rotation-of-the-master-key). Each purpose has separate derived keys, so data sealed
//! or signed for one purpose is useless for another. A purpose is a plain name such as `signing-key`. If a value must
//! not be moved to another row, the row is part of the name: `totp-seed/<user_uuid>`.
use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{self, HKDF_SHA256, Prk};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use zeroize::Zeroizing;

use super::random_bytes;

/// The secret on which all sealed or signed data of the service depends: 256 random bits. Its file can contain several
/// keys: the first one seals and signs, all of them open and verify, so that one key can replace another
/// (docs/decisions/credentials.md#rotation-of-the-master-key).
///
/// Its loss makes TOTP seeds, signing keys and queued mail unreadable, and invalidates cursors, refresh cookies and
/// recovery codes.
#[derive(Clone)]
pub struct MasterKey {
    /// Key that seals.
    newest: Key,
    /// Older keys, which only open.
    older: Vec<Key>,
    /// Key for names that the database stores permanently, for example names of votes and recovery codes.
    naming: Key,
}

pub(super) type Key = Zeroizing<[u8; KEY_BYTES]>;

/// MAC keys of one purpose, derived once and used often.
#[derive(Clone)]
pub struct MacKey {
    newest: hmac::Key,
    older: Vec<hmac::Key>,
}

/// The sealed data does not open: another key, another purpose, or changed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sealed value cannot be opened with this key and purpose")]
pub struct OpenError;

/// Reason why the key file cannot be used. The messages name the file and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Reading, creating or syncing failed.
    #[error("the key file {path} cannot be read or created: {source}")]
    Io {
        /// The key file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file does not contain lines of 64 hexadecimal digits.
    #[error(
        "the key file {0} must contain exactly 64 hexadecimal digits and a line end; during a key rotation, at most \
         {MOST_KEYS} such lines, the newest first"
    )]
    Form(PathBuf),
    /// Users other than the owner can read or write the file.
    #[error(
        "the key file {0} is accessible to users other than its owner: run `chmod 600` on it (root may give it to a \
         group: 0440)"
    )]
    Open(PathBuf),
}

const KEY_BYTES: usize = 32;
/// Maximum number of keys in a file.
const MOST_KEYS: usize = 8;
/// Purpose under which the naming key is sealed.
const NAMING: &str = "naming-key";
/// First byte of all sealed data; it identifies the format.
const VERSION: u8 = 1;
const TAG_BYTES: usize = 16;

impl MasterKey {
    /// Creates a key from its bytes: from a secret store, or fixed in a test.
    pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> MasterKey {
        let key = Zeroizing::new(bytes);
        MasterKey { newest: key.clone(), older: Vec::new(), naming: key }
    }

    /// Whether the file contains older keys after the first one.
    pub fn has_older(&self) -> bool {
        !self.older.is_empty()
    }

    /// Returns the sealed naming key. It outlives the keys of the file.
    pub fn naming_sealed(&self) -> Vec<u8> {
        self.seal(NAMING, self.naming.as_slice())
    }

    /// Replaces the naming key with this sealed one.
    ///
    /// # Errors
    /// [`OpenError`] if none of these keys sealed it.
    pub fn named_by(self, sealed: &[u8]) -> Result<MasterKey, OpenError> {
        let opened = self.open(NAMING, sealed)?;
        let bytes = <[u8; KEY_BYTES]>::try_from(opened.as_slice()).map_err(|_| OpenError)?;
        Ok(MasterKey { naming: Zeroizing::new(bytes), ..self })
    }

    /// Reads the key from `path`, or creates the file.
    ///
    /// A new file has mode 0600; a missing folder is created with mode 0700. The file appears complete or not, and is
    /// synced to disk before this returns. If two processes start together, both get the same key.
    ///
    /// # Errors
    /// [`KeyFileError`]; an existing file is never overwritten.
    pub fn load_or_create(path: &Path) -> Result<MasterKey, KeyFileError> {
        match load(path) {
            Err(KeyFileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                create(path).map_err(|source| KeyFileError::Io { path: path.to_owned(), source })?;
                load(path)
            }
            result => result,
        }
    }

    /// Seals `plain` for `purpose`: version, random nonce, ciphertext, tag.
    ///
    /// The purpose is bound twice, by the derived key and as associated data.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Vec<u8> {
        let nonce = random_bytes::<NONCE_LEN>();
        let mut sealed = Vec::with_capacity(1 + NONCE_LEN + plain.len() + TAG_BYTES);
        sealed.push(VERSION);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let body = sealed.get_mut(1 + NONCE_LEN..).unwrap_or_default();
        let tag = sealing_key(&self.newest, purpose).seal_in_place_separate_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(purpose.as_bytes()),
            body,
        );
        sealed.extend_from_slice(unwrap_sealing(tag).as_ref());
        sealed
    }

    /// Opens data that [`MasterKey::seal`] sealed for the same purpose, with any of the keys.
    ///
    /// # Errors
    /// [`OpenError`]; the cause is not disclosed.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        self.keys().find_map(|key| open_with(key, purpose, sealed).ok()).ok_or(OpenError)
    }

    /// Seals data of an older key again with the newest key. `None` if the newest key sealed it.
    ///
    /// # Errors
    /// [`OpenError`] if none of the keys opens it.
    pub fn reseal(&self, purpose: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, OpenError> {
        if open_with(&self.newest, purpose, sealed).is_ok() {
            return Ok(None);
        }
        Ok(Some(self.seal(purpose, &self.open(purpose, sealed)?)))
    }

    /// Computes HMAC-SHA-256 of `bytes` under the naming key derived for `purpose`. The result stays the same when the
    /// master key changes.
    pub fn mac(&self, purpose: &str, bytes: &[u8]) -> [u8; 32] {
        tag(&mac_key(&self.naming, purpose), bytes)
    }

    /// Derives the MAC keys of `purpose`, for data that lives no longer than a key of the file. Deriving costs more
    /// than one MAC.
    pub fn mac_key(&self, purpose: &str) -> MacKey {
        let derive = |key| mac_key(key, purpose);
        MacKey { newest: derive(&self.newest), older: self.older.iter().map(derive).collect() }
    }

    /// Returns a name for the newest key that reveals nothing about it.
    pub fn fingerprint(&self) -> String {
        let mut name = hex::encode(self.mac_key("fingerprint").tag(&[]));
        name.truncate(32);
        name
    }

    /// Returns a number for each key, newest first, that reveals nothing about it. Advisory locks use these numbers.
    pub fn lock_numbers(&self) -> impl Iterator<Item = i32> {
        self.keys().map(|key| {
            let [first, second, third, fourth, ..] = tag(&mac_key(key, "lock-number"), &[]);
            i32::from_be_bytes([first, second, third, fourth])
        })
    }

    /// Returns every key of the file, newest first.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.newest).chain(&self.older)
    }
}

fn sealing_key(key: &Key, purpose: &str) -> LessSafeKey {
    LessSafeKey::new(derive_key::<_, UnboundKey>(key, "seal", purpose, &AES_256_GCM))
}

fn mac_key(key: &Key, purpose: &str) -> hmac::Key {
    derive_key(key, "mac", purpose, HMAC_SHA256)
}

fn tag(key: &hmac::Key, bytes: &[u8]) -> [u8; 32] {
    let mut out = [0u8; 32];
    out.copy_from_slice(hmac::sign(key, bytes).as_ref());
    out
}

fn open_with(key: &Key, purpose: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, OpenError> {
    let (version, rest) = sealed.split_first().ok_or(OpenError)?;
    let (nonce, body) = rest.split_first_chunk().ok_or(OpenError)?;
    if *version != VERSION {
        return Err(OpenError);
    }
    let mut body = Zeroizing::new(body.to_vec());
    let length = sealing_key(key, purpose)
        .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(purpose.as_bytes()), &mut body)
        .map_err(|_| OpenError)?
        .len();
    body.truncate(length);
    Ok(body)
}

impl MacKey {
    /// Computes the full tag of `bytes` under the newest key.
    pub fn tag(&self, bytes: &[u8]) -> [u8; 32] {
        tag(&self.newest, bytes)
    }

    /// Computes the tags of `bytes` under each key, newest first.
    pub(super) fn tags<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = [u8; 32]> + 'a {
        self.keys().map(|key| tag(key, bytes))
    }

    /// Whether `tag` is the tag of `bytes` under any key, in constant time for each. A truncated tag never matches.
    pub fn verifies(&self, bytes: &[u8], tag: &[u8]) -> bool {
        self.keys().any(|key| hmac::verify(key, bytes, tag).is_ok())
    }

    fn keys(&self) -> impl Iterator<Item = &hmac::Key> {
        std::iter::once(&self.newest).chain(&self.older)
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MasterKey([redacted])")
    }
}

impl fmt::Debug for MacKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MacKey([redacted])")
    }
}

/// Derives a key with HKDF-SHA-256 (RFC 5869). The master key is uniformly random, so only the expand step is needed.
#[expect(clippy::expect_used, reason = "expand fails only for outputs over 8,160 bytes; these are 32")]
pub(super) fn derive_key<L, K>(key: &[u8; KEY_BYTES], use_of_it: &str, purpose: &str, length: L) -> K
where
    L: hkdf::KeyType,
    K: for<'a> From<hkdf::Okm<'a, L>>,
{
    let info = [b"labs/1/", use_of_it.as_bytes(), b"/", purpose.as_bytes()];
    Prk::new_less_safe(HKDF_SHA256, key).expand(&info, length).expect("32 bytes can always be derived").into()
}

#[expect(clippy::expect_used, reason = "AES-GCM rejects only messages over 64 GiB")]
fn unwrap_sealing<T, E: fmt::Debug>(tag: Result<T, E>) -> T {
    tag.expect("a message of ordinary size can always be sealed")
}

fn load(path: &Path) -> Result<MasterKey, KeyFileError> {
    let io = |source| KeyFileError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    // Only root can have made a root-owned file readable for a group, as systemd and Kubernetes do.
    let others = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & others != 0 {
        return Err(KeyFileError::Open(path.to_owned()));
    }
    let mut text = Zeroizing::new(Vec::with_capacity(1024));
    // Reads one byte more than the longest valid file, so that a longer one is detected.
    file.take(MOST_KEYS as u64 * 66 + 1).read_to_end(&mut text).map_err(io)?;
    let form = || KeyFileError::Form(path.to_owned());
    let mut keys = VecDeque::new();
    for line in text.trim_ascii_end().split(|byte| *byte == b'\n') {
        let mut bytes = Zeroizing::new([0u8; KEY_BYTES]);
        hex::decode_to_slice(line.trim_ascii_end(), bytes.as_mut_slice()).map_err(|_| form())?;
        keys.push_back(bytes);
    }
    let naming = keys.back().filter(|_| keys.len() <= MOST_KEYS).cloned().ok_or_else(form)?;
    let newest = keys.pop_front().ok_or_else(form)?;
    Ok(MasterKey { newest, older: keys.into(), naming })
}

/// Writes a new key next to `path` and links it into place, so that no process reads a partial key. Unlike a rename, a
/// link fails if another process was first; that process's key is then used.
fn create(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let name = hex::encode(random_bytes::<8>());
    let staged = folder.join(format!(".key-{name}.new"));
    let mut text = Zeroizing::new(hex::encode(random_bytes::<KEY_BYTES>()));
    text.push('\n');
    let linked = write_new(&staged, text.as_bytes()).and_then(|()| fs::hard_link(&staged, path));
    let removed = fs::remove_file(&staged);
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => removed.and_then(|()| File::open(folder)?.sync_all()),
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
