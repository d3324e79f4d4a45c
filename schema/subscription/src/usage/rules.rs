//! Remaining amount of a limit, and the warning before a budget is spent.

/// Share of the daily budget at which a partner is warned, in percent.
pub(super) const WARNED_AT_PERCENT: i64 = 80;

/// Returns the number of requests at which a partner with this daily budget is warned.
pub(super) fn warning_at(daily_requests: i64) -> i64 {
    let (hundreds, rest) = (daily_requests / 100, daily_requests % 100);
    hundreds.saturating_mul(WARNED_AT_PERCENT).saturating_add((rest * WARNED_AT_PERCENT + 99) / 100)
}

/// Returns the remaining amount; zero if the usage exceeds the limit, and `None` if it is unlimited or not counted.
pub(super) fn remaining(limit: Option<i64>, used: Option<i64>) -> Option<i64> {
    Some(limit?.saturating_sub(used?).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warning_comes_at_four_fifths_of_the_budget() {
        assert_eq!([1, 4, 10, 100_000, i64::MAX].map(warning_at)[..4], [1, 4, 8, 80_000]);
        assert!(warning_at(i64::MAX) > 0);
    }

    #[test]
    fn remaining_is_zero_if_use_exceeds_limit() {
        assert_eq!(remaining(Some(3), Some(1)), Some(2));
        assert_eq!(remaining(Some(3), Some(5)), Some(0));
        assert_eq!(remaining(None, Some(5)), None);
        assert_eq!(remaining(Some(3), None), None);
    }
}
