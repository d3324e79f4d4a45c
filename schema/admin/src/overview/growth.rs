//! Growth of the platform: registrations, apps and publications by day, week or month.

use labs_core::day::Day;
use labs_core::describe::OutputType;
use labs_core::fault::{Fault, FieldError};
use labs_core::words::words;
use serde::Serialize;

words! {
    /// Length of the periods.
    pub enum GrowthGranularity {
        /// Days.
        Day = "DAY",
        /// Weeks from Monday to Sunday.
        Week = "WEEK",
        /// Calendar months.
        Month = "MONTH",
    }
}

/// Growth in one period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(super) struct GrowthPeriod {
    /// First counted day of the period.
    pub(super) day: Day,
    /// Last counted day of the period.
    pub(super) last_day: Day,
    /// Number of companies whose registration was confirmed.
    pub(super) registrations: i64,
    /// Number of apps created.
    pub(super) apps: i64,
    /// Number of versions published.
    pub(super) publications: i64,
}

/// Growth of the platform.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct PlatformGrowth {
    /// Length of the periods.
    granularity: GrowthGranularity,
    /// First counted day.
    day_from: Day,
    /// First day after the counted period.
    day_until: Day,
    /// Number of companies whose registration was confirmed.
    registrations: i64,
    /// Number of apps created.
    apps: i64,
    /// Number of versions published.
    publications: i64,
    /// Periods, oldest first.
    data: Vec<GrowthPeriod>,
}

impl PlatformGrowth {
    /// Combines the periods with their sums.
    pub(super) fn of(granularity: GrowthGranularity, span: Span, data: Vec<GrowthPeriod>) -> Self {
        let sum = |number: fn(&GrowthPeriod) -> i64| data.iter().map(number).sum();
        Self {
            granularity,
            day_from: span.from,
            day_until: span.until,
            registrations: sum(|period| period.registrations),
            apps: sum(|period| period.apps),
            publications: sum(|period| period.publications),
            data,
        }
    }
}

impl GrowthGranularity {
    /// Returns the name of the period in PostgreSQL.
    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Default number of counted days if the caller gives no start.
    pub(super) const fn usual_days(self) -> i32 {
        match self {
            Self::Day => 30,
            Self::Week => 12 * 7,
            Self::Month => 365,
        }
    }

    /// Maximum number of days, so that there are at most 400 periods.
    pub(super) const fn most_days(self) -> i32 {
        match self {
            Self::Day => 400,
            Self::Week => 399 * 7 + 1,
            Self::Month => 398 * 30,
        }
    }
}

/// Range of days; the end is excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: Day,
    pub(super) until: Day,
}

impl Span {
    /// Computes the requested range. It ends after today unless the caller gives an earlier end, and has the default
    /// length unless the caller gives a start.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] for a range without a day, or with too many days.
    pub(super) fn requested_span(
        from: Option<Day>,
        until: Option<Day>,
        (usual, most): (i32, i32),
        today: Day,
    ) -> Result<Self, Fault> {
        let after_today = today.plus(1);
        let until = until.map_or(after_today, |until| until.min(after_today));
        let from = from.unwrap_or_else(|| until.plus(-usual));
        if from >= until {
            let message = "The first day must be before the day at which the period ends, and not after today.";
            return Err(Fault::invalid(vec![FieldError::of("day_from", "RANGE", message)]));
        }
        if i64::from(until.days_since(from)) > i64::from(most) {
            let message = format!("The period covers at most {most} days. Choose a later start or an earlier end.");
            return Err(Fault::invalid(vec![FieldError::of("day_from", "RANGE", message)]));
        }
        Ok(Self { from, until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn growth_span_ends_today_and_is_length_limited() {
        let asked = |from: Option<&str>, until: Option<&str>| {
            let span = Span::requested_span(from.map(day), until.map(day), (30, 62), day("2026-11-25"));
            span.map(|span| (span.from.to_string(), span.until.to_string()))
                .map_err(|fault| fault.errors()[0].code.clone())
        };
        let of = |from: &str, until: &str| Ok((from.to_owned(), until.to_owned()));
        assert_eq!(asked(None, None), of("2026-10-27", "2026-11-26"));
        assert_eq!(asked(Some("2026-11-25"), Some("2027-01-01")), of("2026-11-25", "2026-11-26"));
        assert_eq!(asked(Some("2026-09-25"), None), of("2026-09-25", "2026-11-26"));
        for (from, until) in [("2026-09-24", None), ("2026-11-26", None), ("2026-11-20", Some("2026-11-20"))] {
            assert_eq!(asked(Some(from), until), Err("RANGE".to_owned()), "{from} {until:?}");
        }
    }
}
