//! Creation of proofs from tiles (RFC 6962, sections 2.1.1 and 2.1.2), and the text of an inclusion proof
//! (C2SP `tlog-proof`).
//!
//! The hashes of a proof are the roots of ranges of leaves. [`tiles_of`] names the tiles from which they follow, so
//! that the caller can load them, and [`hashes`] computes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::entry::LogEntry;
use crate::merkle::{Hash, node_hash};
use crate::tile::{Tile, WIDTH, subtree_root};

const HEAD: &str = "c2sp.org/tlog-proof@v1";

/// Range of leaves whose root is part of a proof.
pub type LeafRange = Range<u64>;

/// Loaded tiles, as [`tiles_of`] names them.
pub type Tiles = BTreeMap<Tile, Vec<Hash>>;

/// Largest power of two below a number over 1.
fn split(leaves: u64) -> u64 {
    1 << (leaves - 1).ilog2()
}

/// Returns the ranges of the proof that a leaf is in a tree of this size, from the leaf to the root.
#[must_use]
pub fn inclusion_ranges(index: u64, size: u64) -> Vec<LeafRange> {
    let (mut start, mut end, mut ranges) = (0, size, Vec::new());
    while index < size && end - start > 1 {
        let middle = start + split(end - start);
        if index < middle {
            ranges.push(middle..end);
            end = middle;
        } else {
            ranges.push(start..middle);
            start = middle;
        }
    }
    ranges.reverse();
    ranges
}

/// Returns the ranges of the proof that a tree of the first size is the beginning of a tree of the second size.
#[must_use]
pub fn consistency_ranges(first: u64, second: u64) -> Vec<LeafRange> {
    let (mut start, mut end, mut ranges) = (0, second, Vec::new());
    if first == 0 || first >= second {
        return ranges;
    }
    while first < end {
        let middle = start + split(end - start);
        if first <= middle {
            ranges.push(middle..end);
            end = middle;
        } else {
            ranges.push(start..middle);
            start = middle;
        }
    }
    if start > 0 {
        ranges.push(start..end);
    }
    ranges.reverse();
    ranges
}

/// Divides a range into complete subtrees, each given by the height of its root and its index at this height.
fn subtrees(range: &LeafRange, found: &mut Vec<(u32, u64)>) {
    let leaves = range.end - range.start;
    if leaves.is_power_of_two() {
        let height = leaves.ilog2();
        found.push((height, range.start >> height));
    } else {
        let middle = range.start + split(leaves);
        subtrees(&(range.start..middle), found);
        subtrees(&(middle..range.end), found);
    }
}

/// Returns the tile with a subtree's hashes in a tree of this size, and the place of the hashes in it.
fn place((height, index): (u32, u64), size: u64) -> Option<(Tile, Range<usize>)> {
    let (level, below) = (u8::try_from(height / 8).ok()?, height % 8);
    let first = index << below;
    let tile = Tile::containing(level, first, size)?;
    let start = usize::try_from(first % WIDTH).ok()?;
    Some((tile, start..start + (1 << below)))
}

/// Returns the tiles of a tree of this size from which the roots of these ranges follow.
#[must_use]
pub fn tiles_of(ranges: &[LeafRange], size: u64) -> BTreeSet<Tile> {
    let mut found = Vec::new();
    ranges.iter().for_each(|range| subtrees(range, &mut found));
    found.into_iter().filter_map(|subtree| Some(place(subtree, size)?.0)).collect()
}

/// Computes the roots of these ranges. `None` if a tile is missing.
#[must_use]
pub fn hashes(ranges: &[LeafRange], size: u64, tiles: &Tiles) -> Option<Vec<Hash>> {
    let root = |range: &LeafRange| {
        let mut parts = Vec::new();
        subtrees(range, &mut parts);
        let mut root: Option<Hash> = None;
        for part in parts.into_iter().rev() {
            let (tile, place) = place(part, size)?;
            let subtree = subtree_root(tiles.get(&tile)?.get(place)?)?;
            root = Some(root.map_or(subtree, |right| node_hash(&subtree, &right)));
        }
        root
    };
    ranges.iter().map(root).collect()
}

/// Proof that an entry is in the tree of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InclusionProof {
    /// The entry, which the file contains as extra data.
    pub entry: LogEntry,
    /// Hashes from the sibling of the leaf to the child of the root.
    pub hashes: Vec<Hash>,
    /// The checkpoint as signed.
    pub checkpoint: String,
}

impl InclusionProof {
    /// Returns the text of the proof.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (extra, index) = (STANDARD.encode(self.entry.to_bytes()), self.entry.position.saturating_sub(1));
        let mut text = format!("{HEAD}\nextra {extra}\nindex {index}\n");
        for hash in &self.hashes {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{}", STANDARD.encode(hash));
        }
        text + "\n" + &self.checkpoint
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merkle::tests::{KNOWN_ROOTS, known_leaves, naive_root};
    use crate::merkle::{leaf_hash, verify_consistency, verify_inclusion};
    use crate::tree::Tree;

