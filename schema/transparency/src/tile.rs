//! Names of tiles (C2SP `tlog-tiles`): a tile has up to 256 consecutive hashes of one level, and each hash of the next
//! level is the root of a full tile.

use std::fmt::Write as _;

use crate::merkle::{Hash, node_hash};

/// Number of hashes in a full tile.
pub const WIDTH: u64 = 256;

/// Highest level that a tile can have; a tree of 2⁶⁴ leaves has tiles up to level 7.
const HIGHEST: u8 = 7;

/// Name of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    /// Level; the hashes at level 0 are those of the leaves.
    pub level: u8,
    /// Index within the level, from 0.
    pub index: u64,
    /// Number of hashes, 1 to 256.
    pub width: u16,
}

/// Object of the log, stored under its path and served under the same path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogObject {
    /// The current checkpoint.
    Checkpoint,
    /// Hashes of a tile.
    Tile(Tile),
    /// Entries of a tile at level 0. They are stored but not served.
    Entries(Tile),
}

impl Tile {
    /// Returns the tile that contains the hash at this index of a level, as wide as it is in a tree of this size.
    /// `None` if the tree has no such hash.
    #[must_use]
    pub fn containing(level: u8, index: u64, size: u64) -> Option<Self> {
        let hashes = count_hashes(size, level);
        let tile = Self { level, index: index / WIDTH, width: 0 };
        let width = hashes.saturating_sub(tile.index * WIDTH).min(WIDTH);
        (index < hashes).then_some(Self { width: u16::try_from(width).ok()?, ..tile })
    }

    /// Whether the tile has all of its hashes, so that it never changes.
    #[must_use]
    pub fn is_full(self) -> bool {
        u64::from(self.width) == WIDTH
    }

    /// Returns the full tile at the same place.
    #[must_use]
    pub fn to_full(self) -> Self {
        Self { width: 256, ..self }
    }

    /// Returns the partial tiles of a tree of this size, from level 0 up, without levels whose last tile is full.
    #[must_use]
    pub fn edge(size: u64) -> Vec<Self> {
        let levels = (0..=HIGHEST).filter_map(|level| {
            let hashes = count_hashes(size, level);
            let width = u16::try_from(hashes % WIDTH).ok().filter(|width| *width > 0)?;
            Some(Self { level, index: hashes / WIDTH, width })
        });
        levels.collect()
    }

    fn index_path(self) -> String {
        let digits = format!("{:03}", self.index % 1000);
        let (mut parts, mut rest) = (vec![digits], self.index / 1000);
        while rest > 0 {
            parts.push(format!("x{:03}", rest % 1000));
            rest /= 1000;
        }
        parts.reverse();
        let mut path = parts.join("/");
        if !self.is_full() {
            // Writing into a string cannot fail.
            let _ = write!(path, ".p/{}", self.width);
        }
        path
    }

    /// Parses a level and the path behind it. Only the canonical form is accepted.
    fn parse(level: &str, path: &str) -> Option<Self> {
        let level = level.parse().ok().filter(|level| *level <= HIGHEST)?;
        let (digits, width) = match path.split_once(".p/") {
            Some((digits, width)) => (digits, width.parse().ok().filter(|width| (1..256).contains(width))?),
            None => (path, 256),
        };
        let digits: String = digits.split('/').map(|part| part.trim_start_matches('x')).collect();
        let tile = Self { level, index: digits.parse().ok()?, width };
        (tile.index_path() == path).then_some(tile)
    }
}

/// Returns the number of hashes at a level of a tree.
fn count_hashes(size: u64, level: u8) -> u64 {
    size.checked_shr(u32::from(level) * 8).unwrap_or_default()
}

