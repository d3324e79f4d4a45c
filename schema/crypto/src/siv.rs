//! Encryption keys for short texts that clients hold: AES-256-GCM-SIV (RFC 8452).
//!
//! A repeated nonce reveals only that two texts are equal, so a random 96-bit nonce allows a practically unlimited
//! number of messages. A fixed nonce makes the encryption deterministic.
use std::fmt;
use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM_SIV, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use super::random_bytes;
use super::sealed::{Key, MasterKey, OpenError, derive_key};

/// Bytes that encryption adds to a text: the nonce and the authentication tag.
pub(super) const OVERHEAD: usize = NONCE_LEN + TAG_BYTES;
const TAG_BYTES: usize = 16;
/// Nonce of deterministic encryption.
const FIXED: [u8; NONCE_LEN] = [0; NONCE_LEN];

/// Encryption keys of one purpose, derived once and used often. The newest is first and encrypts.
#[derive(Clone)]
pub(super) struct SivKey(Arc<[LessSafeKey]>);

/// Whether equal texts are encrypted to equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Determinism {
    /// Equal texts give equal bytes.
    Deterministic,
    /// Equal texts give different bytes, so two ciphertexts do not reveal whether the texts are equal.
    Randomized,
}

impl SivKey {
    /// Derives the keys of `purpose`.
    pub(super) fn new(master: &MasterKey, purpose: &str) -> Self {
        let derive = |key: &Key| LessSafeKey::new(derive_key::<_, UnboundKey>(key, "siv", purpose, &AES_256_GCM_SIV));
        Self(master.keys().map(derive).collect())
    }

    /// Appends nonce, ciphertext and tag of `plain` to `out`. `associated` is authenticated but not included.
    pub(super) fn encrypt(&self, sameness: Determinism, associated: &[u8], plain: &[u8], out: &mut Vec<u8>) {
        let nonce = match sameness {
            Determinism::Deterministic => FIXED,
            Determinism::Randomized => random_bytes(),
        };
        out.extend_from_slice(&nonce);
        let start = out.len();
        out.extend_from_slice(plain);
        let body = out.get_mut(start..).unwrap_or_default();
        let sealed = self.0.first().map(|key| {
            key.seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), Aad::from(associated), body)
        });
        match sealed {
            Some(Ok(tag)) => out.extend_from_slice(tag.as_ref()),
            // AES-GCM-SIV rejects only messages over 64 GiB. Clearing the buffer ensures that no plain text is output.
            Some(Err(_)) | None => out.clear(),
        }
    }

    /// Returns the text of nonce, ciphertext and tag.
    ///
    /// # Errors
    /// [`OpenError`] if none of the keys encrypted it with this associated data.
    pub(super) fn decrypt(&self, associated: &[u8], sealed: &[u8]) -> Result<Vec<u8>, OpenError> {
        let (nonce, body) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(OpenError)?;
        let opened = self.0.iter().find_map(|key| {
            let mut body = body.to_vec();
            let nonce = Nonce::assume_unique_for_key(*nonce);
            let length = key.open_in_place(nonce, Aad::from(associated), &mut body).ok()?.len();
            body.truncate(length);
            Some(body)
        });
        opened.ok_or(OpenError)
    }
}

impl fmt::Debug for SivKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SivKey([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SivKey {
        SivKey::new(&MasterKey::from_bytes([byte; 32]), "test")
    }

    fn sealed(sameness: Determinism) -> Vec<u8> {
        let mut out = Vec::new();
        key(7).encrypt(sameness, b"list", b"position", &mut out);
        out
    }

    #[test]
    fn decryption_needs_same_key_and_associated_data() {
        for sameness in [Determinism::Deterministic, Determinism::Randomized] {
            let text = sealed(sameness);
            assert_eq!(text.len(), OVERHEAD + b"position".len());
            assert_eq!(key(7).decrypt(b"list", &text), Ok(b"position".to_vec()));
            assert_eq!(key(7).decrypt(b"other", &text), Err(OpenError));
            assert_eq!(key(8).decrypt(b"list", &text), Err(OpenError));
            assert!(!text.windows(4).any(|part| b"position".windows(4).any(|plain| plain == part)));
        }
    }

    #[test]
    fn only_deterministic_encryption_repeats() {
        assert_eq!(sealed(Determinism::Deterministic), sealed(Determinism::Deterministic));
        assert_ne!(sealed(Determinism::Randomized), sealed(Determinism::Randomized));
    }
}
