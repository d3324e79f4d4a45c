//! What follows from the figures of days: comparisons, peaks, and weeks and months.
//!
//! Customers of a day are no sum over days, since the same ones come again: longer periods have an average and a peak over
//! the days that are there, and say how many of how many those are.

use async_graphql::SimpleObject;
use serde::Serialize;

use crate::core::day::Day;
use crate::core::fault::Fault;
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// Why a figure is not there.
    pub(crate) enum StatisticsGap {
        /// Nothing is imported here.
        SourceDisabled = "SOURCE_DISABLED",
        /// No day was imported yet.
        NothingImported = "NOTHING_IMPORTED",
        /// The platform reported no figure for the latest day.
        NotReported = "NOT_REPORTED",
        /// The day a week before was not imported.
        WeekBeforeNotImported = "WEEK_BEFORE_NOT_IMPORTED",
        /// The platform reported no figure for the day a week before.
        WeekBeforeNotReported = "WEEK_BEFORE_NOT_REPORTED",
    }
}

words! {
    /// How long the periods of a list are.
    pub(crate) enum StatisticsGranularity {
        /// Days.
        Day = "DAY",
        /// Weeks from Monday to Sunday.
        Week = "WEEK",
        /// Months of the calendar.
        Month = "MONTH",
    }
}

/// The customers of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StatisticsFigure {
    /// The day, in UTC.
    pub(super) day: Day,
    /// Customers on that day.
    pub(super) customers: i64,
    /// Time of the first import of the day.
    pub(super) imported_at: Time,
    /// When it was replaced last.
    pub(super) restated_at: Option<Time>,
}

/// The latest day beside the same weekday a week before.
#[derive(Clone, Debug, PartialEq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StatisticsComparison {
    /// The day a week before the latest one.
    day: Option<Day>,
    /// Customers on that day.
    customers: Option<i64>,
    /// How many more there are on the latest day.
    pub(super) change: Option<i64>,
    /// The same in percent of that day's.
    change_percent: Option<f64>,
    /// Why there is no change.
    pub(super) gap: Option<StatisticsGap>,
}

/// What is known of the latest day and the one a week before it.
pub(super) struct Latest {
    /// Whether there is a source.
    pub(super) has_source: bool,
    /// The day that was imported last.
    pub(super) day: Option<Day>,
    /// Customers on it.
    pub(super) customers: Option<i64>,
    /// Whether the day a week before was imported.
    pub(super) has_week_before: bool,
    /// Customers on that.
    pub(super) customers_before: Option<i64>,
}

impl Latest {
    /// Why there is no figure of the latest day.
    pub(super) fn gap(&self) -> Option<StatisticsGap> {
        match (self.has_source, self.day, self.customers) {
            (false, ..) => Some(StatisticsGap::SourceDisabled),
            (true, None, _) => Some(StatisticsGap::NothingImported),
            (true, Some(_), None) => Some(StatisticsGap::NotReported),
            (true, Some(_), Some(_)) => None,
        }
    }

    /// The comparison with the week before, or why there is none.
    pub(super) fn compared(&self) -> StatisticsComparison {
        let of_week_before = match (self.has_week_before, self.customers_before) {
            (false, _) => Some(StatisticsGap::WeekBeforeNotImported),
            (true, None) => Some(StatisticsGap::WeekBeforeNotReported),
            (true, Some(_)) => None,
        };
        let gap = self.gap().or(of_week_before);
        let before = self.customers_before.filter(|_| self.has_week_before);
        let change = self.customers.zip(before).filter(|_| gap.is_none()).map(|(now, before)| now - before);
        StatisticsComparison {
            day: self.day.map(|day| day.plus(-7)),
            customers: before,
            change,
            change_percent: change.zip(before).and_then(|(change, before)| percent(change, before)),
            gap,
        }
    }
}

/// A share in percent, to one decimal; none of nothing.
fn percent(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| tenths(i128::from(part) * 100, i128::from(whole)))
}

/// A quotient to one decimal, halves away from zero.
fn tenths(part: i128, whole: i128) -> f64 {
    let whole = whole.max(1);
    let doubled = part * 20;
    let rounded = (doubled + if part < 0 { -whole } else { whole }) / (whole * 2);
    f64::from(i32::try_from(rounded % 10).unwrap_or_default()) / 10.0 + whole_number(rounded / 10)
}

