//! What is left of a limit.

/// What can still be added; nothing when more is used than is allowed, and `None` where there is no cap or nobody counts.
pub(super) fn remaining(limit: Option<i64>, used: Option<i64>) -> Option<i64> {
    Some(limit?.saturating_sub(used?).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_limit_that_became_smaller_than_its_use() {
        assert_eq!(remaining(Some(3), Some(1)), Some(2));
        assert_eq!(remaining(Some(3), Some(5)), Some(0));
        assert_eq!(remaining(None, Some(5)), None);
        assert_eq!(remaining(Some(3), None), None);
    }
}
