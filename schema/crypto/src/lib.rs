//! Cryptography: creating, sealing, comparing and erasing secrets.
//!
//! Primitives only. This crate uses no SQL, no GraphQL and no clock. Time is a parameter, and [`random_bytes`] is the
//! only source of randomness.
//!
//! | file | contents |
//! |---|---|
//! | `sealed` | the master key, outside the database; sealing and MACs derived from it |
//! | `secret` | text that cannot be printed; client secrets and one-time tokens |
//! | `password` | Argon2id, its queue, and the password rule |
//! | `breached` | passwords of known data breaches, in a file of the operator |
//! | `totp` | second factor: seeds, single-use codes, recovery codes |
//! | `refresh` | content of the refresh cookie and the ten-second rule |
//! | `assertion` | identity assertions of other issuers (RFC 7523) and the issuers' public keys |
//! | `token` | access tokens (RFC 9068) and the ring of keys that signs them |
//! | `siv` | encryption of short texts that clients hold |
//! | `cursor` | encrypted page cursors, bound to their list and filter |
pub mod assertion;
pub mod breached;
pub mod cursor;
pub mod password;
pub mod refresh;
pub mod sealed;
pub mod secret;
mod siv;
pub mod token;
pub mod totp;

use aws_lc_rs::{constant_time, digest, rand};

/// Returns `N` bytes from the system's generator. The only source of randomness in this crate.
#[expect(clippy::expect_used, reason = "without randomness, the service must not issue secrets")]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0u8; N];
    rand::fill(&mut bytes).expect("the system's random generator failed");
    bytes
}

/// Creates an identifier for a moment (UUID version 7).
pub fn uuid_at(moment: jiff::Timestamp) -> uuid::Uuid {
    let milliseconds = u64::try_from(moment.as_millisecond()).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(milliseconds, &random_bytes::<10>()).into_uuid()
}

/// Computes SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0u8; 32];
    out.copy_from_slice(digest::digest(&digest::SHA256, bytes).as_ref());
    out
}

/// Whether two byte strings are equal. The time depends only on their lengths.
pub fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(left, right).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_differ_between_calls() {
        assert_ne!(random_bytes::<32>(), random_bytes::<32>());
    }

    #[test]
    fn sha256_matches_published_vector() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex::encode(sha256(b"abc")), expected);
    }

    #[test]
    fn bytes_of_other_length_or_content_differ() {
        assert!(same_bytes(b"abc", b"abc"));
        assert!(!same_bytes(b"abc", b"abd"));
        assert!(!same_bytes(b"abc", b"ab"));
    }
}
