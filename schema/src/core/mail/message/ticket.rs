//! The mails about a support ticket. What was written in it stands in none of them: a mail says that there is something
//! to read, and whoever may read it signs in.

use serde::{Deserialize, Serialize};

/// Something that happened to a support ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The person who is written to.
    pub name: String,
    /// The company whose ticket it is.
    pub company: String,
    /// What the ticket is about, in its author's words.
    pub subject: String,
    /// Where it can be read, as a path below the base address.
    pub path: String,
    /// Events of this page.
    pub event: TicketEvent,
}

/// What happened to a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TicketEvent {
    /// To whoever opened it: it is with the desk.
    Received,
    /// To the partner: there is an answer.
    Answered,
    /// To the partner: the desk thinks that it is settled.
    Resolved,
    /// To the partner: the desk closed it.
    Closed,
    /// To the desk: there is a new one.
    Opened,
    /// To the desk: the partner wrote again.
    Replied,
    /// To the desk: the partner closed it.
    Withdrawn,
    /// To somebody of the desk: it is theirs now.
    Assigned,
}

impl TicketEvent {
    /// Every one.
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
    /// One of each; `text` stands wherever a person's own words do.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let text = || text.to_owned();
        let path = || "/v1/support-desk/tickets/019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47".to_owned();
        let of = |event| Self { name: text(), company: text(), subject: text(), path: path(), event };
        TicketEvent::ALL.map(of).into()
    }
}
