use labs_crypto::sha256;

use super::FindingKind::{Altered, Inserted, Missing, Reordered, RolledBack};
use super::*;
use crate::audit_chain::chain::{GENESIS, Unsealed, link};

fn entry(position: u64, record_uuid: Uuid, hash: &[u8]) -> LogEntry {
    LogEntry { position, record_uuid, digest: sha256(&[b"key", hash].concat()) }
}

/// Record of a test: a number for its UUID, and its text.
type Record = (u128, &'static str);

const RECORDS: [Record; 6] = [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (6, "f")];

/// Seals records with a correct chain.
fn seal(records: &[Record]) -> Vec<FoundSeal> {
    let due: Vec<Unsealed> = records
        .iter()
        .map(|(uuid, text)| Unsealed { record_uuid: Uuid::from_u128(*uuid), digest: sha256(text.as_bytes()).to_vec() })
        .collect();
    let found = link(0, None, &due).into_iter().zip(due).map(|(seal, due)| FoundSeal {
        position: seal.position,
        record_uuid: seal.record_uuid,
        previous_hash: seal.previous_hash.to_vec(),
        hash: seal.hash.to_vec(),
        digest: Some(due.digest),
    });
    found.collect()
}

/// Compares seals with a log of the first `size` records, from a position on.
fn compare_from(from: u64, size: u64, found: &[FoundSeal], has_entries: bool) -> Vec<(FindingKind, u64, u64)> {
    let logged: Vec<LogEntry> = seal(&RECORDS)
        .iter()
        .map(|seal| entry(seal.position.try_into().unwrap(), seal.record_uuid, &seal.hash))
        .collect();
    let before = (from == 1).then_some(GENESIS);
    let mut comparison = Comparison::begin(before, &entry);
    for position in from..=size {
        let own = logged[usize::try_from(position).unwrap() - 1];
        let leaf = LoggedLeaf { leaf: own.leaf_hash(), entry: has_entries.then_some(own) };
        let at = |seal: &&FoundSeal| u64::try_from(seal.position) == Ok(position);
        comparison.step(position, &leaf, &found.iter().filter(at).cloned().collect::<Vec<_>>());
    }
    for seal in found.iter().filter(|seal| u64::try_from(seal.position).unwrap() > size) {
        comparison.step_beyond(seal);
    }
    comparison.end(size).into_iter().map(|finding| (finding.kind, finding.first, finding.last)).collect()
}

fn compare(found: &[FoundSeal]) -> Vec<(FindingKind, u64, u64)> {
    compare_from(1, 6, found, true)
}

/// Returns the records with a change.
fn changed(change: impl FnOnce(&mut Vec<Record>)) -> Vec<Record> {
    let mut records = RECORDS.to_vec();
    change(&mut records);
    records
}

#[test]
fn intact_chain_has_no_findings() {
    for (from, size, has_entries) in [(1, 6, true), (1, 6, false), (3, 6, true), (6, 6, true), (2, 4, false)] {
        assert_eq!(compare_from(from, size, &seal(&RECORDS), has_entries), []);
    }
}

#[test]
fn altered_record_is_found_alone() {
    let mut found = seal(&RECORDS);
    found[2].digest = Some(sha256(b"C").to_vec());
    assert_eq!(compare(&found), [(Altered, 3, 3)]);
    // A matching hash of this seal alone breaks the next link, but not the next record.
    found[2].hash = next_hash(&found[2].previous_hash, &sha256(b"C")).to_vec();
    assert_eq!(compare(&found), [(Altered, 3, 3)]);
    assert_eq!(compare_from(1, 6, &found, false), [(Altered, 3, 3)]);
    assert_eq!(compare_from(4, 6, &found, true), []);
}

#[test]
fn altered_record_with_correct_chain_is_found_at_its_position() {
    let found = seal(&changed(|records| records[2].1 = "C"));
    assert_eq!(compare(&found), [(Altered, 3, 3), (Altered, 4, 6)]);
    assert_eq!(compare_from(5, 6, &found, true), [(Altered, 5, 6)], "also from a later checkpoint");
}

#[test]
fn altered_seal_is_found_and_its_record_is_not_blamed() {
    let mut found = seal(&RECORDS);
    found[2].previous_hash = vec![7; 32];
    found[4].hash = vec![7; 32];
    let details = {
        let mut comparison = Comparison::begin(Some(GENESIS), &entry);
        for (own, at) in seal(&RECORDS).iter().zip(&found) {
            let position = own.position.try_into().unwrap();
            let own = entry(position, own.record_uuid, &own.hash);
            let leaf = LoggedLeaf { leaf: own.leaf_hash(), entry: Some(own) };
            comparison.step(position, &leaf, std::slice::from_ref(at));
        }
        comparison.end(6)
    };
    let details: Vec<_> = details.iter().map(|finding| (finding.first, finding.detail)).collect();
    assert_eq!(details, [(3, SEAL), (5, SEAL)]);
}

#[test]
fn deleted_record_is_found_with_and_without_its_seal() {
    let mut found = seal(&RECORDS);
    found[2].digest = None;
    assert_eq!(compare(&found), [(Missing, 3, 3)]);
    found.remove(2);
    assert_eq!(compare(&found), [(Missing, 3, 3)]);
    assert_eq!(compare_from(1, 6, &found, false), [(Missing, 3, 3)]);
    // The chain was computed again, so all later records moved.
    let found = seal(&changed(|records| records.retain(|(uuid, _)| *uuid != 3)));
    assert_eq!(compare(&found), [(Missing, 3, 3)]);
}

#[test]
fn inserted_record_is_found() {
    let found = seal(&changed(|records| records.insert(2, (9, "x"))));
    assert_eq!(compare(&found), [(Inserted, 3, 3)]);
    let mut doubled = seal(&RECORDS);
    let twin = FoundSeal { record_uuid: Uuid::from_u128(9), ..doubled[3].clone() };
    doubled.insert(4, twin);
    assert_eq!(compare(&doubled), [(Inserted, 4, 4)]);
}

#[test]
fn replaced_record_is_missing_and_inserted() {
    let found = seal(&changed(|records| records[2] = (9, "x")));
    assert_eq!(compare(&found), [(Missing, 3, 3), (Inserted, 3, 3), (Altered, 4, 6)]);
}

#[test]
fn reordered_records_are_found_with_and_without_a_correct_chain() {
    let found = seal(&changed(|records| records.swap(1, 3)));
    assert_eq!(compare(&found), [(Reordered, 2, 2), (Altered, 3, 3), (Reordered, 4, 4), (Altered, 5, 6)]);
    let mut found = seal(&RECORDS);
    (found[1].position, found[3].position) = (4, 2);
    found.swap(1, 3);
    assert_eq!(compare(&found), [(Reordered, 2, 2), (Reordered, 4, 4)]);
}

#[test]
fn restored_older_chain_is_found_even_if_it_grew_again() {
    assert_eq!(compare(&seal(&RECORDS[..4])), [(RolledBack, 5, 6)]);
    let grown = changed(|records| {
        records.truncate(4);
        records.extend([(11, "x"), (12, "y"), (13, "z")]);
    });
    assert_eq!(compare(&seal(&grown)), [(RolledBack, 5, 6), (Inserted, 5, 5), (Inserted, 6, 6)]);
    assert_eq!(compare_from(1, 4, &seal(&grown), true), [], "the log covers only the common part");
    assert_eq!(compare(&[]), [(RolledBack, 1, 6)]);
}
