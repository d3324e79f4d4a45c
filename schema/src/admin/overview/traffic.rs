//! What is asked of the service: requests, errors, refusals and latency, counted apart by operation, group or day.

use async_graphql::SimpleObject;
use serde::Serialize;

use super::growth::Span;
use crate::core::day::Day;
use crate::core::words::words;

/// Days that are summed when no beginning is named.
pub(super) const USUAL_DAYS: i32 = 7;
/// Days that are summed at most.
pub(super) const MOST_DAYS: i32 = 62;
/// The same where operations and days are counted apart.
pub(super) const MOST_DAYS_APART: i32 = 14;
/// Rows that are told at most.
pub(super) const MOST_ROWS: usize = 1000;

/// The longest answers of each class in milliseconds, as `operation_day` counts them; those of the last are longer.
const BOUNDS_MS: [i32; 9] = [5, 10, 25, 50, 100, 250, 500, 1000, 5000];

words! {
    /// By what requests are counted apart.
    pub(crate) enum TrafficDimension {
        /// What was called.
        Operation = "OPERATION",
        /// The group of it.
        Group = "GROUP",
        /// On which day, in UTC.
        Day = "DAY",
    }
}

words! {
    /// The orders of traffic.
    pub(crate) enum TrafficSort {
        /// Most requests first.
        RequestsDesc = "REQUESTS_DESC",
        /// Most errors first.
        ErrorsDesc = "ERRORS_DESC",
        /// Most refusals first.
        RefusalsDesc = "REFUSALS_DESC",
        /// The slowest on average first.
        LatencyDesc = "LATENCY_DESC",
        /// The earliest day first.
        Day = "DAY",
    }
}

/// What is counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Apart {
    pub(super) operation: bool,
    pub(super) group: bool,
    pub(super) day: bool,
}

impl Apart {
    /// Reads `by`: operations, unless something is named.
    pub(super) fn read(by: Option<&[TrafficDimension]>) -> Self {
        let by = by.filter(|by| !by.is_empty()).unwrap_or(&[TrafficDimension::Operation]);
        let has = |dimension| by.contains(&dimension);
        Self {
            operation: has(TrafficDimension::Operation),
            group: has(TrafficDimension::Group),
            day: has(TrafficDimension::Day),
        }
    }

    /// How many days may be summed.
    pub(super) const fn most_days(self) -> i32 {
        if self.operation && self.day { MOST_DAYS_APART } else { MOST_DAYS }
    }
}

/// Counts as they are kept.
pub(super) struct TrafficCounts {
    pub(super) requests: i64,
    pub(super) client_errors: i64,
    pub(super) server_errors: i64,
    pub(super) refusals: i64,
    pub(super) microseconds: i64,
    /// Answers by how long they took, the shortest first.
    pub(super) classes: Vec<i64>,
}

/// A row of counts, and what they are of.
pub(super) struct TrafficRow {
    /// Whether it counts all that was asked for.
    pub(super) is_total: bool,
    pub(super) operation: Option<String>,
    pub(super) group: Option<String>,
    pub(super) day: Option<Day>,
    pub(super) counts: TrafficCounts,
}

/// Numbers of requests and their responses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TrafficFigures {
    /// Total number of requests.
    requests: i64,
    /// Answers 4xx, without refusals.
    client_errors: i64,
    /// Number of 5xx responses.
    server_errors: i64,
    /// Answers 429.
    refusals: i64,
    /// How long an answer took on average, in milliseconds.
    mean_ms: Option<f64>,
    /// Half of the answers took no longer, in milliseconds.
    #[graphql(name = "p50_ms")]
    p50_ms: Option<i32>,
    /// Nineteen of twenty answers took no longer, in milliseconds.
    #[graphql(name = "p95_ms")]
    p95_ms: Option<i32>,
}

/// Number of requests that are equal in all selected dimensions.
#[derive(Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TrafficLine {
    /// The operation; null unless it is counted by operation.
    operation: Option<String>,
    /// Its group; null where it is counted by day alone.
    group: Option<String>,
    /// The day in UTC; null unless it is counted by day.
    day: Option<Day>,
    /// How they were answered.
    figures: TrafficFigures,
}

