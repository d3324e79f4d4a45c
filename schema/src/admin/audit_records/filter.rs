//! What a reader of the audit log narrows it to, and in which order it comes.

use serde::Serialize;
use uuid::Uuid;

use super::record::{AuditActorKind, AuditChannel, AuditOutcome};
use crate::fault::{Fault, FieldError};
use crate::time::Time;

/// No record is older.
const EARLIEST: Time = Time(jiff::Timestamp::UNIX_EPOCH);
/// No record is younger.
const LATEST: Time = Time(jiff::Timestamp::MAX);

/// The filters as they were asked.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) actor_uuid: Option<Vec<Uuid>>,
    pub(super) actor_kind: Option<Vec<AuditActorKind>>,
    pub(super) operation: Option<Vec<String>>,
    pub(super) outcome: Option<Vec<AuditOutcome>>,
    pub(super) target_uuid: Option<Vec<Uuid>>,
    pub(super) partner_uuid: Option<Vec<Uuid>>,
    pub(super) request_id: Option<Vec<String>>,
    pub(super) channel: Option<Vec<AuditChannel>>,
    pub(super) recorded_at_from: Option<Time>,
    pub(super) recorded_at_until: Option<Time>,
}

/// The filters as the statements take them: each value once, in order, so that the same question always makes the
/// same cursor; none at all is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) actor_uuid: Option<Vec<Uuid>>,
    pub(super) actor_kind: Option<Vec<String>>,
    pub(super) operation: Option<Vec<String>>,
    pub(super) outcome: Option<Vec<String>>,
    pub(super) target_uuid: Option<Vec<Uuid>>,
    pub(super) partner_uuid: Option<Vec<Uuid>>,
    pub(super) request_id: Option<Vec<String>>,
    pub(super) channel: Option<Vec<String>>,
    pub(super) from: Time,
    pub(super) until: Time,
}

/// The order of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    LatestFirst,
    EarliestFirst,
}

/// Where a record stands in the order of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) recorded_at: Time,
    pub(super) record_uuid: Uuid,
}

/// A stretch of the log in an order: what comes after a place, up to a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) order: Order,
    pub(super) after: Place,
    pub(super) end: Time,
}

/// The filter whose index finds the records; the others are checked on what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    Request,
    Target,
    Actor,
    Partner,
    Operation,
    Outcome,
    Time,
}

impl Wanted {
    /// In the form that the statements take.
    pub(super) fn filter(self) -> Filter {
        Filter {
            actor_uuid: once(self.actor_uuid),
            actor_kind: names(self.actor_kind),
            operation: once(self.operation),
            outcome: names(self.outcome),
            target_uuid: once(self.target_uuid),
            partner_uuid: once(self.partner_uuid),
            request_id: once(self.request_id),
            channel: names(self.channel),
            from: self.recorded_at_from.unwrap_or(EARLIEST).max(EARLIEST),
            until: self.recorded_at_until.unwrap_or(LATEST).max(EARLIEST),
        }
    }
}

impl Filter {
    /// All that lies between the filter's two moments. Nothing has the lowest uuid, so a place with it stands before
    /// everything of its moment and behind everything earlier.
    pub(super) fn span(&self, order: Order) -> Span {
        let (beginning, end) = match order {
            Order::LatestFirst => (self.until, self.from),
            Order::EarliestFirst => (self.from, self.until),
        };
        Span { order, after: Place { recorded_at: beginning, record_uuid: Uuid::nil() }, end }
    }

    /// The filter that is likely to leave the fewest records.
    pub(super) fn lead(&self) -> Lead {
        let leads = [
            (self.request_id.is_some(), Lead::Request),
            (self.target_uuid.is_some(), Lead::Target),
            (self.actor_uuid.is_some(), Lead::Actor),
            (self.partner_uuid.is_some(), Lead::Partner),
            (self.operation.is_some(), Lead::Operation),
            (self.outcome.is_some(), Lead::Outcome),
        ];
        leads.into_iter().find(|(is_set, _)| *is_set).map_or(Lead::Time, |(_, lead)| lead)
    }
}

