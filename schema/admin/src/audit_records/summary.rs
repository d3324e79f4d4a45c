//! Counts of audit records: their dimensions and the counted period.

pub(super) mod list;

use labs_core::describe::OutputType;
use labs_core::fault::{Fault, FieldError};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use uuid::Uuid;

use super::list::AuditRecordFilter;
use super::record::{AuditActor, AuditOutcome};
use list::AuditCountRow;

/// Counted days if the caller gives no start.
const DAYS: i64 = 30;
/// Maximum number of counted days.
const MOST_DAYS: i64 = 366;
/// Seconds per day.
const DAY: i64 = 86_400;

words! {
    /// Dimension by which records are counted.
    pub enum AuditDimension {
        /// By actor.
        Actor = "ACTOR",
        /// By operation.
        Operation = "OPERATION",
        /// By outcome.
        Outcome = "OUTCOME",
        /// By UTC day.
        Day = "DAY",
    }
}

/// Number of records that are equal in all selected dimensions.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AuditCount {
    /// UTC day. Null unless records are counted by day.
    day: Option<String>,
    /// Actor, with the most recent name among the records. Null unless records are counted by actor.
    actor: Option<AuditActor>,
    /// Operation id. Null unless records are counted by operation.
    operation: Option<String>,
    /// Outcome. Null unless records are counted by outcome.
    outcome: Option<AuditOutcome>,
    /// Number of records.
    records: i64,
}

/// Requested dimensions, in the form that the statements use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct GroupBy {
    pub(super) actor: bool,
    pub(super) operation: bool,
    pub(super) outcome: bool,
    pub(super) day: bool,
}

impl GroupBy {
    /// Reads `by`: all dimensions if none is named.
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

/// Filter, dimensions and period of a summary.
#[derive(Debug, Serialize)]
pub(super) struct Summed {
    /// Requested filter. Cursors are bound to the filter, not to the times that the service derives from it and the
    /// present.
    filter: AuditRecordFilter,
    group_by: GroupBy,
    /// Start of the counted period.
    #[serde(skip)]
    from: Time,
    /// End of the counted period.
    #[serde(skip)]
    until: Time,
}

impl Summed {
    /// Bounds the counted period: thirty days back from its end unless the caller gives a start.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] if the period exceeds a year.
    pub(super) fn bound_time(filter: AuditRecordFilter, group_by: GroupBy, present: Time) -> Result<Self, Fault> {
        let latest = present.plus_seconds(DAY);
        let until = filter.recorded_at_until.map_or(latest, |until| until.min(latest));
        let from = filter.recorded_at_from.unwrap_or_else(|| until.min(present).plus_seconds(-DAYS * DAY));
        if until.seconds_since(from) > MOST_DAYS * DAY {
            let message = format!("A summary covers at most {MOST_DAYS} days. Choose a later start or an earlier end.");
            return Err(Fault::invalid(vec![FieldError::of("recorded_at_from", "RANGE", message)]));
        }
        Ok(Self { filter, group_by, from, until })
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
        Summed::bound_time(filter, GroupBy::read(None), at(1000)).map(|summed| (summed.from, summed.until))
    }

    #[test]
    fn audit_summary_covers_thirty_days_by_default() {
        assert_eq!(span(None, None).unwrap().0, at(970));
        assert_eq!(span(None, Some(500)).unwrap(), (at(470), at(500)));
        assert_eq!(span(Some(400), Some(500)).unwrap(), (at(400), at(500)));
        assert!(span(Some(100), Some(466)).is_ok());
        assert_eq!(span(Some(100), Some(467)).unwrap_err().errors()[0].code, "RANGE");
    }

    #[test]
    fn audit_summary_groups_by_all_dimensions_by_default() {
        let all = GroupBy::read(None);
        assert_eq!(all, GroupBy { actor: true, operation: true, outcome: true, day: true });
        assert_eq!(GroupBy::read(Some(&[])), all);
        let one = GroupBy::read(Some(&[AuditDimension::Day]));
        assert_eq!(one, GroupBy { actor: false, operation: false, outcome: false, day: true });
    }
}
