//! What becomes of connections once a server said that it takes no writes (SQLSTATE 25006). It leads no more, and another
//! one does: none that was opened before is used on, and the address is asked anew where to go.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When a server last refused a write. Of the process: a service has one database.
static REFUSED_AT: Mutex<Option<Instant>> = Mutex::new(None);

/// A write was refused by a server that takes none.
pub(crate) fn note() {
    *REFUSED_AT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// Whether a connection of this age was opened before the last refusal.
pub(crate) fn is_before(age: Duration) -> bool {
    let refused = *REFUSED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    refused.is_some_and(|refused| refused.elapsed() < age)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_were_opened_before_a_refusal_are_known_by_their_age() {
        assert!(!is_before(Duration::from_secs(3600)));
        note();
        assert!(is_before(Duration::from_secs(3600)));
        assert!(!is_before(Duration::ZERO));
    }
}
