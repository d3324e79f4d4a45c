//! The master key and what is derived from it: sealing (AES-256-GCM) and MACs (HMAC-SHA-256).
//!
//! The key lies in a file outside the database, so that a copy of the database alone opens nothing
//! (docs/decisions.md#identity). Each purpose has its own derived keys, so what
//! was sealed or signed for one purpose is worthless for another. A purpose is a plain name such as
//! `signing-key`; where a value must not be moved to another row, the row is part of the name:
//! `totp-seed/<user_uuid>`.
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

/// The one secret that everything sealed or signed by the service hangs on: 256 random bits.
///
/// Losing it makes TOTP seeds, signing keys and queued mail unreadable, and voids cursors, refresh
/// cookies and recovery codes.
#[derive(Clone)]
pub struct MasterKey(Zeroizing<[u8; KEY_BYTES]>);

/// A MAC key for one purpose, derived once and used often.
#[derive(Clone)]
pub struct MacKey(hmac::Key);

/// What was sealed does not open: another key, another purpose, or changed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sealed value does not open under this key and purpose")]
pub struct OpenError;

/// Why the key file cannot be used. Messages name the file and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Reading, creating or syncing failed.
    #[error("the key file {path} cannot be read or made: {source}")]
    Io {
        /// The key file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not 64 hexadecimal digits.
    #[error("the key file {0} must hold 64 hexadecimal digits and a line end, nothing else")]
    Form(PathBuf),
    /// Others than the owner may read or write it.
    #[error("the key file {0} is open to others than its owner: run `chmod 600` on it")]
    Open(PathBuf),
}

const KEY_BYTES: usize = 32;
/// First byte of everything sealed; another one means another format.
const VERSION: u8 = 1;
const TAG_BYTES: usize = 16;

impl MasterKey {
    /// A key from its bytes: from a secret store, or fixed in a test.
    pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> MasterKey {
        MasterKey(Zeroizing::new(bytes))
    }

    /// Reads the key from `path`, or makes one there when there is none.
    ///
    /// A new file has mode 0600, in a folder that is made with mode 0700 if it is missing. It
    /// appears whole or not at all, and is on the disk before this returns; of two processes that
    /// start together, both end with the same key.
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
        let tag = self.sealing_key(purpose).seal_in_place_separate_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(purpose.as_bytes()),
            body,
        );
        sealed.extend_from_slice(unwrap_sealing(tag).as_ref());
        sealed
    }

    /// Opens what [`MasterKey::seal`] made for the same purpose.
    ///
    /// # Errors
    /// [`OpenError`]; nothing is said about why.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        let (version, rest) = sealed.split_first().ok_or(OpenError)?;
        let (nonce, body) = rest.split_first_chunk().ok_or(OpenError)?;
        if *version != VERSION {
            return Err(OpenError);
        }
        let mut body = Zeroizing::new(body.to_vec());
        let length = self
            .sealing_key(purpose)
            .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(purpose.as_bytes()), &mut body)
            .map_err(|_| OpenError)?
            .len();
        body.truncate(length);
        Ok(body)
    }

    /// HMAC-SHA-256 of `bytes` under the key derived for `purpose`.
    pub fn mac(&self, purpose: &str, bytes: &[u8]) -> [u8; 32] {
        self.mac_key(purpose).tag(bytes)
    }

    /// The MAC key of `purpose`, for those who use it often: deriving costs more than one MAC.
    pub fn mac_key(&self, purpose: &str) -> MacKey {
        MacKey(derive_key(&self.0, "mac", purpose, HMAC_SHA256))
    }

    /// A name for this key that tells nothing about it. Stored beside the data, it shows at start
    /// that a database and a key file do not belong together.
    pub fn fingerprint(&self) -> String {
        let mut name = hex::encode(self.mac("fingerprint", &[]));
        name.truncate(32);
        name
    }

    fn sealing_key(&self, purpose: &str) -> LessSafeKey {
        LessSafeKey::new(derive_key::<_, UnboundKey>(&self.0, "seal", purpose, &AES_256_GCM))
    }
}

impl MacKey {
    /// The whole tag of `bytes`.
    pub fn tag(&self, bytes: &[u8]) -> [u8; 32] {
        let mut out = [0u8; 32];
        out.copy_from_slice(hmac::sign(&self.0, bytes).as_ref());
        out
    }

    /// Whether `tag` is the tag of `bytes`, in constant time. A truncated tag never is.
    pub fn verifies(&self, bytes: &[u8], tag: &[u8]) -> bool {
        hmac::verify(&self.0, bytes, tag).is_ok()
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

/// HKDF-SHA-256 (RFC 5869). The master key is uniformly random, so only the expand step is needed.
#[expect(clippy::expect_used, reason = "expand fails only for outputs over 8,160 bytes; these are 32")]
fn derive_key<L, K>(key: &[u8; KEY_BYTES], use_of_it: &str, purpose: &str, length: L) -> K
where
    L: hkdf::KeyType,
    K: for<'a> From<hkdf::Okm<'a, L>>,
{
    let info = [b"labs/1/", use_of_it.as_bytes(), b"/", purpose.as_bytes()];
    Prk::new_less_safe(HKDF_SHA256, key).expand(&info, length).expect("32 bytes can always be derived").into()
}

#[expect(clippy::expect_used, reason = "AES-GCM refuses only messages over 64 GiB")]
fn unwrap_sealing<T, E: fmt::Debug>(tag: Result<T, E>) -> T {
    tag.expect("a message of ordinary size can always be sealed")
}

fn load(path: &Path) -> Result<MasterKey, KeyFileError> {
    let io = |source| KeyFileError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.mode() & 0o077 != 0 {
        return Err(KeyFileError::Open(path.to_owned()));
    }
    let mut text = Zeroizing::new(Vec::with_capacity(128));
    // One byte more than the longest right file, so that a longer one is noticed.
    file.take(67).read_to_end(&mut text).map_err(io)?;
    let mut bytes = Zeroizing::new([0u8; KEY_BYTES]);
    hex::decode_to_slice(text.trim_ascii_end(), bytes.as_mut_slice())
        .map_err(|_| KeyFileError::Form(path.to_owned()))?;
    Ok(MasterKey(bytes))
}

/// Writes a new key beside `path` and links it into place, so that nobody ever reads half a key.
/// A link, unlike a rename, fails when another process was first; theirs is then the key.
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
