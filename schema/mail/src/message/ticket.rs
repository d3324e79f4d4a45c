//! Mail about a support ticket. It never contains the messages of the ticket: the mail only announces them, and
//! authorised users sign in to read them.

use serde::{Deserialize, Serialize};

/// Event of a support ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// Name of the recipient.
    pub name: String,
    /// Name of the company that owns the ticket.
    pub company: String,
    /// Subject of the ticket, as written by its author.
    pub subject: String,
    /// Page for reading it, as a path below the base address.
    pub path: String,
    /// The event.
    pub event: TicketEvent,
}

/// Event of a support ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TicketEvent {
    /// To the user who opened it: the support staff received it.
    Received,
    /// To the partner: the support staff answered.
    Answered,
    /// To the partner: the support staff marked it as resolved.
    Resolved,
    /// To the partner: the support staff closed it.
    Closed,
    /// To the support staff: a new ticket.
    Opened,
    /// To the support staff: the partner wrote again.
    Replied,
    /// To the support staff: the partner closed it.
    Withdrawn,
    /// To a member of the support staff: the ticket was assigned to them.
    Assigned,
}

impl TicketEvent {
    #[cfg(test)]
    const ALL: [Self; 8] = [
        Self::Received,
        Self::Answered,
        Self::Resolved,
        Self::Closed,
        Self::Opened,
        Self::Replied,
        Self::Withdrawn,
        Self::Assigned,
    ];
}

#[cfg(test)]
impl Ticket {
    /// Returns one of each kind; `text` replaces every text that users write.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let text = || text.to_owned();
        let path = || "/v1/support-desk/tickets/019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47".to_owned();
        let of = |event| Self { name: text(), company: text(), subject: text(), path: path(), event };
        TicketEvent::ALL.map(of).into()
    }
}
