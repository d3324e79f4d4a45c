//! Rules for the publication time of a version.

use labs_core::fault::Fault;
use labs_core::time::Time;

/// Maximum time in advance for a scheduled publication, in seconds (180 days).
const FARTHEST: i64 = 180 * 86_400;

/// Checks a publication time.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for a time in the past, or more than 180 days in the future.
pub(in crate::versions) fn check_moment(publish_at: Time, now: Time) -> Result<(), Fault> {
    match publish_at.seconds_since(now) {
        _ if publish_at <= now => {
            Err(Fault::field("/publish_at", "IN_THE_PAST", "Send a future time, or omit `publish_at` to publish now."))
        }
        ahead if ahead > FARTHEST || publish_at > now.plus_seconds(FARTHEST) => {
            Err(Fault::field("/publish_at", "TOO_FAR", "Send a time at most 180 days ahead."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_can_be_scheduled_within_180_days() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        let verdict = |seconds| check_moment(now.plus_seconds(seconds), now).is_ok();
        assert!(!verdict(-1));
        assert!(!verdict(0));
        assert!(verdict(1));
        assert!(verdict(FARTHEST));
        assert!(!verdict(FARTHEST + 1));
    }
}