impl Span {
    /// What of it comes after another place.
    pub(super) fn after(self, after: Place) -> Self {
        Self { after, ..self }
    }
}

impl Order {
    /// Reads `sort`.
    ///
    /// # Errors
    /// [`crate::fault::Code::ValidationFailed`] for an order that the list does not have.
    pub(super) fn read(sort: Option<&str>) -> Result<Self, Fault> {
        match sort {
            None | Some("-recorded_at") => Ok(Self::LatestFirst),
            Some("recorded_at") => Ok(Self::EarliestFirst),
            Some(_) => {
                let message = "This list has the orders `-recorded_at` and `recorded_at`.";
                Err(Fault::invalid(vec![FieldError::of("sort", "ENUM", message)]))
            }
        }
    }
}

fn once<T: Ord>(values: Option<Vec<T>>) -> Option<Vec<T>> {
    let mut values = values.filter(|values| !values.is_empty())?;
    values.sort_unstable();
    values.dedup();
    Some(values)
}

fn names<T: Serialize>(values: Option<Vec<T>>) -> Option<Vec<String>> {
    let names = values?.into_iter().filter_map(|value| serde_json::to_value(value).ok()?.as_str().map(str::to_owned));
    once(Some(names.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_is_the_same_filter_however_it_is_written() {
        let outcomes =
            |values: &[AuditOutcome]| Wanted { outcome: Some(values.to_vec()), ..Wanted::default() }.filter();
        let once = outcomes(&[AuditOutcome::Failed, AuditOutcome::Refused]);
        assert_eq!(once, outcomes(&[AuditOutcome::Refused, AuditOutcome::Failed, AuditOutcome::Refused]));
        assert_eq!(once.outcome.unwrap(), ["FAILED", "REFUSED"]);
        assert_eq!(outcomes(&[]), Wanted::default().filter());
    }

    #[test]
    fn names_are_those_of_the_columns() {
        let wanted = Wanted {
            actor_kind: Some(vec![AuditActorKind::MachineClient]),
            channel: Some(vec![AuditChannel::CommandLine]),
            ..Wanted::default()
        };
        let filter = wanted.filter();
        assert_eq!(filter.actor_kind.unwrap(), ["MACHINE_CLIENT"]);
        assert_eq!(filter.channel.unwrap(), ["COMMAND_LINE"]);
    }

    #[test]
    fn the_narrowest_filter_leads() {
        let mut wanted = Wanted::default();
        assert_eq!(Wanted::default().filter().lead(), Lead::Time);
        wanted.outcome = Some(vec![AuditOutcome::Refused]);
        wanted.operation = Some(vec!["admin_audit_records_list".to_owned()]);
        wanted.actor_uuid = Some(vec![Uuid::nil()]);
        assert_eq!(wanted.filter().lead(), Lead::Actor);
    }

    #[test]
    fn moments_beyond_the_database_are_moved_to_its_edge() {
        let wanted = Wanted { recorded_at_from: Some(Time(jiff::Timestamp::MIN)), ..Wanted::default() };
        assert_eq!(wanted.filter().from, EARLIEST);
    }

    #[test]
    fn a_span_runs_from_one_moment_to_the_other_in_its_order() {
        let mut filter = Wanted::default().filter();
        (filter.from, filter.until) = (EARLIEST.plus_seconds(1), EARLIEST.plus_seconds(2));
        let latest = filter.span(Order::LatestFirst);
        assert_eq!((latest.after.recorded_at, latest.end), (filter.until, filter.from));
        let earliest = filter.span(Order::EarliestFirst);
        assert_eq!((earliest.after.recorded_at, earliest.end), (filter.from, filter.until));
    }

    #[test]
    fn an_order_that_the_list_does_not_have_is_refused() {
        assert_eq!(Order::read(None).unwrap(), Order::LatestFirst);
        assert_eq!(Order::read(Some("recorded_at")).unwrap(), Order::EarliestFirst);
        assert!(Order::read(Some("operation")).is_err());
    }
}
