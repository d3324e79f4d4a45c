//! Valid tokens that were rejected a moment ago: repeated use of one must not load the database.

use std::time::Duration;

use moka::sync::Cache;

use crate::fault::{Code, Fault};

/// How long a cached rejection is valid: as long as a change of rights can take to become known.
const BELIEVED: Duration = Duration::from_secs(1);

/// Rejections by the digest of the token, each with its generation.
pub(super) struct RefusedTokens(Cache<[u8; 32], (u64, Fault)>);

impl Default for RefusedTokens {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(10_000).time_to_live(BELIEVED).build())
    }
}

impl RefusedTokens {
    /// Returns the cached rejection of this token, unless a change has arrived since.
    pub(super) fn get(&self, digest: &[u8; 32], generation: u64) -> Option<Fault> {
        self.0.get(digest).filter(|(given, _)| *given == generation).map(|(_, fault)| fault)
    }

    /// Stores a rejection if it depends on the token. An unavailable database does not depend on it.
    pub(super) fn note(&self, digest: [u8; 32], generation: u64, fault: &Fault) {
        if matches!(fault.code(), Code::TokenRevoked | Code::PartnerSuspended | Code::AccountLocked) {
            self.0.insert(digest, (generation, fault.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_errors_are_cached_until_a_change() {
        let refused = RefusedTokens::default();
        refused.note([1; 32], 7, &Fault::new(Code::TokenRevoked, "The session has ended."));
        refused.note([2; 32], 7, &Fault::unavailable("The database is away."));
        assert_eq!(refused.get(&[1; 32], 7).map(|fault| fault.code()), Some(Code::TokenRevoked));
        assert!(refused.get(&[1; 32], 8).is_none(), "something has changed");
        assert!(refused.get(&[2; 32], 7).is_none(), "another try may fare better");
        assert!(refused.get(&[3; 32], 7).is_none(), "of another token nothing is known");
    }
}
