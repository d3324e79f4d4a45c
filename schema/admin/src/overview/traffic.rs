//! Traffic of the service: requests, errors, refusals and latency by operation, group or day.

use labs_core::day::Day;
use labs_core::describe::OutputType;
use labs_core::words::words;
use serde::Serialize;

use super::growth::Span;

/// Default number of summed days if the caller gives no start.
pub(super) const USUAL_DAYS: i32 = 7;
/// Maximum number of summed days.
pub(super) const MOST_DAYS: i32 = 62;
/// Maximum number of summed days if the traffic is counted by operation and day.
pub(super) const MOST_DAYS_APART: i32 = 14;
/// Maximum number of returned rows.
pub(super) const MOST_ROWS: usize = 1000;

/// Upper bounds of the latency classes in milliseconds, as `operation_day` counts them. The last class has no bound.
const BOUNDS_MS: [i32; 9] = [5, 10, 25, 50, 100, 250, 500, 1000, 5000];

words! {
    /// Dimension by which requests are counted.
    pub enum TrafficDimension {
        /// By operation.
        Operation = "OPERATION",
        /// By group: the first word of an operation id.
        Group = "GROUP",
        /// By UTC day.
        Day = "DAY",
    }
}

words! {
    /// Orders of traffic.
    pub enum TrafficSort {
        /// Most requests first.
        RequestsDesc = "REQUESTS_DESC",
        /// Most errors first.
        ErrorsDesc = "ERRORS_DESC",
        /// Most refusals first.
        RefusalsDesc = "REFUSALS_DESC",
        /// Highest average latency first.
        LatencyDesc = "LATENCY_DESC",
        /// Earliest day first.
        Day = "DAY",
    }
}

/// Requested dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupBy {
    pub(super) operation: bool,
    pub(super) group: bool,
    pub(super) day: bool,
}

impl GroupBy {
    /// Reads `by`: operations by default.
    pub(super) fn read(by: Option<&[TrafficDimension]>) -> Self {
        let by = by.filter(|by| !by.is_empty()).unwrap_or(&[TrafficDimension::Operation]);
        let has = |dimension| by.contains(&dimension);
        Self {
            operation: has(TrafficDimension::Operation),
            group: has(TrafficDimension::Group),
            day: has(TrafficDimension::Day),
        }
    }

    /// Maximum number of days for these dimensions.
    pub(super) const fn most_days(self) -> i32 {
        if self.operation && self.day { MOST_DAYS_APART } else { MOST_DAYS }
    }
}

/// Counts in the form of the database.
pub(super) struct TrafficCounts {
    pub(super) requests: i64,
    pub(super) client_errors: i64,
    pub(super) server_errors: i64,
    pub(super) refusals: i64,
    pub(super) microseconds: i64,
    /// Number of responses per latency class, fastest first.
    pub(super) classes: Vec<i64>,
}

/// A row of counts with its dimensions.
pub(super) struct TrafficRow {
    /// Whether the row is the total.
    pub(super) is_total: bool,
    pub(super) operation: Option<String>,
    pub(super) group: Option<String>,
    pub(super) day: Option<Day>,
    pub(super) counts: TrafficCounts,
}

/// Numbers of requests and their responses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, OutputType)]
pub(super) struct TrafficFigures {
    /// Total number of requests.
    requests: i64,
    /// Number of 4xx responses, except 429.
    client_errors: i64,
    /// Number of 5xx responses.
    server_errors: i64,
    /// Number of 429 responses, sent because a budget was exhausted.
    refusals: i64,
    /// Mean response time in milliseconds, with one decimal. Null if there were no requests.
    mean_ms: Option<f64>,
    /// Upper bound of the median response time, in milliseconds. Null if there were no requests, or if the bound is
    /// above 5,000.
    p50_ms: Option<i32>,
    /// Upper bound of the response time of 95 % of the responses, in milliseconds. Null if there were no requests, or
    /// if the bound is above 5,000.
    p95_ms: Option<i32>,
}

/// Number of requests that are equal in all selected dimensions.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct TrafficLine {
    /// Operation id, or `unmatched`. Null unless requests are counted by operation.
    operation: Option<String>,
    /// Group of the operation. Null unless requests are counted by operation or group.
    group: Option<String>,
    /// UTC day. Null unless requests are counted by day.
    day: Option<Day>,
    /// Numbers of requests and responses.
    figures: TrafficFigures,
}

/// Requests to the service.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct PlatformTraffic {
    /// First counted day.
    day_from: Day,
    /// First day after the counted period.
    day_until: Day,
    /// Total of all matching requests.
    pub(super) total: TrafficFigures,
    /// The same requests, broken down by the selected dimensions.
    data: Vec<TrafficLine>,
    /// Whether more lines exist than this response contains.
    has_more: bool,
}

impl PlatformTraffic {
    /// Converts rows to their representation.
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
    /// Converts counts to their representation.
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

/// Computes milliseconds per request with one decimal; `None` without requests.
fn mean_ms(microseconds: i64, requests: i64) -> Option<f64> {
    let tenths = microseconds.checked_div(requests)?.checked_div(100)?;
    i32::try_from(tenths).ok().map(|tenths| f64::from(tenths) / 10.0)
}

/// Returns the bound of the latency class that contains the given percentile; `None` without responses, or if the class
/// has no bound.
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
    fn quantile_is_upper_bound_of_its_class() {
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
    fn mean_has_one_decimal_and_none_without_requests() {
        assert_eq!((mean_ms(12_345, 10), mean_ms(0, 3), mean_ms(0, 0)), (Some(1.2), Some(0.0), None));
    }

    #[test]
    fn traffic_is_grouped_by_operation_by_default() {
        assert_eq!(GroupBy::read(None), GroupBy { operation: true, group: false, day: false });
        assert_eq!(GroupBy::read(Some(&[])), GroupBy::read(None));
        let both = GroupBy::read(Some(&[TrafficDimension::Day, TrafficDimension::Operation]));
        assert_eq!((both.most_days(), GroupBy::read(None).most_days()), (14, 62));
    }
}
