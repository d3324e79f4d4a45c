//! Comparison of the records in the database with the leaves of the tree. Uses no database and no clock.
//!
//! A leaf proves the chain's hash at its position, and this hash proves its record and the hash before it. So each
//! position is compared separately, and a change is reported at its position even if later ones changed too.
//!
//! If an attacker computed the chain again after a change, every later hash differs. The UUIDs in the entries, which are
//! in the object storage, then still show which records are missing, inserted or in another order.

use std::collections::HashMap;

use labs_transparency::{Hash, LogEntry};
use uuid::Uuid;

use super::hash_of;
use crate::audit_chain::chain::{FoundSeal, next_hash};

/// Kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// A record, its changes or its seal differs.
    Altered,
    /// A record or its seal is missing.
    Missing,
    /// A record or a seal is in the database and not in the tree.
    Inserted,
    /// Records have other positions.
    Reordered,
    /// The tree or its checkpoint does not continue the kept checkpoint.
    Forked,
    /// The end of the tree or of the chain is missing.
    RolledBack,
}

impl FindingKind {
    /// Returns the word for a report.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Altered => "ALTERED",
            Self::Missing => "MISSING",
            Self::Inserted => "INSERTED",
            Self::Reordered => "REORDERED",
            Self::Forked => "FORKED",
            Self::RolledBack => "ROLLED BACK",
        }
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Kind.
    pub kind: FindingKind,
    /// First position.
    pub first: u64,
    /// Last position.
    pub last: u64,
    /// UUID of the record, if there is one.
    pub record_uuid: Option<Uuid>,
    /// Explanation, as a clause.
    pub detail: &'static str,
}

impl Finding {
    /// A difference that concerns a range of positions.
    pub(super) fn over(kind: FindingKind, (first, last): (u64, u64), detail: &'static str) -> Self {
        Self { kind, first, last, record_uuid: None, detail }
    }
}

/// Leaf of a position, with its entry if the object storage has it.
pub(super) struct LoggedLeaf {
    pub(super) leaf: Hash,
    pub(super) entry: Option<LogEntry>,
}

/// Comparison in progress.
pub(super) struct Comparison<'a> {
    /// Computes the entry of a position from the chain's hash.
    entry_of: &'a (dyn Fn(u64, Uuid, &[u8]) -> LogEntry + Send + Sync),
    /// Hash of the chain before the next position, if it is proved.
    proved: Option<Hash>,
    /// Positions whose seal only follows from an earlier change.
    sealed_again: Vec<u64>,
    /// Records in the tree that are not at their position, and records at positions that are not theirs.
    absent: HashMap<Uuid, u64>,
    strange: HashMap<Uuid, u64>,
    /// Positions without a seal, whose record is unknown because the entry cannot be read.
    unknown: Vec<u64>,
    findings: Vec<Finding>,
}

const RECORD: &str = "the record or its changes differ from the sealed text";
const SEAL: &str = "the seal differs, the record does not";
const SEALED_AGAIN: &str = "the seals were computed again after an earlier change";
const NO_RECORD: &str = "the record does not exist, its seal does";
const NO_SEAL: &str = "no seal names the record";
const NOT_LOGGED: &str = "the log does not contain the record at this position";
const OTHER_ORDER: &str = "the record is at another place of the order";
const CUT_OFF: &str = "the chain in the database ends earlier or continues with other records, as after a restore";