    /// Returns the tiles of a tree of these leaves that a proof needs.
    fn load(leaves: &[Hash], ranges: &[LeafRange]) -> Tiles {
        let mut tree = Tree::default();
        leaves.iter().for_each(|leaf| tree.append(*leaf));
        let stored: Tiles = tree.take_full_tiles().into_iter().chain(tree.partial_tiles()).collect();
        let wanted = tiles_of(ranges, leaves.len() as u64);
        wanted.into_iter().map(|tile| (tile, stored[&tile].clone())).collect()
    }

    fn proof(leaves: &[Hash], ranges: &[LeafRange]) -> Vec<Hash> {
        hashes(ranges, leaves.len() as u64, &load(leaves, ranges)).unwrap()
    }

    fn leaves(size: usize) -> Vec<Hash> {
        (0..size).map(|leaf| leaf_hash(&leaf.to_be_bytes())).collect()
    }

    #[test]
    fn consistency_proof_matches_known_vectors() {
        let leaves = known_leaves();
        let shown = |first, second: usize| {
            let proof = proof(&leaves[..second], &consistency_ranges(first, second as u64));
            proof.iter().map(|hash| hex::encode(&hash[..4])).collect::<Vec<_>>()
        };
        assert_eq!(shown(1, 1), [""; 0]);
        assert_eq!(shown(1, 8), ["96a296d2", "5f083f0a", "6b47aaf2"]);
        assert_eq!(shown(6, 8), ["0ebc5d34", "ca854ea1", "d37ee418"]);
        assert_eq!(shown(2, 5), ["5f083f0a", "bc1a0643"]);
        let roots = KNOWN_ROOTS.map(|root| hex::decode(root).unwrap().try_into().unwrap());
        let of = proof(&leaves, &consistency_ranges(6, 8));
        assert!(verify_consistency((6, &roots[6]), (8, &roots[8]), &of));
        assert!(!verify_consistency((6, &roots[5]), (8, &roots[8]), &of));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn every_leaf_is_proved_and_no_other(size in 1usize..1400, at in any::<prop::sample::Index>()) {
            let (leaves, index) = (leaves(size), at.index(size));
            let root = naive_root(&leaves);
            let proof = proof(&leaves, &inclusion_ranges(index as u64, size as u64));
            let whole = (size as u64, &root);
            prop_assert!(verify_inclusion((leaves[index], index as u64), &proof, whole));
            prop_assert!(!verify_inclusion((leaf_hash(b"other"), index as u64), &proof, whole));
            if size > 1 {
                prop_assert!(!verify_inclusion((leaves[index], (index as u64 + 1) % size as u64), &proof, whole));
            }
        }

        #[test]
        fn every_beginning_is_proved_and_no_other(size in 1usize..1400, at in any::<prop::sample::Index>()) {
            let (mut leaves, first) = (leaves(size), at.index(size) + 1);
            let root = naive_root(&leaves);
            let proof = proof(&leaves, &consistency_ranges(first as u64, size as u64));
            let whole = (size as u64, &root);
            prop_assert!(verify_consistency((first as u64, &naive_root(&leaves[..first])), whole, &proof));
            leaves[first / 2] = leaf_hash(b"other");
            prop_assert!(!verify_consistency((first as u64, &naive_root(&leaves[..first])), whole, &proof));
        }
    }

    #[test]
    fn proofs_cross_tile_levels() {
        let leaves = leaves(66_000);
        let root = naive_root(&leaves);
        for index in [0, 255, 256, 65_535, 65_536, 65_999] {
            let proof = proof(&leaves, &inclusion_ranges(index, 66_000));
            assert!(verify_inclusion((leaves[usize::try_from(index).unwrap()], index), &proof, (66_000, &root)));
        }
        for first in [1, 255, 256, 257, 65_536, 65_537, 65_999] {
            let proof = proof(&leaves, &consistency_ranges(first, 66_000));
            let begin = naive_root(&leaves[..usize::try_from(first).unwrap()]);
            assert!(verify_consistency((first, &begin), (66_000, &root), &proof), "{first}");
        }
    }

    #[test]
    fn proof_in_a_log_of_a_million_entries_has_about_a_kilobyte() {
        let entry = LogEntry { position: 700_001, record_uuid: uuid::Uuid::nil(), digest: [7; 32] };
        let hashes = vec![[9; 32]; inclusion_ranges(700_000, 1_000_000).len()];
        let (key, _) = crate::SigningKey::generate("labs.example.com/audit-log", crate::KeyKind::Log).unwrap();
        let checkpoint = crate::Checkpoint { origin: key.public().name().to_owned(), size: 1_000_000, root: [1; 32] };
        let text = InclusionProof { entry, hashes, checkpoint: checkpoint.sign([&key]).to_string() }.to_text();
        assert!(text.starts_with("c2sp.org/tlog-proof@v1\nextra AAAAAA"), "{text}");
        assert!(text.contains("\nindex 700000\nCQkJ"), "{text}");
        assert!((900..1300).contains(&text.len()), "{}", text.len());
    }
}
