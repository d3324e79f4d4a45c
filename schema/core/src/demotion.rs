//! Handling of connections after a server rejected a write because it is read-only (SQLSTATE 25006). The server has
//! lost the role of the primary, so connections opened earlier are not reused, and the address is resolved again.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time at which a server last rejected a write. Global to the process, because a service has one database.
static REFUSED_AT: Mutex<Option<Instant>> = Mutex::new(None);

/// Records that a server rejected a write because it is read-only.
pub fn note() {
    *REFUSED_AT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// Whether a connection of this age was opened before the last rejection.
pub fn is_before(age: Duration) -> bool {
    let refused = *REFUSED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    refused.is_some_and(|refused| refused.elapsed() < age)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_older_than_demotion_are_detected() {
        assert!(!is_before(Duration::from_secs(3600)));
        note();
        assert!(is_before(Duration::from_secs(3600)));
        assert!(!is_before(Duration::ZERO));
    }
}
