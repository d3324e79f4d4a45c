//! Size of the answer to a staff member's query, counted while the library builds it.
//!
//! The limits of a query count fields and rows, but a field can be a long text, and a list inside an object can be
//! long.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum size of an answer in bytes of memory.
const LARGEST: usize = 8 * 1024 * 1024;
/// Assumed size in bytes of a value besides its text.
const VALUE: usize = 16;

/// Counter of the values of an answer.
#[derive(Default)]
pub(super) struct AnswerMeter(AtomicUsize);

impl AnswerMeter {
    /// Counts a value with a text of this many bytes. Returns whether it still fits.
    pub(super) fn admit(&self, text: usize) -> bool {
        let size = text.saturating_add(VALUE);
        // Saturates, so that a counter that passed the limit never fits again.
        let before = self.0.fetch_add(size.min(LARGEST), Ordering::Relaxed);
        before.saturating_add(size) <= LARGEST
    }

    /// Whether a value did not fit.
    pub(super) fn is_exceeded(&self) -> bool {
        self.0.load(Ordering::Relaxed) > LARGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_until_limit_is_reached() {
        let meter = AnswerMeter::default();
        assert!(meter.admit(LARGEST - 3 * VALUE));
        assert!(meter.admit(0) && !meter.is_exceeded());
        assert!(meter.admit(0) && !meter.is_exceeded());
        assert!(!meter.admit(0) && meter.is_exceeded());
        assert!(!AnswerMeter::default().admit(usize::MAX));
    }
}
