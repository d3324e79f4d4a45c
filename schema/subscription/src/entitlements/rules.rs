//! Rule on the time of a request.

use labs_core::fault::{Fault, FieldError};
use labs_core::time::Time;

/// Rejects a time in the past, because past entitlements are not stored.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(super) fn moment(at: Option<Time>, present: Time) -> Result<(), Fault> {
    if at.is_none_or(|at| at >= present) {
        return Ok(());
    }
    let message = "Past values are not stored. Omit `at` for the current values, or send a future time.";
    Err(Fault::invalid(vec![FieldError::of("at", "PAST", message)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_moment_is_rejected() {
        let at = |seconds| Time(jiff::Timestamp::UNIX_EPOCH).plus_seconds(seconds);
        assert!(moment(None, at(9)).is_ok());
        assert!(moment(Some(at(9)), at(9)).is_ok());
        assert!(moment(Some(at(10)), at(9)).is_ok());
        let refused = moment(Some(at(8)), at(9)).unwrap_err();
        assert_eq!(refused.errors()[0].parameter.as_deref(), Some("at"));
    }
}
