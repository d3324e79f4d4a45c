//! Retry schedule of mail messages, and limits for messages that anonymous requests cause.

use labs_core::fault::SpentBudget;

/// Maximum attempts for one message. With the waits between them they last about fifteen hours.
pub(super) const ATTEMPTS: i32 = 8;
/// Wait after the first failure, in seconds.
const FIRST_WAIT: i64 = 30;
/// Factor between two consecutive waits.
const GROWTH: i64 = 4;
/// Longest wait, in seconds.
const LONGEST_WAIT: i64 = 6 * 3600;

/// Maximum messages on one subject to an address per hour, caused by one network.
const MOST_FROM_NETWORK: i64 = 5;
/// Maximum messages on one subject to an address per day, from all networks.
const MOST_A_DAY: i64 = 20;

/// Messages on one subject that an address can still get.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RemainingMails {
    /// Number of messages.
    pub left: usize,
    /// The limit that is spent, or the hourly one.
    pub budget: SpentBudget,
    /// Seconds after which a spent allowance has room again: the period of its limit.
    pub wait_seconds: u64,
}

/// Computes the allowance of an address. The inputs are the number of messages caused by this network in the last hour
/// and the total of the last day.
pub(super) fn remaining_mails(from_network: i64, today: i64) -> RemainingMails {
    let left = (MOST_FROM_NETWORK - from_network).min(MOST_A_DAY - today);
    let is_day_spent = today >= MOST_A_DAY;
    let (budget, wait_seconds) =
        if is_day_spent { (SpentBudget::Daily, 24 * 3600) } else { (SpentBudget::Burst, 3600) };
    RemainingMails { left: usize::try_from(left).unwrap_or_default(), budget, wait_seconds }
}

/// Seconds to wait after this attempt failed, counted from one; `None` after the last attempt.
pub(super) fn wait_after(attempt: i32) -> Option<i64> {
    let failures = u32::try_from(attempt.max(1) - 1).unwrap_or_default();
    (attempt < ATTEMPTS).then(|| FIRST_WAIT.saturating_mul(GROWTH.saturating_pow(failures)).min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delays_grow_until_attempts_are_exhausted() {
        let waits: Vec<Option<i64>> = (1..=9).map(wait_after).collect();
        let seconds = [30, 120, 480, 1_920, 7_680, 21_600, 21_600].map(Some);
        assert_eq!(waits, [seconds.as_slice(), &[None, None]].concat());
    }

    #[test]
    fn mail_limit_leaves_room_for_other_networks() {
        let counts = [(0, 0), (4, 4), (5, 5), (0, 5), (0, 18), (0, 20), (9, 30)];
        assert_eq!(
            counts.map(|(from_network, today)| remaining_mails(from_network, today).left),
            [5, 1, 0, 5, 2, 0, 0]
        );
    }

    #[test]
    fn wait_is_the_period_of_the_spent_limit() {
        assert_eq!(
            [(5, 5), (0, 20), (9, 30)].map(|(hour, day)| remaining_mails(hour, day).wait_seconds),
            [3600, 86_400, 86_400]
        );
    }

    #[test]
    fn invalid_attempt_count_is_treated_as_first() {
        assert_eq!(wait_after(0), Some(30));
        assert_eq!(wait_after(-7), Some(30));
    }
}