impl<'a> Comparison<'a> {
    /// Begins at a position. `before` is the hash of the chain before it, if it is known.
    pub(super) fn begin(
        before: Option<Hash>,
        entry_of: &'a (dyn Fn(u64, Uuid, &[u8]) -> LogEntry + Send + Sync),
    ) -> Self {
        Self {
            entry_of,
            proved: before,
            sealed_again: Vec::new(),
            absent: HashMap::new(),
            strange: HashMap::new(),
            unknown: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Compares the seals at the next position. Usually there is one.
    pub(super) fn step(&mut self, position: u64, logged: &LoggedLeaf, found: &[FoundSeal]) {
        let proved = self.proved.take();
        let record_uuid = logged.entry.as_ref().map(|entry| entry.record_uuid);
        let own = found.iter().find(|seal| record_uuid.is_none_or(|uuid| uuid == seal.record_uuid));
        for other in found.iter().filter(|seal| own.is_none_or(|own| own.record_uuid != seal.record_uuid)) {
            self.strange.insert(other.record_uuid, position);
        }
        match (own, record_uuid) {
            (Some(seal), _) => self.compare(position, logged, seal, proved),
            (None, Some(uuid)) => {
                self.absent.insert(uuid, position);
            }
            (None, None) => self.unknown.push(position),
        }
    }

    /// Takes a seal after the last covered position: it may be the seal of a covered record.
    pub(super) fn step_beyond(&mut self, seal: &FoundSeal) {
        if let Some(position) = u64::try_from(seal.position).ok().filter(|_| !self.absent.is_empty()) {
            self.strange.insert(seal.record_uuid, position);
        }
    }

    fn compare(&mut self, position: u64, logged: &LoggedLeaf, seal: &FoundSeal, proved: Option<Hash>) {
        let entry_of = self.entry_of;
        let is_logged = |hash: &[u8]| entry_of(position, seal.record_uuid, hash).leaf_hash() == logged.leaf;
        let has_logged_seal = is_logged(&seal.hash);
        self.proved = hash_of(&seal.hash).filter(|_| has_logged_seal);
        let Some(digest) = &seal.digest else {
            return self.report(FindingKind::Missing, position, seal, NO_RECORD);
        };
        let follows = |before: &[u8]| next_hash(before, digest);
        if has_logged_seal && follows(&seal.previous_hash).as_slice() == seal.hash {
            return;
        }
        if let Some(hash) = proved.map(|before| follows(&before)).filter(|hash| is_logged(hash)) {
            self.proved = Some(hash);
            return self.report(FindingKind::Altered, position, seal, SEAL);
        }
        let continues_change = proved.is_none() && !has_logged_seal;
        if continues_change && follows(&seal.previous_hash).as_slice() == seal.hash {
            return self.sealed_again.push(position);
        }
        self.report(FindingKind::Altered, position, seal, RECORD);
    }

    fn report(&mut self, kind: FindingKind, position: u64, seal: &FoundSeal, detail: &'static str) {
        let record_uuid = Some(seal.record_uuid);
        self.findings.push(Finding { kind, first: position, last: position, record_uuid, detail });
    }

    /// Ends the comparison at the last covered position, and returns the differences in order.
    pub(super) fn end(mut self, until: u64) -> Vec<Finding> {
        self.report_order();
        let mut gone: Vec<(u64, Option<Uuid>)> = self.unknown.iter().map(|position| (*position, None)).collect();
        let moved = |uuid: &Uuid| self.strange.contains_key(uuid);
        gone.extend(
            self.absent.iter().filter(|(uuid, _)| !moved(uuid)).map(|(uuid, position)| (*position, Some(*uuid))),
        );
        gone.sort_unstable();
        let cut = gone.iter().rev().zip(0..).take_while(|((position, _), back)| position + back == until).count();
        if let Some((first, _)) = gone.get(gone.len() - cut..).and_then(<[_]>::first) {
            self.findings.push(Finding::over(FindingKind::RolledBack, (*first, until), CUT_OFF));
        }
        for (position, record_uuid) in gone.into_iter().rev().skip(cut) {
            let (kind, detail) = (FindingKind::Missing, NO_SEAL);
            self.findings.push(Finding { kind, first: position, last: position, record_uuid, detail });
        }
        for (uuid, position) in &self.strange {
            if *position <= until && !self.absent.contains_key(uuid) {
                let (kind, detail, record_uuid) = (FindingKind::Inserted, NOT_LOGGED, Some(*uuid));
                self.findings.push(Finding { kind, first: *position, last: *position, record_uuid, detail });
            }
        }
        for range in ranges(&self.sealed_again) {
            self.findings.push(Finding::over(FindingKind::Altered, range, SEALED_AGAIN));
        }
        self.findings.sort_by_key(|finding| finding.first);
        self.findings
    }

    /// Reports records that are in another order. Records that only moved because others are missing or inserted are in
    /// the same order as before.
    fn report_order(&mut self) {
        let moved = self.absent.iter().filter_map(|(uuid, logged)| Some((*logged, *self.strange.get(uuid)?, *uuid)));
        let mut logged: Vec<(u64, u64, Uuid)> = moved.collect();
        logged.sort_unstable();
        let mut found = logged.clone();
        found.sort_unstable_by_key(|(_, found, _)| *found);
        for ((position, _, uuid), (_, _, other)) in logged.iter().zip(&found) {
            if uuid != other {
                let (kind, detail, record_uuid) = (FindingKind::Reordered, OTHER_ORDER, Some(*uuid));
                self.findings.push(Finding { kind, first: *position, last: *position, record_uuid, detail });
            }
        }
    }
}

/// Joins consecutive positions, which are in order, to ranges.
fn ranges(positions: &[u64]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for position in positions {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *position => *last = *position,
            _ => ranges.push((*position, *position)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests;
