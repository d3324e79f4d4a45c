//! Ed25519 keys in the text form of signed notes (C2SP `signed-note`).
//!
//! ```text
//!   public    <name>+<key id>+base64(kind ‖ public key)
//!   private   PRIVATE+KEY+<name>+<key id>+base64(kind ‖ seed)
//! ```

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::encoding::{AsBigEndian as _, Curve25519SeedBin};
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// First words of a private key.
const PRIVATE: &str = "PRIVATE+KEY+";
const PEM_BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const PEM_END: &str = "-----END PRIVATE KEY-----";

/// Use of a key. The kind is part of the key id, so a signature of one kind is never taken for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Signs the checkpoints of a log.
    Log = 0x01,
    /// Cosigns checkpoints of logs as a witness (C2SP `tlog-cosignature`).
    Witness = 0x04,
}

impl KeyKind {
    fn read(byte: u8) -> Option<Self> {
        [Self::Log, Self::Witness].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Reason why a text is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The name is empty, or contains white space or a plus sign.
    #[error("the name of a key must not be empty and must not contain white space or +")]
    Name,
    /// The key belongs to another log.
    #[error("the key has another name than the log: the origin of a log is the name of its keys")]
    OtherName,
    /// The text does not have the form of a public key.
    #[error("this is not a public key of the form <name>+<key id>+<base64>")]
    Public,
    /// The text does not have the form of a private key.
    #[error("this is not an Ed25519 key: write PRIVATE+KEY+<name>+<key id>+<base64> or PKCS #8 in PEM")]
    Private,
    /// The system's random generator failed.
    #[error("the system's random generator failed")]
    Random,
}

/// Public key with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    name: String,
    kind: KeyKind,
    public: [u8; 32],
}

impl VerifyingKey {
    /// Parses a public key.
    ///
    /// # Errors
    /// [`KeyError::Public`]
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let mut parts = text.trim().splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::Public);
        };
        let bytes = STANDARD.decode(key).map_err(|_| KeyError::Public)?;
        let (kind, public) = bytes.split_first().ok_or(KeyError::Public)?;
        let kind = KeyKind::read(*kind).ok_or(KeyError::Public)?;
        let public = public.try_into().map_err(|_| KeyError::Public)?;
        let key = Self { name: name.to_owned(), kind, public };
        let is_valid = is_name(name) && format!("{:08x}", key.id()) == id;
        is_valid.then_some(key).ok_or(KeyError::Public)
    }

    /// Returns the name: for a log, the origin of its checkpoints.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the use of the key.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Computes the key id, which tells apart keys of one name.
    #[must_use]
    pub fn id(&self) -> u32 {
        let named = [self.name.as_bytes(), b"\n", &[self.kind as u8], &self.public].concat();
        let hash = digest(&SHA256, &named);
        hash.as_ref().first_chunk().map_or(0, |first| u32::from_be_bytes(*first))
    }

    /// Whether the signature of this message is valid.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.public).verify(message, signature).is_ok()
    }
}

impl fmt::Display for VerifyingKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&[self.kind as u8], self.public.as_slice()].concat();
        write!(out, "{}+{:08x}+{}", self.name, self.id(), STANDARD.encode(bytes))
    }
}

/// Private key with its name.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: VerifyingKey,
}

