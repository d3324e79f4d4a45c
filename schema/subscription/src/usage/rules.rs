//! Remaining amount of a limit.

/// Returns the remaining amount; zero if the usage exceeds the limit, and `None` if it is unlimited or not counted.
pub(super) fn remaining(limit: Option<i64>, used: Option<i64>) -> Option<i64> {
    Some(limit?.saturating_sub(used?).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_is_zero_if_use_exceeds_limit() {
        assert_eq!(remaining(Some(3), Some(1)), Some(2));
        assert_eq!(remaining(Some(3), Some(5)), Some(0));
        assert_eq!(remaining(None, Some(5)), None);
        assert_eq!(remaining(Some(3), None), None);
    }
}
