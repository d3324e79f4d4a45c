//! Moments: one type from column to answer, printed in UTC with `Z`.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::{SignedDuration, Timestamp};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};

/// A moment in UTC with microseconds, RFC 3339 in answers (docs/decisions/api.md#formats-of-values).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub Timestamp);

impl Time {
    /// Returns the moment without a fraction of a second.
    #[must_use]
    pub fn whole_seconds(self) -> Self {
        Timestamp::from_second(self.unix()).map_or(self, Self)
    }

    /// Returns the whole seconds since 1970.
    #[must_use]
    pub fn unix(self) -> i64 {
        self.0.as_second()
    }

    /// Returns the moment this many seconds later. Saturates at the ends of the range.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX))
    }

    /// Counts the seconds from `earlier` to this moment; negative if this moment is earlier.
    #[must_use]
    pub fn seconds_since(self, earlier: Self) -> i64 {
        self.0.duration_since(earlier.0).as_secs()
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Parses an RFC 3339 date-time with any offset and any number of fraction digits. It is rounded down to microseconds,
/// the precision of a column. A leap second counts as second 59.
///
/// # Errors
/// If the text is not a date-time, or the moment is beyond the supported range (the last moment is
/// 9999-12-30T22:00:00Z).
impl FromStr for Time {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Truncated in the text, where a fraction counts from the second before it, so that moments before 1970 are
        // also rounded down.
        without_nanoseconds(text).parse().map(Self)
    }
}

/// Truncates the text to microseconds.
fn without_nanoseconds(text: &str) -> Cow<'_, str> {
    let Some((seconds, rest)) = text.split_once('.') else { return text.into() };
    let offset = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match rest.get(..6) {
        Some(digits) if rest.len() - offset.len() > 6 => format!("{seconds}.{digits}{offset}").into(),
        _ => text.into(),
    }
}

impl Type<Postgres> for Time {
    fn type_info() -> PgTypeInfo {
        <jiff_sqlx::Timestamp as Type<Postgres>>::type_info()
    }

    fn compatible(info: &PgTypeInfo) -> bool {
        <jiff_sqlx::Timestamp as Type<Postgres>>::compatible(info)
    }
}

impl sqlx::postgres::PgHasArrayType for Time {
    fn array_type_info() -> PgTypeInfo {
        <jiff_sqlx::Timestamp as sqlx::postgres::PgHasArrayType>::array_type_info()
    }
}

impl<'q> Encode<'q, Postgres> for Time {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <jiff_sqlx::Timestamp as Encode<'q, Postgres>>::encode_by_ref(&jiff_sqlx::Timestamp::from(self.0), buffer)
    }
}

impl<'r> Decode<'r, Postgres> for Time {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        <jiff_sqlx::Timestamp as Decode<'r, Postgres>>::decode(value).map(|time| Self(time.to_jiff()))
    }
}

/// Source of time for the service. Tests can move it; no other code reads the system clock.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    ahead_seconds: Arc<AtomicI64>,
}

impl Clock {
    /// Returns the current time.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the ambient clock")]
    pub fn now(&self) -> Time {
        let now = Timestamp::now();
        // A column stores microseconds, so a moment that is returned directly must not be more precise.
        let now = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
        Time(now).plus_seconds(self.ahead_seconds.load(Ordering::Relaxed))
    }

    /// Returns the offset set by tests, in seconds.
    #[must_use]
    pub fn ahead_seconds(&self) -> i64 {
        self.ahead_seconds.load(Ordering::Relaxed)
    }

    /// Moves this clock, and every copy of it, forward. For tests.
    pub fn advance(&self, seconds: i64) {
        self.ahead_seconds.fetch_add(seconds, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_timestamp_formats_are_parsed_and_rounded_down() {
        for (text, expected) in [
            ("2026-03-01T09:30:00Z", "2026-03-01T09:30:00Z"),
            ("2026-03-01t09:30:00z", "2026-03-01T09:30:00Z"),
            ("2026-03-01T10:30:00+01:00", "2026-03-01T09:30:00Z"),
            ("2026-03-01T09:30:00.1234567Z", "2026-03-01T09:30:00.123456Z"),
            ("2026-03-01T09:30:00.123456789123456789Z", "2026-03-01T09:30:00.123456Z"),
            ("2026-03-01T09:30:00.999999999-02:00", "2026-03-01T11:30:00.999999Z"),
            ("1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.999999Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("2016-12-31T23:59:60.5Z", "2016-12-31T23:59:59.5Z"),
        ] {
            assert_eq!(text.parse::<Time>().map(|time| time.to_string()).ok().as_deref(), Some(expected), "{text}");
            assert_eq!(serde_json::from_value::<Time>(text.into()).unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "2026-03-01", "2026-03-01T09:30:00", "9999-12-31T23:59:59Z", "2026-02-30T00:00:00Z"] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }
}
