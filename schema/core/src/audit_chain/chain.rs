//! Hash chain: computes each hash from the previous one and detects breaks. Uses no database and no clock.

use labs_crypto::{same_bytes, sha256};
use uuid::Uuid;

/// Hash of the chain, or of a record's canonical text.
pub(super) type Hash = [u8; 32];

/// Hash that the first seal uses as the previous hash.
pub(super) const GENESIS: Hash = [0; 32];

/// Record without a seal.
pub(super) struct Unsealed {
    pub(super) record_uuid: Uuid,
    pub(super) digest: Vec<u8>,
}

/// New seal.
pub(super) struct Seal {
    pub(super) position: i64,
    pub(super) record_uuid: Uuid,
    pub(super) previous_hash: Hash,
    pub(super) hash: Hash,
}

/// Stored seal with the current digest of its record; `None` if the record does not exist.
#[derive(Clone, Debug)]
pub(super) struct FoundSeal {
    pub(super) position: i64,
    pub(super) record_uuid: Uuid,
    pub(super) previous_hash: Vec<u8>,
    pub(super) hash: Vec<u8>,
    pub(super) digest: Option<Vec<u8>>,
}

/// Appends records to the chain, whose end is at `position` with `hash`.
pub(super) fn link(position: i64, hash: Option<Hash>, records: &[Unsealed]) -> Vec<Seal> {
    let mut previous_hash = hash.unwrap_or(GENESIS);
    let mut seals = Vec::with_capacity(records.len());
    for (position, record) in (position + 1..).zip(records) {
        let hash = next_hash(&previous_hash, &record.digest);
        seals.push(Seal { position, record_uuid: record.record_uuid, previous_hash, hash });
        previous_hash = hash;
    }
    seals
}

/// Computes the hash that follows another one.
pub(super) fn next_hash(previous: &[u8], digest: &[u8]) -> Hash {
    sha256(&[previous, digest].concat())
}

/// Result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Number of seals that were recomputed and are valid.
    pub checked: i64,
    /// Last valid seal: its position and hash.
    pub head: Option<(i64, [u8; 32])>,
    /// First break of the chain, if any.
    pub first_break: Option<ChainBreak>,
}

/// A break of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainBreak {
    /// Position in the chain.
    pub position: i64,
    /// UUID of the record that is or should be at the position; `None` if no seal names it.
    pub record_uuid: Option<Uuid>,
    /// Kind of the break.
    pub flaw: ChainFlaw,
}

/// Kind of a break in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainFlaw {
    /// The record or its changes differ from the sealed text.
    Altered,
    /// The record is missing.
    RecordMissing,
    /// The seal is missing.
    SealMissing,
    /// The seal does not continue the previous one.
    Unlinked,
    /// The seal differs from a copy that was kept elsewhere.
    Rewritten,
}

/// Verification in progress.
#[derive(Clone)]
pub(super) struct ChainVerification {
    next: i64,
    previous: Option<Hash>,
    checked: i64,
    /// First position that counts.
    first: i64,
}

impl ChainVerification {
    /// Begins at a position. `before` is the hash of the previous position; the first position has none.
    pub(super) fn begin(from: i64, before: Option<Hash>) -> Self {
        let previous = if from == 1 { Some(GENESIS) } else { before };
        Self { next: from, previous, checked: 0, first: from }
    }

    /// Sets the first position that counts. Earlier positions are verified but not counted.
    pub(super) fn count_from(self, first: i64) -> Self {
        Self { first, ..self }
    }

    /// Returns the next position to verify.
    pub(super) fn next(&self) -> i64 {
        self.next
    }

    /// Verifies one seal. Returns its break, if any.
    pub(super) fn step(&mut self, seal: &FoundSeal) -> Option<ChainBreak> {
        if seal.position != self.next {
            return Some(self.break_missing_seal());
        }
        let flaw = self.flaw(seal);
        if let Some(flaw) = flaw {
            return Some(ChainBreak { position: seal.position, record_uuid: Some(seal.record_uuid), flaw });
        }
        self.next += 1;
        self.previous = seal.hash.as_slice().try_into().ok();
        self.checked += i64::from(seal.position >= self.first);
        None
    }

    fn flaw(&self, seal: &FoundSeal) -> Option<ChainFlaw> {
        let Some(digest) = &seal.digest else { return Some(ChainFlaw::RecordMissing) };
        if !self.previous.is_some_and(|previous| same_bytes(&previous, &seal.previous_hash)) {
            return Some(ChainFlaw::Unlinked);
        }
        (!same_bytes(&next_hash(&seal.previous_hash, digest), &seal.hash)).then_some(ChainFlaw::Altered)
    }

    /// Break: no seal exists at the next position.
    pub(super) fn break_missing_seal(&self) -> ChainBreak {
        self.break_at(ChainFlaw::SealMissing)
    }