impl LogObject {
    /// Returns the path below the address of the log.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Self::Checkpoint => "checkpoint".to_owned(),
            Self::Tile(tile) => format!("tile/{}/{}", tile.level, tile.index_path()),
            Self::Entries(tile) => format!("entries/{}", tile.index_path()),
        }
    }

    /// Parses the path of an object that is served. Only the canonical form is accepted.
    #[must_use]
    pub fn parse_served(path: &str) -> Option<Self> {
        if path == "checkpoint" {
            return Some(Self::Checkpoint);
        }
        let (level, rest) = path.strip_prefix("tile/")?.split_once('/')?;
        let tile = Tile::parse(level, rest).map(Self::Tile)?;
        (tile.path() == path).then_some(tile)
    }

    /// Returns the object that has the content of this one once its tile is full.
    #[must_use]
    pub fn to_full(self) -> Self {
        match self {
            Self::Checkpoint => self,
            Self::Tile(tile) => Self::Tile(tile.to_full()),
            Self::Entries(tile) => Self::Entries(tile.to_full()),
        }
    }
}

/// Computes the root of 2ⁿ hashes. `None` for any other number.
pub(crate) fn subtree_root(hashes: &[Hash]) -> Option<Hash> {
    match hashes {
        [hash] => Some(*hash),
        hashes if hashes.len().is_power_of_two() => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            Some(node_hash(&subtree_root(left)?, &subtree_root(right)?))
        }
        _ => None,
    }
}

/// Joins hashes to the content of a tile.
#[must_use]
pub fn to_bytes(hashes: &[Hash]) -> Vec<u8> {
    hashes.concat()
}

/// Parses the content of a tile, of which the first `width` hashes are used. `None` if it has fewer.
#[must_use]
pub fn from_bytes(bytes: &[u8], width: u16) -> Option<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    let hashes = hashes.get(..usize::from(width)).filter(|_| rest.is_empty())?;
    Some(hashes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_specification() {
        let tile = |level, index, width| LogObject::Tile(Tile { level, index, width });
        for (object, path) in [
            (tile(0, 0, 256), "tile/0/000"),
            (tile(0, 1_234_067, 256), "tile/0/x001/x234/067"),
            (tile(1, 273, 112), "tile/1/273.p/112"),
            (tile(0, 1000, 1), "tile/0/x001/000.p/1"),
            (LogObject::Checkpoint, "checkpoint"),
        ] {
            assert_eq!(object.path(), path);
            assert_eq!(LogObject::parse_served(path), Some(object), "{path}");
        }
        let entries = LogObject::Entries(Tile { level: 0, index: 5, width: 9 });
        assert_eq!(entries.path(), "entries/005.p/9");
        assert_eq!(entries.to_full().path(), "entries/005");
    }

    #[test]
    fn other_paths_are_not_served() {
        for path in [
            "",
            "entries/000",
            "tile/entries/000",
            "tile/0",
            "tile/0/0",
            "tile/0/0000",
            "tile/00/000",
            "tile/8/000",
            "tile/-1/000",
            "tile/+1/000",
            "tile/0/x000/001",
            "tile/0/001/001",
            "tile/0/x001/x01",
            "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/0/000.p/01",
            "tile/0/000.p/1/2",
            "tile/0/../../audit",
            "tile/0/x999/x999/x999/x999/x999/x999/x999/999",
        ] {
            assert_eq!(LogObject::parse_served(path), None, "{path}");
        }
    }

    #[test]
    fn edge_is_that_of_the_specification() {
        let tile = |level, index, width| Tile { level, index, width };
        assert_eq!(Tile::edge(70_000), [tile(0, 273, 112), tile(1, 1, 17), tile(2, 0, 1)]);
        assert_eq!(Tile::edge(256), [tile(1, 0, 1)]);
        assert_eq!(Tile::edge(0), []);
        assert_eq!(Tile::containing(0, 69_999, 70_000), Some(tile(0, 273, 112)));
        assert_eq!(Tile::containing(0, 255, 70_000), Some(tile(0, 0, 256)));
        assert_eq!(Tile::containing(0, 70_000, 70_000), None);
    }

    #[test]
    fn tile_content_with_a_partial_hash_is_rejected() {
        let bytes = to_bytes(&[[1; 32], [2; 32]]);
        assert_eq!(from_bytes(&bytes, 1), Some(vec![[1; 32]]));
        assert_eq!(from_bytes(&bytes, 3), None);
        assert_eq!(from_bytes(&bytes[..63], 1), None);
    }
}
