//! Positions of clients in lists of events.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::fault::{Code, Fault};
use crate::words::words;

words! {
    /// Orders of a list of events that clients can follow.
    pub enum EventSort {
        /// Newest first.
        OccurredAtDesc = "OCCURRED_AT_DESC",
        /// By position, oldest first. A cursor continues with later events.
        Position = "POSITION",
    }
}

/// Lists of events that clients can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventList {
    /// Events of a partner's account: of the account itself and of its subscription, and staff access.
    Account,
    /// Events of a partner's subscription.
    Subscription,
    /// Events of an app.
    App,
}

words! {
    /// Sources of events (column `event_position.source`).
    pub(super) enum EventSource {
        /// `partner_event`.
        Account = "ACCOUNT",
        /// `subscription_event`.
        Subscription = "SUBSCRIPTION",
        /// `audit_log`: staff access.
        Staff = "STAFF",
        /// `app_event`, and the deletion of an app.
        App = "APP",
    }
}

impl EventSource {
    /// Returns the lists with the events of this source.
    pub(super) const fn lists(self) -> &'static [EventList] {
        match self {
            Self::Account | Self::Staff => &[EventList::Account],
            Self::Subscription => &[EventList::Account, EventList::Subscription],
            Self::App => &[EventList::App],
        }
    }
}

/// Position, with the event that a client has seen there. Before the first event the values are 0 and the nil UUID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventPosition {
    /// Number of the position, from 1.
    pub place: i64,
    /// UUID of the event there.
    pub event_uuid: Uuid,
}

impl EventPosition {
    /// Returns the values of the position for a cursor.
    pub(crate) fn values(self) -> [Value; 2] {
        [json!(self.place), json!(self.event_uuid)]
    }
}

/// Reads a position from the values of a cursor. Returns `None` for other values.
pub(crate) fn read_position(values: &[Value]) -> Option<EventPosition> {
    let [place, event] = values else { return None };
    Some(EventPosition { place: place.as_i64()?, event_uuid: Uuid::parse_str(event.as_str()?).ok()? })
}

/// Rejects a position whose event was deleted or differs from the event that the client has seen.
///
/// # Errors
/// [`Code::CursorExpired`].
pub(crate) fn ensure_known(asked: EventPosition, kept: Option<Uuid>) -> Result<(), Fault> {
    if asked.place == 0 || kept == Some(asked.event_uuid) {
        return Ok(());
    }
    let detail = "This cursor is too old or belongs to another database. Start again without `cursor`, and skip events \
                  that you know by their `uuid`.";
    Err(Fault::new(Code::CursorExpired, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_position_round_trips_through_cursor() {
        let at = EventPosition { place: 7, event_uuid: Uuid::from_u128(1) };
        assert_eq!(read_position(&at.values()), Some(at));
        for other in [vec![json!(1)], vec![json!("1"), json!("x")], vec![json!(1), json!("x")]] {
            assert_eq!(read_position(&other), None, "{other:?}");
        }
    }

    #[test]
    fn event_position_is_verified_by_its_event() {
        let at = EventPosition { place: 7, event_uuid: Uuid::from_u128(1) };
        assert!(ensure_known(at, Some(Uuid::from_u128(1))).is_ok());
        assert!(ensure_known(at, Some(Uuid::from_u128(2))).is_err(), "another database's");
        assert!(ensure_known(at, None).is_err(), "no longer kept");
        assert!(ensure_known(EventPosition::default(), None).is_ok(), "before the first event");
    }
}
