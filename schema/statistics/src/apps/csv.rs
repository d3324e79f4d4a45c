//! Daily figures of an app as CSV.

use labs_core::csv::row;

use super::rules::StatisticsPeriod;
use crate::freshness::ImportFreshness;

/// Column names. New columns are only added at the end.
const COLUMNS: [&str; 12] = [
    "day",
    "last_day",
    "customers",
    "average",
    "peak",
    "days",
    "of_days",
    "imported_at",
    "restated_at",
    "source",
    "last_imported_day",
    "days_missing",
];

/// Returns one line per period, after a header line. An unknown value is an empty field.
pub(super) fn lines(known: &ImportFreshness, periods: &[StatisticsPeriod]) -> String {
    let text = |value: Option<String>| value.unwrap_or_default();
    let mut out = String::new();
    row(&mut out, COLUMNS);
    for period in periods {
        let cells = [
            period.day.to_string(),
            period.last_day.to_string(),
            text(period.customers.map(|customers| customers.to_string())),
            period.average.to_string(),
            period.peak.to_string(),
            period.days.to_string(),
            period.of_days.to_string(),
            period.imported_at.to_string(),
            text(period.restated_at.map(|moment| moment.to_string())),
            known.source.name().to_owned(),
            text(known.freshness.last_imported_day.map(|day| day.to_string())),
            text(known.freshness.days_missing.map(|days| days.to_string())),
        ];
        row(&mut out, cells.iter().map(String::as_str));
    }
    out
}
