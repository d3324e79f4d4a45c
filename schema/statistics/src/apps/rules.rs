//! Values derived from daily figures: comparisons, peaks, weeks and months.
//!
//! Daily customers cannot be added up, because the same customers return. Therefore, longer periods have an average and
//! a peak over the days with a figure, and state the number of these days and of all days.

use labs_core::day::Day;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;

words! {
    /// Reason for a missing figure.
    pub enum StatisticsGap {
        /// This installation imports no statistics.
        SourceDisabled = "SOURCE_DISABLED",
        /// No day has been imported yet.
        NothingImported = "NOTHING_IMPORTED",
        /// The platform reported no figure for the latest day.
        NotReported = "NOT_REPORTED",
        /// The day one week earlier was not imported.
        WeekBeforeNotImported = "WEEK_BEFORE_NOT_IMPORTED",
        /// The platform reported no figure for the day one week earlier.
        WeekBeforeNotReported = "WEEK_BEFORE_NOT_REPORTED",
    }
}

words! {
    /// Length of the periods in a list.
    pub(crate) enum StatisticsGranularity {
        /// Day.
        Day = "DAY",
        /// Week from Monday to Sunday.
        Week = "WEEK",
        /// Calendar month.
        Month = "MONTH",
    }
}

/// Customers of one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(super) struct StatisticsFigure {
    /// Day in UTC.
    pub(super) day: Day,
    /// Number of distinct customers who used the app on that day. For a company: number of distinct customers who used
    /// at least one of its apps.
    pub(super) customers: i64,
    /// Time of the first import of the day.
    pub(super) imported_at: Time,
    /// Time of the last re-import that replaced the figure with newly reported data. Null if never replaced.
    pub(super) restated_at: Option<Time>,
}

/// Comparison of the latest day with the same day of the previous week. If either day has no figure, `change` is null
/// and `gap` states the reason.
#[derive(Clone, Debug, PartialEq, Serialize, OutputType)]
pub(super) struct StatisticsComparison {
    /// Day one week before the latest day. Null if no day has been imported.
    day: Option<Day>,
    /// Number of customers on that day. Null if unknown.
    customers: Option<i64>,
    /// Customers on the latest day minus customers on that day. Negative if the latest day has fewer. Null if `gap`
    /// states a reason.
    pub(super) change: Option<i64>,
    /// Change in percent of that day's customers, to one decimal. Null if `change` is null, or if that day had no
    /// customers.
    change_percent: Option<f64>,
    /// Reason why `change` is null. Null if `change` is present.
    pub(super) gap: Option<StatisticsGap>,
}

/// Facts about the latest day and the day a week before it.
pub(super) struct LatestDay {
    /// Whether a source is configured.
    pub(super) has_source: bool,
    /// Last imported day.
    pub(super) day: Option<Day>,
    /// Customers on the last imported day.
    pub(super) customers: Option<i64>,
    /// Whether the day a week before was imported.
    pub(super) has_week_before: bool,
    /// Customers on the day a week before.
    pub(super) customers_before: Option<i64>,
}

impl LatestDay {
    /// Returns the reason for a missing figure of the latest day.
    pub(super) fn gap(&self) -> Option<StatisticsGap> {
        match (self.has_source, self.day, self.customers) {
            (false, ..) => Some(StatisticsGap::SourceDisabled),
            (true, None, _) => Some(StatisticsGap::NothingImported),
            (true, Some(_), None) => Some(StatisticsGap::NotReported),
            (true, Some(_), Some(_)) => None,
        }
    }

