//! The chain itself: how a hash follows from the one before, and how a break is told. No database, no clock.

use uuid::Uuid;

use crate::core::crypto::{same_bytes, sha256};

/// A hash of the chain, or of a record's canonical text.
pub(super) type Hash = [u8; 32];

/// What the first seal covers instead of a hash before.
pub(super) const GENESIS: Hash = [0; 32];

/// A record that waits for its seal.
pub(super) struct Unsealed {
    pub(super) record_uuid: Uuid,
    pub(super) digest: Vec<u8>,
}

/// A seal just made.
pub(super) struct Seal {
    pub(super) position: i64,
    pub(super) record_uuid: Uuid,
    pub(super) previous_hash: Hash,
    pub(super) hash: Hash,
}

/// A seal as it was found, with the digest of its record as that is now; `None` when there is no such record.
pub(super) struct FoundSeal {
    pub(super) position: i64,
    pub(super) record_uuid: Uuid,
    pub(super) previous_hash: Vec<u8>,
    pub(super) hash: Vec<u8>,
    pub(super) digest: Option<Vec<u8>>,
}

/// Chains records to the end of the chain, which is at `position` with `hash`.
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

fn next_hash(previous: &[u8], digest: &[u8]) -> Hash {
    sha256(&[previous, digest].concat())
}

/// Result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Seals that were recomputed and hold.
    pub checked: i64,
    /// The last of them, with its hash.
    pub head: Option<(i64, [u8; 32])>,
    /// Where the chain breaks first, if it does.
    pub first_break: Option<ChainBreak>,
}

/// Position at which the chain is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainBreak {
    /// Position in the chain.
    pub position: i64,
    /// The record that is, or should be, there; `None` when there is no seal to tell it.
    pub record_uuid: Option<Uuid>,
    /// What is wrong.
    pub flaw: ChainFlaw,
}

/// What can be wrong with a place of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainFlaw {
    /// The record or its differences are not what was sealed.
    Altered,
    /// The record is gone.
    RecordMissing,
    /// The seal is gone.
    SealMissing,
    /// The seal does not continue the one before.
    Unlinked,
    /// The seal is another than somebody has kept.
    Rewritten,
}

/// A verification under way.
#[derive(Clone)]
pub(super) struct ChainVerification {
    next: i64,
    previous: Option<Hash>,
    checked: i64,
    /// The first place that counts.
    first: i64,
}

impl ChainVerification {
    /// Begins at a place. `before` is the hash of the place before it, which the first place has none of.
    pub(super) fn begin(from: i64, before: Option<Hash>) -> Self {
        let previous = if from == 1 { Some(GENESIS) } else { before };
        Self { next: from, previous, checked: 0, first: from }
    }

    /// The same, of which places before this one are looked at and not counted.
    pub(super) fn counting_from(self, first: i64) -> Self {
        Self { first, ..self }
    }

    /// The place to look at next.
    pub(super) fn next(&self) -> i64 {
        self.next
    }

    /// Looks at one seal; answers its flaw.
    pub(super) fn step(&mut self, seal: &FoundSeal) -> Option<ChainBreak> {
        if seal.position != self.next {
            return Some(self.missing());
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

    /// There is no seal where the next one should be.
    pub(super) fn missing(&self) -> ChainBreak {
        self.broken(ChainFlaw::SealMissing)
    }

    /// What is told of the next place is not what was sealed, whatever it is.
    pub(super) fn altered(&self) -> ChainBreak {
        self.broken(ChainFlaw::Altered)
    }

    /// What was archived from the next place on is gone.
    pub(super) fn gone(&self) -> ChainBreak {
        self.broken(ChainFlaw::RecordMissing)
    }

    fn broken(&self, flaw: ChainFlaw) -> ChainBreak {
        ChainBreak { position: self.next, record_uuid: None, flaw }
    }

    /// The end of the verification.
    pub(super) fn end(self, first_break: Option<ChainBreak>) -> Verdict {
        let head = self.previous.filter(|_| self.checked > 0).map(|hash| (self.next - 1, hash));
        Verdict { checked: self.checked, head, first_break }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of records with these texts, as it would be found.
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
    fn the_first_hash_follows_from_nothing_but_the_record() {
        let text = sha256(b"a");
        let expected = sha256(&[[0; 32], text].concat());
        assert_eq!(chain(&["a"])[0].hash, expected);
    }

    #[test]
    fn a_chain_in_two_pieces_is_the_chain_in_one() {
        let whole = chain(&["a", "b", "c"]);
        let second: Hash = whole[1].hash.clone().try_into().unwrap();
        let third = [Unsealed { record_uuid: Uuid::nil(), digest: sha256(b"c").to_vec() }];
        let piece = link(2, Some(second), &third);
        assert_eq!((piece[0].position, piece[0].hash.to_vec()), (3, whole[2].hash.clone()));
    }

    #[test]
    fn an_untouched_chain_holds_from_any_place() {
        let seals = chain(&["a", "b", "c"]);
        let hash = |place: usize| -> Hash { seals[place].hash.clone().try_into().unwrap() };
        let head = Some((3, hash(2)));
        assert_eq!(verdict(1, None, &seals), Verdict { checked: 3, head, first_break: None });
        assert_eq!(verdict(2, Some(hash(0)), &seals[1..]), Verdict { checked: 2, head, first_break: None });
        assert_eq!(verdict(2, Some(hash(0)), &[]).head, None);
    }

    #[test]
    fn an_altered_record_is_found_at_its_place() {
        let mut seals = chain(&["a", "b", "c"]);
        seals[1].digest = Some(sha256(b"B").to_vec());
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((2, ChainFlaw::Altered)));
    }

    #[test]
    fn an_altered_record_with_a_seal_made_to_fit_breaks_the_next_link() {
        let mut seals = chain(&["a", "b", "c"]);
        let digest = sha256(b"B").to_vec();
        seals[1].hash = next_hash(&seals[1].previous_hash, &digest).to_vec();
        seals[1].digest = Some(digest);
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((3, ChainFlaw::Unlinked)));
    }

    #[test]
    fn a_missing_record_and_a_missing_seal_are_found() {
        let mut seals = chain(&["a", "b", "c"]);
        seals[2].digest = None;
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((3, ChainFlaw::RecordMissing)));
        seals.remove(1);
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((2, ChainFlaw::SealMissing)));
        assert_eq!(flaw_at(verdict(3, None, &seals[1..])), Some((3, ChainFlaw::RecordMissing)));
    }

    #[test]
    fn two_records_that_changed_places_are_found() {
        let mut seals = chain(&["a", "b", "c"]);
        let first = seals[0].digest.take();
        seals[0].digest = std::mem::replace(&mut seals[1].digest, first);
        assert_eq!(flaw_at(verdict(1, None, &seals)), Some((1, ChainFlaw::Altered)));
    }

    #[test]
    fn a_range_whose_place_before_is_gone_does_not_hold() {
        let seals = chain(&["a", "b"]);
        assert_eq!(flaw_at(verdict(2, None, &seals[1..])), Some((2, ChainFlaw::Unlinked)));
    }
}
