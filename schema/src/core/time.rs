//! Moments: one type from column to answer, printed in UTC with `Z`.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use jiff::{SignedDuration, Timestamp};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};

/// A moment in UTC with microseconds, RFC 3339 in answers (docs/decisions.md#answers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub Timestamp);

impl Time {
    /// The same moment without a fraction of a second.
    #[must_use]
    pub fn whole_seconds(self) -> Self {
        Timestamp::from_second(self.unix()).map_or(self, Self)
    }

    /// Whole seconds since 1970.
    #[must_use]
    pub fn unix(self) -> i64 {
        self.0.as_second()
    }

    /// The moment this many seconds later. Saturates at the ends of time.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX))
    }

    /// Seconds from `earlier` to this one; negative when this one is earlier.
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
        Timestamp::deserialize(deserializer).map(Self)
    }
}

/// A date-time as RFC 3339 writes it, with any offset. What is finer than a microsecond is cut off, because a column
/// holds no more.
///
/// # Errors
/// For another text, for a year beyond what the clock knows (the last moment is 9999-12-30T22:00:00Z), and for more than
/// nine decimals of a second.
impl FromStr for Time {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Timestamp::from_microsecond(text.parse::<Timestamp>()?.as_microsecond()).map(Self)
    }
}

/// A moment, RFC 3339 in UTC with `Z`; any offset is understood on the way in.
#[Scalar(name = "Time")]
impl ScalarType for Time {
    fn parse(value: Value) -> InputValueResult<Self> {
        match &value {
            Value::String(text) => text.parse().map_err(|_| {
                InputValueError::custom("expected a date-time as RFC 3339 defines it, 2026-03-01T09:30:00Z for example")
            }),
            _ => Err(InputValueError::expected_type(value)),
        }
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
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

/// Where the service gets its time from. Tests move it; nothing else reads the ambient clock.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    ahead_seconds: Arc<AtomicI64>,
}

impl Clock {
    /// Now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the ambient clock")]
    pub fn now(&self) -> Time {
        let now = Timestamp::now();
        // A column holds microseconds, so a moment that is answered at once must hold no more than that.
        let now = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
        Time(now).plus_seconds(self.ahead_seconds.load(Ordering::Relaxed))
    }

    /// How far tests have moved it, in seconds.
    #[must_use]
    pub fn ahead_seconds(&self) -> i64 {
        self.ahead_seconds.load(Ordering::Relaxed)
    }

    /// Moves this clock, and every copy of it, ahead. For tests.
    pub fn advance(&self, seconds: i64) {
        self.ahead_seconds.fetch_add(seconds, Ordering::Relaxed);
    }
}
