//! Times of the sample data, counted back from now, and the ids derived from them.

use jiff::{SignedDuration, Timestamp};
use labs_core::time::Time;
use labs_crypto::sha256;
pub(super) use labs_pictures::draw::number;
use uuid::Uuid;

/// Source of times before now. The same name always gives the same time and the same id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    now: Time,
}

/// Seconds per hour.
const HOUR: u32 = 3_600;

impl Past {
    pub(super) fn before(now: Time) -> Self {
        Self { now }
    }

    /// Returns a time this many hours ago, with a deterministic offset so that times look natural.
    pub(super) fn hours(self, hours: u32, name: &str) -> Time {
        let spread = if hours < 72 { HOUR / 2 } else { 7 * HOUR };
        self.minus(f64::from(hours) * f64::from(HOUR) + chance(name) * f64::from(spread))
    }

    /// Returns a time this many days ago, with a deterministic offset.
    pub(super) fn days(self, days: u32, name: &str) -> Time {
        self.hours(days * 24, name)
    }

    /// Returns a time between an earlier and a later time.
    pub(super) fn between(self, from: Time, until: Time, name: &str) -> Time {
        let length = until.0.duration_since(from.0).as_secs_f64().max(0.0);
        shift(from, length * chance(name))
    }

    /// Returns the current time.
    pub(super) fn now(self) -> Time {
        self.now
    }

    fn minus(self, seconds: f64) -> Time {
        shift(self.now, -seconds)
    }
}

/// Returns a time this many hours after another, or before it, with a deterministic offset.
pub(super) fn shift_hours(at: Time, hours: f64, name: &str) -> Time {
    shift(at, (hours + hours.abs().min(1.0) * chance(name) / 2.0) * f64::from(HOUR))
}

fn shift(at: Time, seconds: f64) -> Time {
    let micros = SignedDuration::from_micros((seconds * 1e6) as i64);
    let moved = at.0.saturating_add(micros).unwrap_or(at.0);
    // The database stores microseconds, and an id derived from a time must not depend on a finer unit.
    Time(Timestamp::from_microsecond(moved.as_microsecond()).unwrap_or(moved))
}

/// Returns a version 7 id for an object created at this time.
pub(super) fn id(at: Time, name: &str) -> Uuid {
    let milliseconds = u64::try_from(at.0.as_millisecond()).unwrap_or_default();
    let digest = sha256(name.as_bytes());
    let (bytes, _) = digest.split_first_chunk::<10>().map_or(([0; 10], &[][..]), |(first, rest)| (*first, rest));
    uuid::Builder::from_unix_timestamp_millis(milliseconds, &bytes).into_uuid()
}

/// Returns a number from 0 to 1 that depends only on the name.
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
    fn same_name_yields_same_moment_and_id() {
        let past = Past::before(now());
        assert_eq!(past.days(12, "a"), past.days(12, "a"));
        assert_ne!(past.days(12, "a"), past.days(12, "b"));
        assert_eq!(id(past.days(12, "a"), "x"), id(past.days(12, "a"), "x"));
        assert_ne!(id(past.days(12, "a"), "x"), id(past.days(12, "a"), "y"));
    }

    #[test]
    fn moments_are_past_and_ordered() {
        let past = Past::before(now());
        for name in ["a", "b", "c", "d"] {
            assert!(past.hours(0, name) <= now());
            assert!(past.days(3, name) < past.days(2, name));
        }
    }

    #[test]
    fn moments_have_microsecond_precision() {
        assert_eq!(Past::before(now()).days(1, "a").0.subsec_nanosecond() % 1_000, 0);
    }

    #[test]
    fn ids_are_version_seven_and_sort_by_time() {
        let past = Past::before(now());
        assert_eq!(id(now(), "x").get_version_num(), 7);
        assert!(id(past.days(9, "a"), "x") < id(past.days(8, "a"), "a"));
    }
}
