//! When things happened, counted back from now, and ids made of that.

use jiff::{SignedDuration, Timestamp};
pub(super) use labs_pictures::draw::number;
use uuid::Uuid;

use crate::core::crypto::sha256;
use crate::core::time::Time;

/// The time before now. The same name always means the same moment and the same id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    now: Time,
}

/// Seconds in an hour.
const HOUR: u32 = 3_600;

impl Past {
    pub(super) fn before(now: Time) -> Self {
        Self { now }
    }

    /// So many hours ago; not to the second, because nothing happens to the second.
    pub(super) fn hours(self, hours: u32, name: &str) -> Time {
        let spread = if hours < 72 { HOUR / 2 } else { 7 * HOUR };
        self.minus(f64::from(hours) * f64::from(HOUR) + chance(name) * f64::from(spread))
    }

    /// So many days ago, likewise.
    pub(super) fn days(self, days: u32, name: &str) -> Time {
        self.hours(days * 24, name)
    }

    /// Some moment between two others, the first of which is the earlier one.
    pub(super) fn between(self, from: Time, until: Time, name: &str) -> Time {
        let length = until.0.duration_since(from.0).as_secs_f64().max(0.0);
        shift(from, length * chance(name))
    }

    /// The moment itself.
    pub(super) fn now(self) -> Time {
        self.now
    }

    fn minus(self, seconds: f64) -> Time {
        shift(self.now, -seconds)
    }
}

/// So many hours after a moment, or before it; the share of an hour is as accidental as life.
pub(super) fn shift_hours(at: Time, hours: f64, name: &str) -> Time {
    shift(at, (hours + hours.abs().min(1.0) * chance(name) / 2.0) * f64::from(HOUR))
}

fn shift(at: Time, seconds: f64) -> Time {
    let micros = SignedDuration::from_micros((seconds * 1e6) as i64);
    let moved = at.0.saturating_add(micros).unwrap_or(at.0);
    // The database keeps microseconds, and an id made of a moment must not depend on less.
    Time(Timestamp::from_microsecond(moved.as_microsecond()).unwrap_or(moved))
}

/// An id of version 7 for what came to be at a moment.
pub(super) fn id(at: Time, name: &str) -> Uuid {
    let milliseconds = u64::try_from(at.0.as_millisecond()).unwrap_or_default();
    let digest = sha256(name.as_bytes());
    let (bytes, _) = digest.split_first_chunk::<10>().map_or(([0; 10], &[][..]), |(first, rest)| (*first, rest));
    uuid::Builder::from_unix_timestamp_millis(milliseconds, &bytes).into_uuid()
}

/// A number from 0 to 1 that depends on the name alone.
pub(super) fn chance(name: &str) -> f64 {
    f64::from(number(name)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Time {
        Time("2026-03-01T09:30:00.123456789Z".parse().unwrap())
    }

    #[test]
    fn the_same_name_always_means_the_same_moment_and_id() {
        let past = Past::before(now());
        assert_eq!(past.days(12, "a"), past.days(12, "a"));
        assert_ne!(past.days(12, "a"), past.days(12, "b"));
        assert_eq!(id(past.days(12, "a"), "x"), id(past.days(12, "a"), "x"));
        assert_ne!(id(past.days(12, "a"), "x"), id(past.days(12, "a"), "y"));
    }

    #[test]
    fn nothing_lies_ahead_and_longer_ago_is_earlier() {
        let past = Past::before(now());
        for name in ["a", "b", "c", "d"] {
            assert!(past.hours(0, name) <= now());
            assert!(past.days(3, name) < past.days(2, name));
        }
    }

    #[test]
    fn moments_have_no_more_than_microseconds() {
        assert_eq!(Past::before(now()).days(1, "a").0.subsec_nanosecond() % 1_000, 0);
    }

    #[test]
    fn ids_are_of_version_seven_and_sort_by_time() {
        let past = Past::before(now());
        assert_eq!(id(now(), "x").get_version_num(), 7);
        assert!(id(past.days(9, "a"), "x") < id(past.days(8, "a"), "a"));
    }
}
