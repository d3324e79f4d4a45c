//! Well-signed tokens that were refused a moment ago: whoever goes on with one must not keep the database busy.

use std::time::Duration;

use moka::sync::Cache;

use crate::core::fault::{Code, Fault};

/// How long a refusal is believed; as long as it may take until a change of rights is heard of.
const BELIEVED: Duration = Duration::from_secs(1);

/// Refusals by the digest of the token, each with the generation in which it was given.
pub(super) struct Refused(Cache<[u8; 32], (u64, Fault)>);

impl Default for Refused {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(10_000).time_to_live(BELIEVED).build())
    }
}

impl Refused {
    /// What this token was refused with, unless something has changed since.
    pub(super) fn get(&self, digest: &[u8; 32], generation: u64) -> Option<Fault> {
        self.0.get(digest).filter(|(given, _)| *given == generation).map(|(_, fault)| fault)
    }

    /// Keeps a refusal that says something of the token; that the database was away says nothing.
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
    fn a_refusal_is_believed_until_something_changes_and_only_where_it_is_the_tokens() {
        let refused = Refused::default();
        refused.note([1; 32], 7, &Fault::new(Code::TokenRevoked, "The session has ended."));
        refused.note([2; 32], 7, &Fault::unavailable("The database is away."));
        assert_eq!(refused.get(&[1; 32], 7).map(|fault| fault.code()), Some(Code::TokenRevoked));
        assert!(refused.get(&[1; 32], 8).is_none(), "something has changed");
        assert!(refused.get(&[2; 32], 7).is_none(), "another try may fare better");
        assert!(refused.get(&[3; 32], 7).is_none(), "of another token nothing is known");
    }
}
