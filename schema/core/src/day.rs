//! Calendar days in UTC: one type from column to answer, printed as `2026-11-24`.

use std::str::FromStr;

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};

use crate::time::Time;

/// A day in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Day(pub Date);

impl Day {
    /// Returns the day that contains a moment.
    #[must_use]
    pub fn of(moment: Time) -> Self {
        Self(moment.0.to_zoned(TimeZone::UTC).date())
    }

    /// Returns the day this many days later, or earlier if negative. Saturates at the ends of the calendar.
    #[must_use]
    pub fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(days.days()))
    }

    /// Counts the days from `earlier` to this day; 0 if it is later.
    #[must_use]
    pub fn days_since(self, earlier: Self) -> u32 {
        u32::try_from(self.0.since(earlier.0).map_or(0, |span| span.get_days())).unwrap_or_default()
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for Day {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl Type<Postgres> for Day {
    fn type_info() -> PgTypeInfo {
        <jiff_sqlx::Date as Type<Postgres>>::type_info()
    }

    fn compatible(info: &PgTypeInfo) -> bool {
        <jiff_sqlx::Date as Type<Postgres>>::compatible(info)
    }
}

impl PgHasArrayType for Day {
    fn array_type_info() -> PgTypeInfo {
        <jiff_sqlx::Date as PgHasArrayType>::array_type_info()
    }
}

impl<'q> Encode<'q, Postgres> for Day {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <jiff_sqlx::Date as Encode<'q, Postgres>>::encode_by_ref(&jiff_sqlx::Date::from(self.0), buffer)
    }
}

impl<'r> Decode<'r, Postgres> for Day {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        <jiff_sqlx::Date as Decode<'r, Postgres>>::decode(value).map(|date| Self(date.to_jiff()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_begins_at_midnight_utc() {
        let day = |moment: &str| Day::of(moment.parse().unwrap()).to_string();
        assert_eq!(day("2026-11-24T23:59:59.999999Z"), "2026-11-24");
        assert_eq!(day("2026-11-25T00:30:00+01:00"), "2026-11-24");
        let (march, february) = ("2028-03-01".parse::<Day>().unwrap(), "2028-02-28".parse::<Day>().unwrap());
        assert_eq!((march.plus(-1).to_string().as_str(), march.days_since(february)), ("2028-02-29", 2));
        assert_eq!(february.days_since(march), 0);
    }
}
