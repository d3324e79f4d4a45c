//! Counts of the log: what is counted apart, and over which time.

pub(super) mod list;

use async_graphql::SimpleObject;
use serde::Serialize;
use uuid::Uuid;

use super::list::AuditRecordFilter;
use super::record::{AuditActor, AuditOutcome};
use crate::core::fault::{Fault, FieldError};
use crate::core::time::Time;
use crate::core::words::words;
use list::AuditCountRow;

/// Days that are counted when nobody says from when on.
const DAYS: i64 = 30;
/// Days that are counted at most.
const MOST_DAYS: i64 = 366;
/// Seconds of a day.
const DAY: i64 = 86_400;

words! {
    /// By what calls are counted apart.
    pub(crate) enum AuditDimension {
        /// Who acted.
        Actor = "ACTOR",
        /// What was called.
        Operation = "OPERATION",
        /// How it ended.
        Outcome = "OUTCOME",
        /// On which day, in UTC.
        Day = "DAY",
    }
}

/// How many calls are alike in all by which they are counted apart.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AuditCount {
    /// The day in UTC; null unless it is counted by day.
    day: Option<String>,
    /// Who acted, by their latest name; null unless it is counted by actor.
    actor: Option<AuditActor>,
    /// The operation; null unless it is counted by operation.
    operation: Option<String>,
    /// How it ended; null unless it is counted by outcome.
    outcome: Option<AuditOutcome>,
    /// How many records.
    records: i64,
}

/// What is counted apart, as the statements take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Apart {
    pub(super) actor: bool,
    pub(super) operation: bool,
    pub(super) outcome: bool,
    pub(super) day: bool,
}

impl Apart {
    /// Reads `by`: everything, unless something is named.
    pub(super) fn read(by: Option<&[AuditDimension]>) -> Self {
        let by = by.filter(|by| !by.is_empty());
        let has = |dimension| by.is_none_or(|by| by.contains(&dimension));
        Self {
            actor: has(AuditDimension::Actor),
            operation: has(AuditDimension::Operation),
            outcome: has(AuditDimension::Outcome),
            day: has(AuditDimension::Day),
        }
    }
}

/// What is counted.
#[derive(Debug, Serialize)]
pub(super) struct Summed {
    /// Which records were asked for. Cursors are bound to that, and not to the moments that follow from it and the present.
    filter: AuditRecordFilter,
    /// What is counted apart.
    apart: Apart,
    /// The first moment that is counted.
    #[serde(skip)]
    from: Time,
    /// The moment up to which it is counted.
    #[serde(skip)]
    until: Time,
}

impl Summed {
    /// Bounds the time that is counted: thirty days back from its end unless a beginning is named.
    ///
    /// # Errors
    /// [`crate::Code::ValidationFailed`] for more than a year.
    pub(super) fn bound_time(filter: AuditRecordFilter, apart: Apart, present: Time) -> Result<Self, Fault> {
        let latest = present.plus_seconds(DAY);
        let until = filter.recorded_at_until.map_or(latest, |until| until.min(latest));
        let from = filter.recorded_at_from.unwrap_or_else(|| until.min(present).plus_seconds(-DAYS * DAY));
        if until.seconds_since(from) > MOST_DAYS * DAY {
            let message = format!("A summary covers at most {MOST_DAYS} days. Choose a later start or an earlier end.");
            return Err(Fault::invalid(vec![FieldError::of("recorded_at_from", "RANGE", message)]));
        }
        Ok(Self { filter, apart, from, until })
    }
}

impl From<AuditCountRow> for AuditCount {
    fn from(row: AuditCountRow) -> Self {
        let uuid = row.actor_uuid.filter(|uuid| *uuid != Uuid::nil());
        let actor = row.actor_kind.map(|kind| AuditActor { kind, uuid, label: row.actor_label });
        Self { day: row.day, actor, operation: row.operation, outcome: row.outcome, records: row.records }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: i64) -> Time {
        Time(jiff::Timestamp::UNIX_EPOCH).plus_seconds(days * DAY)
    }

    fn span(from: Option<i64>, until: Option<i64>) -> Result<(Time, Time), Fault> {
        let (recorded_at_from, recorded_at_until) = (from.map(at), until.map(at));
        let filter = AuditRecordFilter { recorded_at_from, recorded_at_until, ..AuditRecordFilter::default() };
        Summed::bound_time(filter, Apart::read(None), at(1000)).map(|summed| (summed.from, summed.until))
    }

    #[test]
    fn thirty_days_are_counted_unless_others_are_named() {
        assert_eq!(span(None, None).unwrap().0, at(970));
        assert_eq!(span(None, Some(500)).unwrap(), (at(470), at(500)));
        assert_eq!(span(Some(400), Some(500)).unwrap(), (at(400), at(500)));
        assert!(span(Some(100), Some(466)).is_ok());
        assert_eq!(span(Some(100), Some(467)).unwrap_err().errors()[0].code, "RANGE");
    }

    #[test]
    fn everything_is_counted_apart_unless_something_is_named() {
        let all = Apart::read(None);
        assert_eq!(all, Apart { actor: true, operation: true, outcome: true, day: true });
        assert_eq!(Apart::read(Some(&[])), all);
        let one = Apart::read(Some(&[AuditDimension::Day]));
        assert_eq!(one, Apart { actor: false, operation: false, outcome: false, day: true });
    }
}