/// A whole number of at most fifteen digits, which a float holds.
fn whole_number(number: i128) -> f64 {
    let (high, low) = (number / 1_000_000_000, number % 1_000_000_000);
    let part = |part: i128| f64::from(i32::try_from(part).unwrap_or(i32::MAX));
    part(high) * 1e9 + part(low)
}

/// The day with most customers, the latest of several.
pub(super) fn peak(figures: &[StatisticsFigure]) -> Option<StatisticsFigure> {
    figures.iter().max_by_key(|figure| (figure.customers, figure.day)).cloned()
}

/// Customers on an average day, to one decimal; none without days.
pub(super) fn average(figures: &[StatisticsFigure]) -> Option<f64> {
    let sum: i128 = figures.iter().map(|figure| i128::from(figure.customers)).sum();
    let days = i128::try_from(figures.len()).unwrap_or_default();
    (days > 0).then(|| tenths(sum, days))
}

/// Days from one to another; the second is not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Span {
    /// The first day.
    pub(super) from: Day,
    /// First day after the span.
    pub(super) until: Day,
}

impl Span {
    /// The completed days of what is asked for. Without a beginning it begins with `first`, without an end it ends with the
    /// day before today.
    ///
    /// # Errors
    /// [`crate::Code::ValidationFailed`] for a span that ends before it begins.
    pub(super) fn asked(from: Option<Day>, until: Option<Day>, first: Day, today: Day) -> Result<Self, Fault> {
        if from.zip(until).is_some_and(|(from, until)| until <= from) {
            let message = "The period would end before it begins: `day_until` must be later than `day_from`.";
            return Err(Fault::field("/day_until", "NOT_LATER", message));
        }
        let until = until.map_or(today, |until| until.min(today));
        Ok(Self { from: from.unwrap_or(first).min(until), until })
    }

    /// How many days it has.
    pub(super) fn days(self) -> i32 {
        i32::try_from(self.until.days_since(self.from)).unwrap_or(i32::MAX)
    }

    /// The days that are in both.
    fn meeting(self, other: Self) -> i32 {
        Self { from: self.from.max(other.from), until: self.until.min(other.until) }.days()
    }
}

/// A day, a week or a month.
#[derive(Clone, Debug, PartialEq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StatisticsPeriod {
    /// Its first day, in UTC.
    pub(super) day: Day,
    /// Its last day.
    pub(super) last_day: Day,
    /// Customers on the day; null of weeks and months.
    pub(super) customers: Option<i64>,
    /// Customers on an average day of those that are there.
    pub(super) average: f64,
    /// Highest number of customers on one day.
    pub(super) peak: i64,
    /// Days that are there.
    pub(super) days: i32,
    /// Completed days of the period that were asked for.
    pub(super) of_days: i32,
    /// Latest time at which a day of the period was first imported.
    pub(super) imported_at: Time,
    /// When one of its days was replaced last.
    pub(super) restated_at: Option<Time>,
}

/// The period of a day: its first day, and the first one behind it.
fn period_of(day: Day, granularity: StatisticsGranularity) -> Span {
    match granularity {
        StatisticsGranularity::Day => Span { from: day, until: day.plus(1) },
        StatisticsGranularity::Week => {
            let from = day.plus(-i32::from(day.0.weekday().to_monday_zero_offset()));
            Span { from, until: from.plus(7) }
        }
        StatisticsGranularity::Month => {
            Span { from: Day(day.0.first_of_month()), until: Day(day.0.last_of_month()).plus(1) }
        }
    }
}

/// The periods in which there are figures, the earliest first. The figures come in the order of their days and lie within
/// the span.
pub(super) fn periods(
    figures: &[StatisticsFigure],
    granularity: StatisticsGranularity,
    span: Span,
) -> Vec<StatisticsPeriod> {
    let of = |figure: &StatisticsFigure| period_of(figure.day, granularity);
    let periods = figures.chunk_by(|one, next| of(one) == of(next));
    periods
        .filter_map(|held| {
            let (first, period) = (held.first()?, of(held.first()?));
            Some(StatisticsPeriod {
                day: period.from,
                last_day: period.until.plus(-1),
                customers: (granularity == StatisticsGranularity::Day).then_some(first.customers),
                average: average(held)?,
                peak: peak(held)?.customers,
                days: i32::try_from(held.len()).unwrap_or(i32::MAX),
                of_days: period.meeting(span),
                imported_at: held.iter().map(|figure| figure.imported_at).max()?,
                restated_at: held.iter().filter_map(|figure| figure.restated_at).max(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
