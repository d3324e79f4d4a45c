//! How often a mail is tried, and after which waits; and how many an address gets on strangers' wishes.

/// Tries of one mail. With the waits between them they span some fifteen hours.
pub(super) const ATTEMPTS: i32 = 8;
/// The wait after the first failure, in seconds.
const FIRST_WAIT: i64 = 30;
/// Each wait is so many times the one before.
const GROWTH: i64 = 4;
/// The longest wait, in seconds.
const LONGEST_WAIT: i64 = 6 * 3600;

/// Mails of one matter that an address gets in an hour on the wishes of one network.
const MOST_FROM_NETWORK: i64 = 5;
/// The same in a day, whoever wishes.
const MOST_A_DAY: i64 = 20;

/// How many more mails of a matter an address may get, of which so many were asked for from this network in the last hour
/// and so many in all in the last day.
pub(super) fn room(from_network: i64, today: i64) -> usize {
    let room = (MOST_FROM_NETWORK - from_network).min(MOST_A_DAY - today);
    usize::try_from(room).unwrap_or_default()
}

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
    fn one_network_does_not_use_up_what_another_may_wish() {
        assert_eq!(
            [room(0, 0), room(4, 4), room(5, 5), room(0, 5), room(0, 18), room(0, 20), room(9, 30)],
            [5, 1, 0, 5, 2, 0, 0]
        );
    }

    #[test]
    fn a_count_that_cannot_be_is_taken_for_the_first() {
        assert_eq!(wait_after(0), Some(30));
        assert_eq!(wait_after(-7), Some(30));
    }
}
