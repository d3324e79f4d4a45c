//! How often a mail is tried, and after which waits.

/// Tries of one mail. With the waits between them they span some fifteen hours.
pub(super) const ATTEMPTS: i32 = 8;
/// The wait after the first failure, in seconds.
const FIRST_WAIT: i64 = 30;
/// Each wait is so many times the one before.
const GROWTH: i64 = 4;
/// The longest wait, in seconds.
const LONGEST_WAIT: i64 = 6 * 3600;

/// Seconds to wait after the try of this number failed, counted from one; `None` when it was the last.
pub(super) fn wait_after(attempt: i32) -> Option<i64> {
    let failures = u32::try_from(attempt.max(1) - 1).unwrap_or_default();
    (attempt < ATTEMPTS).then(|| FIRST_WAIT.saturating_mul(GROWTH.saturating_pow(failures)).min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_until_the_tries_are_spent() {
        let waits: Vec<Option<i64>> = (1..=9).map(wait_after).collect();
        let seconds = [30, 120, 480, 1_920, 7_680, 21_600, 21_600].map(Some);
        assert_eq!(waits, [seconds.as_slice(), &[None, None]].concat());
    }

    #[test]
    fn a_count_that_cannot_be_is_taken_for_the_first() {
        assert_eq!(wait_after(0), Some(30));
        assert_eq!(wait_after(-7), Some(30));
    }
}
