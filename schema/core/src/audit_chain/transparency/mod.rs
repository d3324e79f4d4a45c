//! Transparency log of the audit chain: a Merkle tree over the seals, whose root is signed once a minute with a key that
//! is not in the database (docs/decisions/audit.md#transparency-log).
//!
//! ```text
//!   records ─▶ seals ─▶ leaves ─▶ tiles ─▶ checkpoint, signed
//!   └── database ────┘  └── object storage ──────────────┘
//! ```
//!
//! The leaf of a position contains a keyed digest of the chain's hash at this position. So the last leaf covers the whole
//! chain, and a checkpoint that an auditor keeps elsewhere detects each later change of a record before it.
//!
//! | file | contents |
//! |---|---|
//! | `publish` | extends the tree and signs, unless the chain no longer contains the tree |
//! | `verify` | compares the records with the tree from a kept checkpoint on |
//! | `comparison` | finds the differences, without database and storage |
//! | `prove` | proofs that a record is in the tree |
//! | `files` | objects of the log in the object storage |

mod comparison;
mod files;
mod prove;
mod publish;
mod verify;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use labs_crypto::sealed::MasterKey;
use labs_transparency::{KeyError, KeyKind, LogEntry, LogObject, SigningKey, VerifyingKey};
use uuid::Uuid;

pub use self::comparison::{Finding, FindingKind};
pub use self::prove::prove;
pub use self::publish::publish;
pub use self::verify::{LogVerdict, verify};
use super::chain::Hash;
use crate::fault::Fault;
use crate::services::Services;

/// Purpose of the key of the digests in leaves. It never changes, so that all leaves have one key.
const PURPOSE: &str = "audit-log-leaf";

/// Name of the log and the keys that sign its checkpoints.
#[derive(Clone)]
pub struct CheckpointSigner {
    origin: String,
    keys: Arc<[SigningKey]>,
}

impl CheckpointSigner {
    /// Reads the keys from the text of their file. Every key signs, so that verifiers can change to another key while
    /// both are in the file. The log has this name, else that of the first key. A key in PEM has no name; it gets the
    /// fallback.
    ///
    /// # Errors
    /// [`KeyError::Private`] if the text contains no usable key, [`KeyError::OtherName`] if a key has another name than
    /// the log, [`KeyError::Name`] if the name is invalid.
    pub fn read(file: &str, origin: Option<&str>, fallback: &str) -> Result<Self, KeyError> {
        let keys = SigningKey::parse_file(file, origin.unwrap_or(fallback), KeyKind::Log)?;
        let named = keys.first().map(|key| key.public().name()).unwrap_or_default();
        let origin = origin.unwrap_or(named).to_owned();
        if keys.iter().any(|key| key.public().name() != origin) {
            return Err(KeyError::OtherName);
        }
        Ok(Self { origin, keys: keys.into() })
    }

    /// Returns the public keys.
    #[must_use]
    pub fn public_keys(&self) -> Vec<VerifyingKey> {
        self.keys.iter().map(|key| key.public().clone()).collect()
    }
}

/// Shows only the public keys.
impl fmt::Debug for CheckpointSigner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.keys.iter()).finish()
    }
}

/// Computes the entry of a position.
fn entry_of(key: &MasterKey, position: u64, record_uuid: Uuid, hash: &[u8]) -> LogEntry {
    LogEntry { position, record_uuid, digest: key.mac(PURPOSE, hash) }
}

/// Returns the chain's hash of a seal; `None` if it does not have 32 bytes.
fn hash_of(bytes: &[u8]) -> Option<Hash> {
    bytes.try_into().ok()
}

/// Returns the content of a served object by its path below the address of the log. `None` if it does not exist, or the
/// service has no transparency log.
///
/// # Errors
/// [`crate::fault::Code::Unavailable`] if the object storage does not answer.
pub async fn open(services: &Services, path: &str) -> Result<Option<(LogObject, Bytes)>, Fault> {
    let Some(object) = LogObject::parse_served(path).filter(|_| services.settings.checkpoints.is_some()) else {
        return Ok(None);
    };
    Ok(services.media.get_log(object).await?.map(|content| (object, content)))
}

/// Returns the seconds since a checkpoint was stored; `None` without one.
///
/// # Errors
/// [`crate::fault::Code::Unavailable`] if the object storage does not answer.
pub async fn checkpoint_age_seconds(services: &Services) -> Result<Option<f64>, Fault> {
    let stored_at = services.media.checkpoint_stored_at().await?;
    let now = services.clock.now().0;
    Ok(stored_at.map(|stored_at| now.duration_since(stored_at).as_secs_f64().max(0.0)))
}