impl SigningKey {
    /// Creates a key, and returns it in the text form.
    ///
    /// # Errors
    /// [`KeyError::Name`], [`KeyError::Random`]
    pub fn generate(name: &str, kind: KeyKind) -> Result<(Self, Zeroizing<String>), KeyError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| KeyError::Random)?;
        let seed: Curve25519SeedBin<'_> =
            pair.seed().and_then(|seed| seed.as_be_bytes()).map_err(|_| KeyError::Random)?;
        let bytes = Zeroizing::new([&[kind as u8], seed.as_ref()].concat());
        let key = Self::new(name, kind, pair)?;
        let encoded = Zeroizing::new(STANDARD.encode(bytes.as_slice()));
        let text = format!("{PRIVATE}{name}+{:08x}+{}", key.public.id(), encoded.as_str());
        Ok((key, Zeroizing::new(text)))
    }

    fn new(name: &str, kind: KeyKind, pair: Ed25519KeyPair) -> Result<Self, KeyError> {
        if !is_name(name) {
            return Err(KeyError::Name);
        }
        let public = pair.public_key().as_ref().try_into().map_err(|_| KeyError::Private)?;
        Ok(Self { pair, public: VerifyingKey { name: name.to_owned(), kind, public } })
    }

    /// Parses the text form.
    ///
    /// # Errors
    /// [`KeyError::Private`]
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let mut parts = text.trim().strip_prefix(PRIVATE).ok_or(KeyError::Private)?.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::Private);
        };
        let bytes = Zeroizing::new(STANDARD.decode(key).map_err(|_| KeyError::Private)?);
        let (kind, seed) = bytes.split_first().ok_or(KeyError::Private)?;
        let kind = KeyKind::read(*kind).ok_or(KeyError::Private)?;
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| KeyError::Private)?;
        let key = Self::new(name, kind, pair)?;
        (format!("{:08x}", key.public.id()) == id).then_some(key).ok_or(KeyError::Private)
    }

    /// Parses every private key of a file: keys in the text form, one a line, or one key in PEM (PKCS #8), which has
    /// no name and gets this one. Other lines, for example public keys, are ignored.
    ///
    /// # Errors
    /// [`KeyError::Private`] if the file contains no key or an unusable one, [`KeyError::Name`].
    pub fn parse_file(text: &str, name: &str, kind: KeyKind) -> Result<Vec<Self>, KeyError> {
        if let Some((_, pem)) = text.split_once(PEM_BEGIN) {
            let body: String = pem.split(PEM_END).next().unwrap_or_default().split_whitespace().collect();
            let document = Zeroizing::new(STANDARD.decode(body).map_err(|_| KeyError::Private)?);
            let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&document).map_err(|_| KeyError::Private)?;
            return Ok(vec![Self::new(name, kind, pair)?]);
        }
        let lines = text.lines().filter(|line| line.starts_with(PRIVATE));
        let keys = lines.map(Self::parse).collect::<Result<Vec<_>, _>>()?;
        let has_keys = !keys.is_empty() && keys.iter().all(|key| key.public.kind == kind);
        has_keys.then_some(keys).ok_or(KeyError::Private)
    }

    /// Returns the public key.
    #[must_use]
    pub fn public(&self) -> &VerifyingKey {
        &self.public
    }

    /// Signs a message.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

/// Shows only the public key.
impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SigningKey({})", self.public)
    }
}

/// Whether a text is a valid name of a key.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control() || letter == '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of the tests of golang.org/x/mod/sumdb/note.
    pub(crate) const PUBLIC: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const SEEDED: &str = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";

    #[test]
    fn known_keys_are_read_and_written() {
        assert_eq!(VerifyingKey::parse(PUBLIC).unwrap().to_string(), PUBLIC);
        assert_eq!(SigningKey::parse(SEEDED).unwrap().public().to_string(), PUBLIC);
        assert!(!format!("{:?}", SigningKey::parse(SEEDED).unwrap()).contains("AYEKFALV"));
    }

    #[test]
    fn generated_key_survives_round_trip() {
        for kind in [KeyKind::Log, KeyKind::Witness] {
            let (key, text) = SigningKey::generate("labs.example/audit-log", kind).unwrap();
            let file = format!("{}\n{}\n", text.as_str(), key.public());
            let read = SigningKey::parse_file(&file, "other", kind).unwrap();
            assert_eq!(read.iter().map(SigningKey::public).collect::<Vec<_>>(), [key.public()]);
            assert_eq!(VerifyingKey::parse(&key.public().to_string()).as_ref(), Ok(key.public()));
            let other = if kind == KeyKind::Log { KeyKind::Witness } else { KeyKind::Log };
            assert_eq!(SigningKey::parse_file(&file, "other", other).unwrap_err(), KeyError::Private);
        }
        assert_eq!(SigningKey::generate("a b", KeyKind::Log).unwrap_err(), KeyError::Name);
    }

    #[test]
    fn pem_key_gets_its_name_from_the_caller() {
        // Test key of RFC 8410, section 10.3.
        let pem = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
        let keys = SigningKey::parse_file(pem, "labs.example/audit-log", KeyKind::Log).unwrap();
        let expected = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";
        assert_eq!(hex::encode(keys[0].public().public), expected);
        assert_eq!(keys[0].public().name(), "labs.example/audit-log");
        assert!(SigningKey::parse_file(&pem.replace("VhC", "Vh"), "labs.example", KeyKind::Log).is_err());
    }

    #[test]
    fn damaged_keys_are_rejected() {
        for text in
            ["", "a+b", "PeterNeumann+c74f20a3+", &PUBLIC.replace("c74f", "c74e"), &PUBLIC.replace("ARpc", "AhpC")]
        {
            assert_eq!(VerifyingKey::parse(text), Err(KeyError::Public), "{text}");
        }
        for text in ["", PUBLIC, &SEEDED.replace("c74f", "c74e"), &SEEDED[..SEEDED.len() - 4]] {
            assert_eq!(SigningKey::parse(text).unwrap_err(), KeyError::Private, "{text}");
        }
        assert_eq!(SigningKey::parse_file(PUBLIC, "n", KeyKind::Log).unwrap_err(), KeyError::Private);
    }
}
