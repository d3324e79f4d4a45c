//! Transparency log: a Merkle tree whose root is signed, so that a copy of one signature detects every later change of
//! an entry (docs/decisions/audit.md#transparency-log).
//!
//! The formats are those of C2SP, so that other programs can verify the log: `signed-note`, `tlog-checkpoint`,
//! `tlog-cosignature` (version 1, Ed25519), `tlog-tiles` and `tlog-proof`, over the tree of RFC 6962 with SHA-256.
//!
//! The code is pure: callers read and write the objects that [`LogObject`] names.
//!
//! The crates `signed_note` and `tlog_tiles` of Cloudflare's azul have the same formats. Labs does not use them: they
//! bring a second implementation of Ed25519 and SHA-256 (`ed25519-dalek`, `sha2`), while `aws-lc-rs` is the one
//! cryptographic library of the service, and they read tiles synchronously, while the object storage is asynchronous.
//!
//! | file | contents |
//! |---|---|
//! | `merkle` | hashes of the tree, and the verification of proofs |
//! | `tile` | names of tiles |
//! | `tree` | appending leaves |
//! | `proof` | creation of proofs from tiles, and the text of an inclusion proof |
//! | `entry` | content of a leaf |
//! | `key` | key pairs in the text form of signed notes |
//! | `note` | signed notes |
//! | `checkpoint` | size and root of the tree as a signed note, and cosignatures |

pub mod checkpoint;
pub mod entry;
pub mod key;
pub mod merkle;
pub mod note;
pub mod proof;
pub mod tile;
pub mod tree;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use entry::LogEntry;
pub use key::{KeyError, KeyKind, SigningKey, VerifyingKey};
pub use merkle::Hash;
pub use note::SignedNote;
pub use proof::InclusionProof;
pub use tile::{LogObject, Tile};
pub use tree::Tree;