/// Requests to the service.
#[derive(Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PlatformTraffic {
    /// First counted day.
    day_from: Day,
    /// First day after the counted period.
    day_until: Day,
    /// All that was asked for.
    pub(super) total: TrafficFigures,
    /// The same requests, broken down by the selected dimensions.
    data: Vec<TrafficLine>,
    /// Whether more lines exist than this response contains.
    has_more: bool,
}

impl PlatformTraffic {
    /// Rows as they are told.
    pub(super) fn of(span: Span, rows: Vec<TrafficRow>) -> Self {
        let (totals, mut rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.is_total);
        let has_more = rows.len() > MOST_ROWS;
        rows.truncate(MOST_ROWS);
        Self {
            day_from: span.from,
            day_until: span.until,
            total: totals.first().map(|row| TrafficFigures::of(&row.counts)).unwrap_or_default(),
            data: rows.into_iter().map(TrafficLine::of).collect(),
            has_more,
        }
    }
}

impl TrafficLine {
    fn of(row: TrafficRow) -> Self {
        let group_of = |operation: &String| operation.split('_').next().map(str::to_owned);
        Self {
            group: row.group.or_else(|| row.operation.as_ref().and_then(group_of)),
            figures: TrafficFigures::of(&row.counts),
            operation: row.operation,
            day: row.day,
        }
    }
}

impl TrafficFigures {
    /// Counts as they are told.
    pub(super) fn of(counts: &TrafficCounts) -> Self {
        Self {
            requests: counts.requests,
            client_errors: counts.client_errors,
            server_errors: counts.server_errors,
            refusals: counts.refusals,
            mean_ms: mean_ms(counts.microseconds, counts.requests),
            p50_ms: quantile(&counts.classes, 50),
            p95_ms: quantile(&counts.classes, 95),
        }
    }
}

/// Milliseconds a request, to one decimal; none without requests.
fn mean_ms(microseconds: i64, requests: i64) -> Option<f64> {
    let tenths = microseconds.checked_div(requests)?.checked_div(100)?;
    i32::try_from(tenths).ok().map(|tenths| f64::from(tenths) / 10.0)
}

/// The bound of the class in which so many of a hundred answers end; none without answers, and where that class has no
/// bound.
fn quantile(classes: &[i64], percent: i64) -> Option<i32> {
    let all: i64 = classes.iter().sum();
    let wanted = (all * percent + 99) / 100;
    let mut seen = 0;
    let place = classes.iter().position(|class| {
        seen += class;
        all > 0 && seen >= wanted
    })?;
    BOUNDS_MS.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_bound_of_the_class_in_which_it_lies() {
        let classes = [90, 4, 0, 1, 0, 0, 0, 0, 4, 1];
        let of = |percent| quantile(&classes, percent);
        assert_eq!(
            (of(50), of(90), of(91), of(94), of(95), of(99)),
            (Some(5), Some(5), Some(10), Some(10), Some(50), Some(5000))
        );
        assert_eq!(of(100), None, "longer than the last bound");
        assert_eq!(quantile(&[0; 10], 95), None);
        assert_eq!(quantile(&[1, 0], 50), Some(5));
    }

    #[test]
    fn a_mean_has_one_decimal_and_is_none_of_nothing() {
        assert_eq!((mean_ms(12_345, 10), mean_ms(0, 3), mean_ms(0, 0)), (Some(1.2), Some(0.0), None));
    }

    #[test]
    fn operations_are_counted_apart_unless_something_else_is_named() {
        assert_eq!(Apart::read(None), Apart { operation: true, group: false, day: false });
        assert_eq!(Apart::read(Some(&[])), Apart::read(None));
        let both = Apart::read(Some(&[TrafficDimension::Day, TrafficDimension::Operation]));
        assert_eq!((both.most_days(), Apart::read(None).most_days()), (14, 62));
    }
}
