//! How long things last, and how failures slow down the next try.

use crate::time::Time;

/// Seconds that a person's access token lives.
pub(super) const ACCESS_TOKEN_SECONDS: i64 = 600;
/// Seconds after which an unused session ends.
pub(super) const IDLE_SECONDS: i64 = 14 * 86_400;
/// Seconds after which any session ends.
pub(super) const ABSOLUTE_SECONDS: i64 = 30 * 86_400;
/// Seconds in which the second factor must follow the password.
pub(super) const CHALLENGE_SECONDS: i64 = 300;
/// Wrong codes after which a challenge is void.
pub(super) const CHALLENGE_ATTEMPTS: i32 = 5;

/// Failures that cost nothing: everybody mistypes.
const FREE_FAILURES: i32 = 5;
/// Longest delay in seconds for one network's tries at an account.
const LONGEST_DELAY: i64 = 900;
/// Failures of an account, from wherever, that cost nothing.
const FREE_FAILURES_OF_ACCOUNT: i32 = 50;
/// Longest delay in seconds of an account as a whole: its owner is never held back for longer by strangers.
const LONGEST_DELAY_OF_ACCOUNT: i64 = 30;

/// Until when the next try is held back after so many failures in a row: nothing for the first few, then
/// 2, 4, 8 … seconds. The subject of an account as a whole ends in its address; one network's tries at it end
/// in the network after a second `@`.
pub(super) fn held_until(failures: i32, now: Time, subject: &str) -> Option<Time> {
    let whole_account = subject.starts_with("account:") && subject.matches('@').count() < 2;
    let (free, longest) = if whole_account {
        (FREE_FAILURES_OF_ACCOUNT, LONGEST_DELAY_OF_ACCOUNT)
    } else {
        (FREE_FAILURES, LONGEST_DELAY)
    };
    let beyond = failures.checked_sub(free).filter(|beyond| *beyond > 0)?;
    let delay = 1_i64.checked_shl(beyond.unsigned_abs().min(40)).unwrap_or(longest).clamp(1, longest);
    Some(now.plus_seconds(delay))
}

/// When a session ends at the latest; a team's policy may shorten it.
pub(super) fn expires_at(now: Time, session_hours: Option<i32>) -> Time {
    let seconds = session_hours.map_or(ABSOLUTE_SECONDS, |hours| i64::from(hours) * 3600);
    now.plus_seconds(seconds.clamp(3600, ABSOLUTE_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_and_stop_growing() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        let delay =
            |failures| held_until(failures, now, "account:a@b.example@192.0.2.1").map(|until| until.seconds_since(now));
        assert_eq!(delay(5), None);
        assert_eq!(delay(6), Some(2));
        assert_eq!(delay(9), Some(16));
        assert_eq!(delay(60), Some(LONGEST_DELAY));
        assert_eq!(held_until(51, now, "account:a@b.example").map(|until| until.seconds_since(now)), Some(2));
        assert_eq!(held_until(90, now, "account:a@b.example").map(|until| until.seconds_since(now)), Some(30));
        assert!((6..100).all(|failures| delay(failures + 1).unwrap() >= delay(failures).unwrap()));
    }
}
