//! Hashes of the Merkle tree (RFC 6962, section 2.1), and the verification of proofs (RFC 9162, section 2.1).

use aws_lc_rs::digest::{Context, SHA256};

/// Hash of a leaf or a node: SHA-256.
pub type Hash = [u8; 32];

fn hash_parts(parts: &[&[u8]]) -> Hash {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(part);
    }
    let mut hash = [0; 32];
    hash.copy_from_slice(context.finish().as_ref());
    hash
}

/// Returns the root of a tree without leaves.
pub fn empty_root() -> Hash {
    hash_parts(&[])
}

/// Computes the hash of a leaf.
pub fn leaf_hash(data: &[u8]) -> Hash {
    hash_parts(&[&[0], data])
}

/// Computes the hash of a node from its children.
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    hash_parts(&[&[1], left, right])
}

/// Whether the leaf at this index, counted from 0, is in the tree of this size and root.
pub fn verify_inclusion((leaf, index): (Hash, u64), proof: &[Hash], (size, root): (u64, &Hash)) -> bool {
    if index >= size {
        return false;
    }
    let (mut node, mut last, mut hash) = (index, size - 1, leaf);
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            hash = node_hash(sibling, &hash);
            skip_missing_siblings(&mut node, &mut last);
        } else {
            hash = node_hash(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && hash == *root
}

/// Whether the tree of the first size and root is the beginning of the tree of the second size and root.
pub fn verify_consistency(first: (u64, &Hash), second: (u64, &Hash), proof: &[Hash]) -> bool {
    let ((size, root), (next_size, next_root)) = (first, second);
    if size > next_size {
        return false;
    }
    if size == next_size {
        return proof.is_empty() && root == next_root;
    }
    if size == 0 {
        return proof.is_empty() && *root == empty_root();
    }
    let mut path = proof.iter();
    let start = if size.is_power_of_two() { Some(root) } else { path.next() };
    let Some(start) = start else { return false };
    let shift = size.trailing_zeros();
    let (mut node, mut last) = ((size - 1) >> shift, (next_size - 1) >> shift);
    let (mut first_hash, mut second_hash) = (*start, *start);
    for sibling in path {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            first_hash = node_hash(sibling, &first_hash);
            second_hash = node_hash(sibling, &second_hash);
            skip_missing_siblings(&mut node, &mut last);
        } else {
            second_hash = node_hash(&second_hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && first_hash == *root && second_hash == *next_root
}

/// Moves up the right edge of the tree to the next level at which the node has a left sibling.
fn skip_missing_siblings(node: &mut u64, last: &mut u64) {
    while *node & 1 == 0 && *node != 0 {
        *node >>= 1;
        *last >>= 1;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Computes a root by the definition in RFC 6962.
    pub(crate) fn naive_root(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => empty_root(),
            [leaf] => *leaf,
            leaves => {
                let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
                node_hash(&naive_root(left), &naive_root(right))
            }
        }
    }

    /// The leaves of the test vectors of Certificate Transparency's reference implementation.
    pub(crate) fn known_leaves() -> Vec<Hash> {
        let leaves =
            ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
        leaves.iter().map(|leaf| leaf_hash(&hex::decode(leaf).unwrap())).collect()
    }

    pub(crate) const KNOWN_ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    #[test]
    fn roots_match_known_vectors() {
        for (size, root) in KNOWN_ROOTS.iter().enumerate() {
            assert_eq!(hex::encode(naive_root(&known_leaves()[..size])), *root, "{size}");
        }
    }

    #[test]
    fn known_inclusion_proof_verifies_only_for_its_leaf() {
        let (leaves, root) = (known_leaves(), naive_root(&known_leaves()));
        let proof: Vec<Hash> = [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ]
        .map(|hash| hex::decode(hash).unwrap().try_into().unwrap())
        .into();
        assert!(verify_inclusion((leaves[0], 0), &proof, (8, &root)));
        assert!(!verify_inclusion((leaves[1], 0), &proof, (8, &root)));
        assert!(!verify_inclusion((leaves[0], 1), &proof, (8, &root)));
        assert!(!verify_inclusion((leaves[0], 0), &proof[..2], (8, &root)));
        assert!(!verify_inclusion((leaves[0], 0), &proof, (9, &root)));
        assert!(!verify_inclusion((leaves[0], 8), &proof, (8, &root)));
    }
}
