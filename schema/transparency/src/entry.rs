//! Content of a leaf.
//!
//! ```text
//!   position, 8 bytes, big-endian ‖ UUID of the record, 16 bytes ‖ keyed digest of the record's seal, 32 bytes
//! ```
//!
//! A leaf contains no data of a person, and a guess about a record can be tested only with the key. The digest covers
//! the hash of the audit chain at this position, and so the whole chain up to it.

use uuid::Uuid;

use crate::merkle::{Hash, leaf_hash};

/// Bytes of an entry.
const BYTES: usize = 56;

/// Entry of the log for one audit record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Position in the audit chain, from 1. The index in the tree is one less.
    pub position: u64,
    /// UUID of the record.
    pub record_uuid: Uuid,
    /// HMAC-SHA-256 of the hash of the chain at this position.
    pub digest: [u8; 32],
}

impl LogEntry {
    /// Returns the bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.position.to_be_bytes().as_slice(), self.record_uuid.as_bytes(), &self.digest].concat()
    }

    /// Parses the bytes. `None` if they have another length.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (position, rest) = bytes.split_first_chunk()?;
        let (record_uuid, digest) = rest.split_first_chunk()?;
        let position = u64::from_be_bytes(*position);
        Some(Self { position, record_uuid: Uuid::from_bytes(*record_uuid), digest: digest.try_into().ok()? })
    }

    /// Computes the hash of the leaf.
    #[must_use]
    pub fn leaf_hash(&self) -> Hash {
        leaf_hash(&self.to_bytes())
    }
}

/// Joins entries to a bundle: each has its length before it, 2 bytes, big-endian.
#[must_use]
pub fn to_bundle(entries: &[LogEntry]) -> Vec<u8> {
    let length = u16::to_be_bytes(BYTES as u16);
    entries.iter().flat_map(|entry| length.into_iter().chain(entry.to_bytes())).collect()
}

/// Parses a bundle. Bytes that are not an entry end it.
#[must_use]
pub fn from_bundle(mut bytes: &[u8]) -> Vec<LogEntry> {
    let mut entries = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk()
        && let Some((entry, rest)) = rest.split_at_checked(u16::from_be_bytes(*length).into())
        && let Some(entry) = LogEntry::from_bytes(entry)
    {
        entries.push(entry);
        bytes = rest;
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_and_bundle_survive_round_trip() {
        let entry = |position| LogEntry { position, record_uuid: Uuid::from_u128(7), digest: [9; 32] };
        let bytes = entry(258).to_bytes();
        assert_eq!((bytes.len(), &bytes[..8], bytes[23]), (BYTES, &[0, 0, 0, 0, 0, 0, 1, 2][..], 7));
        assert_eq!(LogEntry::from_bytes(&bytes), Some(entry(258)));
        assert_eq!(LogEntry::from_bytes(&bytes[1..]), None);
        let bundle = to_bundle(&[entry(1), entry(2)]);
        assert_eq!(from_bundle(&bundle), [entry(1), entry(2)]);
        assert_eq!(from_bundle(&bundle[..bundle.len() - 1]), [entry(1)]);
        assert_eq!(from_bundle(&[0, 3, 1, 2, 3]), []);
    }
}