    /// Break: the data for the next position is not the sealed data.
    pub(super) fn break_altered_record(&self) -> ChainBreak {
        self.break_at(ChainFlaw::Altered)
    }

    /// Break: the archived data from the next position on is missing.
    pub(super) fn break_lost_archive(&self) -> ChainBreak {
        self.break_at(ChainFlaw::RecordMissing)
    }

    fn break_at(&self, flaw: ChainFlaw) -> ChainBreak {
        ChainBreak { position: self.next, record_uuid: None, flaw }
    }

    /// Ends the verification.
    pub(super) fn end(self, first_break: Option<ChainBreak>) -> Verdict {
        let head = self.previous.filter(|_| self.checked > 0).map(|hash| (self.next - 1, hash));
        Verdict { checked: self.checked, head, first_break }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a chain of records with these texts, as a verification would find it.
    fn chain(texts: &[&str]) -> Vec<FoundSeal> {
        let due: Vec<Unsealed> = texts
            .iter()
            .zip(1u128..)
            .map(|(text, uuid)| Unsealed {
                record_uuid: Uuid::from_u128(uuid),
                digest: sha256(text.as_bytes()).to_vec(),
            })
            .collect();
        let found = |(seal, due): (Seal, Unsealed)| FoundSeal {
            position: seal.position,
            record_uuid: seal.record_uuid,
            previous_hash: seal.previous_hash.to_vec(),
            hash: seal.hash.to_vec(),
            digest: Some(due.digest),
        };
        link(0, None, &due).into_iter().zip(due).map(found).collect()
    }

    fn verdict(from: i64, before: Option<Hash>, seals: &[FoundSeal]) -> Verdict {
        let mut walk = ChainVerification::begin(from, before);
        let first_break = seals.iter().find_map(|seal| walk.step(seal));
        walk.end(first_break)
    }

    fn flaw_at(verdict: Verdict) -> Option<(i64, ChainFlaw)> {
        verdict.first_break.map(|found| (found.position, found.flaw))
    }

    #[test]
    fn first_hash_depends_only_on_its_record() {
        let text = sha256(b"a");
        let expected = sha256(&[[0; 32], text].concat());
        assert_eq!(chain(&["a"])[0].hash, expected);
    }

    #[test]
    fn chain_linked_in_two_parts_equals_whole_chain() {
        let whole = chain(&["a", "b", "c"]);
        let second: Hash = whole[1].hash.clone().try_into().unwrap();
        let third = [Unsealed { record_uuid: Uuid::nil(), digest: sha256(b"c").to_vec() }];
        let piece = link(2, Some(second), &third);
        assert_eq!((piece[0].position, piece[0].hash.to_vec()), (3, whole[2].hash.clone()));
    }

    #[test]
    fn intact_chain_verifies_from_any_position() {
        let seals = chain(&["a", "b", "c"]);
        let hash = |place: usize| -> Hash { seals[place].hash.clone().try_into().unwrap() };
        let head = Some((3, hash(2)));
        assert_eq!(verdict(1, None, &seals), Verdict { checked: 3, head, first_break: None });
        assert_eq!(verdict(2, Some(hash(0)), &seals[1..]), Verdict { checked: 2, head, first_break: None });
        assert_eq!(verdict(2, Some(hash(0)), &[]).head, None);
    }

    #[test]
    fn altered_record_is_found_at_its_position() {
        let mut seals = chain(&["a", "b", "c"]);
        seals[1].digest = Some(sha256(b"B").to_vec());
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((2, ChainFlaw::Altered)));
    }

    #[test]
    fn altered_record_with_matching_seal_breaks_next_link() {
        let mut seals = chain(&["a", "b", "c"]);
        let digest = sha256(b"B").to_vec();
        seals[1].hash = next_hash(&seals[1].previous_hash, &digest).to_vec();
        seals[1].digest = Some(digest);
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((3, ChainFlaw::Unlinked)));
    }

    #[test]
    fn missing_record_and_missing_seal_are_found() {
        let mut seals = chain(&["a", "b", "c"]);
        seals[2].digest = None;
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((3, ChainFlaw::RecordMissing)));
        seals.remove(1);
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((2, ChainFlaw::SealMissing)));
        assert_eq!(flaw_at(verdict(3, None, &seals[1..])), Some((3, ChainFlaw::RecordMissing)));
    }

    #[test]
    fn swapped_records_are_found() {
        let mut seals = chain(&["a", "b", "c"]);
        let first = seals[0].digest.take();
        seals[0].digest = std::mem::replace(&mut seals[1].digest, first);
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((1, ChainFlaw::Altered)));
    }

    #[test]
    fn range_without_preceding_seal_is_unlinked() {
        let seals = chain(&["a", "b"]);
        assert_eq!(flaw_at(verdict(2, None, &seals[1..])), Some((2, ChainFlaw::Unlinked)));
    }
}
