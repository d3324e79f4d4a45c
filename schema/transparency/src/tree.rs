//! Tree that grows at its right edge. It keeps only the partial tiles, so it needs a few kilobytes at any size.

use crate::merkle::{Hash, empty_root, node_hash};
use crate::tile::{Tile, WIDTH, subtree_root};

/// Tree at its right edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    /// Hashes of the last tile of each level, fewer than 256.
    edge: Vec<Vec<Hash>>,
    /// Tiles that became full.
    full: Vec<(Tile, Vec<Hash>)>,
}

impl Tree {
    /// Restores a tree of this size from the tiles that [`Tile::edge`] names. `None` if one is missing. The caller
    /// compares the root with that of a checkpoint.
    #[must_use]
    pub fn restore(size: u64, tiles: &[(Tile, Vec<Hash>)]) -> Option<Self> {
        let mut edge = Vec::new();
        for named in Tile::edge(size) {
            let (_, hashes) = tiles.iter().find(|(tile, _)| *tile == named)?;
            edge.resize(usize::from(named.level), Vec::new());
            edge.push(hashes.get(..usize::from(named.width))?.to_vec());
        }
        Some(Self { size, edge, full: Vec::new() })
    }

    /// Returns the number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf by its hash.
    pub fn append(&mut self, leaf: Hash) {
        self.size += 1;
        let (mut hash, mut level, mut hashes) = (leaf, 0, self.size);
        loop {
            let place = usize::from(level);
            if self.edge.len() <= place {
                self.edge.push(Vec::new());
            }
            let Some(edge) = self.edge.get_mut(place) else { return };
            edge.push(hash);
            let Some(root) = subtree_root(edge).filter(|_| edge.len() as u64 == WIDTH) else { return };
            hashes /= WIDTH;
            self.full.push((Tile { level, index: hashes - 1, width: 256 }, std::mem::take(edge)));
            (hash, level) = (root, level + 1);
        }
    }

    /// Returns the tiles that became full since the last call.
    pub fn take_full_tiles(&mut self) -> Vec<(Tile, Vec<Hash>)> {
        std::mem::take(&mut self.full)
    }

    /// Returns the partial tiles.
    #[must_use]
    pub fn partial_tiles(&self) -> Vec<(Tile, Vec<Hash>)> {
        let levels = Tile::edge(self.size).into_iter();
        let tiles = levels.filter_map(|tile| Some((tile, self.edge.get(usize::from(tile.level))?.clone())));
        tiles.collect()
    }

    /// Computes the root.
    #[must_use]
    pub fn root(&self) -> Hash {
        let mut root = None;
        for hashes in &self.edge {
            let mut end = hashes.len();
            while end > 0 {
                // The complete subtrees of a level have the sizes of the binary digits of its width.
                let start = end & (end - 1);
                let subtree = hashes.get(start..end).and_then(subtree_root).unwrap_or_else(empty_root);
                root = Some(root.map_or(subtree, |right| node_hash(&subtree, &right)));
                end = start;
            }
        }
        root.unwrap_or_else(empty_root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merkle::leaf_hash;
    use crate::merkle::tests::naive_root;

    #[test]
    fn root_and_tiles_equal_those_of_naive_tree() {
        let leaves: Vec<Hash> = (0..66_000u32).map(|leaf| leaf_hash(&leaf.to_be_bytes())).collect();
        let mut tree = Tree::default();
        let mut full = Vec::new();
        for (size, leaf) in (1..).zip(&leaves) {
            tree.append(*leaf);
            full.extend(tree.take_full_tiles());
            if size < 600 || size % 9_973 == 0 || size == 65_536 {
                assert_eq!(tree.root(), naive_root(&leaves[..size]), "{size}");
                let restored = Tree::restore(size as u64, &tree.partial_tiles()).unwrap();
                assert_eq!((restored.root(), restored.size()), (tree.root(), size as u64));
            }
        }
        let of_level = |level| full.iter().filter(move |(tile, _)| tile.level == level).collect::<Vec<_>>();
        assert_eq!((of_level(0).len(), of_level(1).len(), of_level(2).len()), (257, 1, 0));
        for (index, (tile, hashes)) in of_level(0).into_iter().enumerate() {
            assert_eq!((tile.index, &hashes[..]), (index as u64, &leaves[index * 256..(index + 1) * 256]));
        }
        assert_eq!(of_level(1)[0].1[3], naive_root(&leaves[768..1024]));
    }

    #[test]
    fn tree_without_one_edge_tile_is_not_restored() {
        let mut tree = Tree::default();
        (0..300u32).for_each(|leaf| tree.append(leaf_hash(&leaf.to_be_bytes())));
        let mut tiles = tree.partial_tiles();
        assert!(Tree::restore(300, &tiles).is_some());
        assert!(Tree::restore(301, &tiles).is_none());
        tiles.pop();
        assert!(Tree::restore(300, &tiles).is_none());
    }
}