    /// Returns the comparison with the week before, or the reason why it is missing.
    pub(super) fn compare_week(&self) -> StatisticsComparison {
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

/// Returns a share in percent, to one decimal; `None` if the whole is zero.
fn percent(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| tenths(i128::from(part) * 100, i128::from(whole)))
}

/// Returns a quotient to one decimal; halves are rounded away from zero.
fn tenths(part: i128, whole: i128) -> f64 {
    let whole = whole.max(1);
    let doubled = part * 20;
    let rounded = (doubled + if part < 0 { -whole } else { whole }) / (whole * 2);
    f64::from(i32::try_from(rounded % 10).unwrap_or_default()) / 10.0 + whole_number(rounded / 10)
}

/// Converts an integer of at most fifteen digits, which a float can represent exactly.
fn whole_number(number: i128) -> f64 {
    let (high, low) = (number / 1_000_000_000, number % 1_000_000_000);
    let part = |part: i128| f64::from(i32::try_from(part).unwrap_or(i32::MAX));
    part(high) * 1e9 + part(low)
}

/// Returns the day with the most customers; the latest if several are equal.
pub(super) fn peak(figures: &[StatisticsFigure]) -> Option<StatisticsFigure> {
    figures.iter().max_by_key(|figure| (figure.customers, figure.day)).cloned()
}

/// Returns the average of daily customers, to one decimal; `None` without days.
pub(super) fn average(figures: &[StatisticsFigure]) -> Option<f64> {
    let sum: i128 = figures.iter().map(|figure| i128::from(figure.customers)).sum();
    let days = i128::try_from(figures.len()).unwrap_or_default();
    (days > 0).then(|| tenths(sum, days))
}

/// A half-open range of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Span {
    /// First day.
    pub(super) from: Day,
    /// First day after the span.
    pub(super) until: Day,
}

impl Span {
    /// Returns the completed days of the requested range. By default, it starts with `first` and ends with the day
    /// before today.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] if the range ends before it starts.
    pub(super) fn requested_days(from: Option<Day>, until: Option<Day>, first: Day, today: Day) -> Result<Self, Fault> {
        if from.zip(until).is_some_and(|(from, until)| until <= from) {
            let message = "The period would end before it begins: `day_until` must be later than `day_from`.";
            return Err(Fault::field("/day_until", "NOT_LATER", message));
        }
        let until = until.map_or(today, |until| until.min(today));
        Ok(Self { from: from.unwrap_or(first).min(until), until })
    }

    /// Returns the number of days.
    pub(super) fn days(self) -> i32 {
        i32::try_from(self.until.days_since(self.from)).unwrap_or(i32::MAX)
    }

    /// Returns the number of days in both spans.
    fn intersect(self, other: Self) -> i32 {
        Self { from: self.from.max(other.from), until: self.until.min(other.until) }.days()
    }
}

/// A day, a week (Monday to Sunday) or a calendar month that has a figure. Daily customer numbers cannot be added,
/// because the same customers return. Weeks and months therefore have an average and a peak over the days with a
/// figure.
#[derive(Clone, Debug, PartialEq, Serialize, OutputType)]
pub(super) struct StatisticsPeriod {
    /// First day of the period.
    pub(super) day: Day,
    /// Last day of the period. For a `DAY`, the same as the first day.
    pub(super) last_day: Day,
    /// Number of customers on the day. Null for a week or a month.
    pub(super) customers: Option<i64>,
    /// Average number of customers per day with a figure, to one decimal.
    pub(super) average: f64,
    /// Highest number of customers on one day.
    pub(super) peak: i64,
    /// Number of days with a figure.
    pub(super) days: i32,
    /// Number of completed days of the period within the requested range.
    pub(super) of_days: i32,
    /// Latest time at which a day of the period was first imported.
    pub(super) imported_at: Time,
    /// Time of the last re-import that replaced the figure with newly reported data. Null if never replaced.
    pub(super) restated_at: Option<Time>,
}

/// Returns the period that contains a day.
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

/// Returns the periods with figures, earliest first. The figures are ordered by day and are all within the span.
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
                of_days: period.intersect(span),
                imported_at: held.iter().map(|figure| figure.imported_at).max()?,
                restated_at: held.iter().filter_map(|figure| figure.restated_at).max(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
