//! The machine of support tickets, and what can be written into one.

use crate::core::fault::{Fault, FieldError};
use crate::core::plain;
use crate::core::state_diagram::StateDiagram;
use crate::core::text::{self, TextKind};
use crate::core::words::{Word as _, words};

/// Tickets that a partner can have waiting at a time: open ones, and those that wait for its own reply.
pub(super) const OPEN_TICKETS: i64 = 25;
/// Messages in a ticket, and notes beside them.
const MESSAGES: i32 = 200;

words! {
    /// Where a ticket stands.
    pub(crate) enum SupportTicketState {
        /// The partner waits for the desk.
        Open = "OPEN",
        /// The desk waits for the partner.
        WaitingOnPartner = "WAITING_ON_PARTNER",
        /// The desk takes it for settled; a reply opens it again.
        Resolved = "RESOLVED",
        /// It is over.
        Closed = "CLOSED",
    }
}

words! {
    /// How soon a ticket is looked at.
    pub(crate) enum SupportTicketPriority {
        /// After the others.
        Low = "LOW",
        /// In its turn.
        Normal = "NORMAL",
        /// Before the others.
        High = "HIGH",
        /// At once.
        Urgent = "URGENT",
    }
}

/// Who does something about a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::partner) enum Side {
    /// Whoever writes for the partner.
    Partner,
    /// Whoever answers at the desk.
    Desk,
}

/// What can be done about a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::partner) enum SupportTicketAction {
    /// The partner writes.
    Reply,
    /// The desk writes to the partner.
    Answer,
    /// The desk takes it for settled.
    Resolve,
    /// Either side ends it.
    Close,
}

impl SupportTicketAction {
    const ALL: [Self; 4] = [Self::Reply, Self::Answer, Self::Resolve, Self::Close];

    const fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Answer => "answer",
            Self::Resolve => "resolve",
            Self::Close => "close",
        }
    }

    const fn is_for(self, side: Side) -> bool {
        match self {
            Self::Reply => matches!(side, Side::Partner),
            Self::Answer | Self::Resolve => matches!(side, Side::Desk),
            Self::Close => true,
        }
    }
}

const fn next(state: SupportTicketState, action: SupportTicketAction) -> Option<SupportTicketState> {
    match (state, action) {
        (
            SupportTicketState::Open | SupportTicketState::WaitingOnPartner | SupportTicketState::Resolved,
            SupportTicketAction::Reply,
        ) => Some(SupportTicketState::Open),
        (
            SupportTicketState::Open | SupportTicketState::WaitingOnPartner | SupportTicketState::Resolved,
            SupportTicketAction::Answer,
        ) => Some(SupportTicketState::WaitingOnPartner),
        (SupportTicketState::Open | SupportTicketState::WaitingOnPartner, SupportTicketAction::Resolve) => {
            Some(SupportTicketState::Resolved)
        }
        (
            SupportTicketState::Open | SupportTicketState::WaitingOnPartner | SupportTicketState::Resolved,
            SupportTicketAction::Close,
        ) => Some(SupportTicketState::Closed),
        (SupportTicketState::Resolved, SupportTicketAction::Resolve) | (SupportTicketState::Closed, _) => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(in crate::partner) fn after(
    state: SupportTicketState,
    action: SupportTicketAction,
) -> Result<SupportTicketState, Fault> {
    next(state, action).ok_or_else(|| {
        let allowed = SupportTicketAction::ALL.into_iter().filter(|action| next(state, *action).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("support ticket", state.name(), action.name(), allowed)
    })
}

/// What one side can do about a ticket now.
pub(in crate::partner) fn allowed_actions(state: SupportTicketState, side: Side) -> Vec<String> {
    SupportTicketAction::ALL
        .into_iter()
        .filter(|action| action.is_for(side) && next(state, *action).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Support ticket",
        (SupportTicketState::ALL, SupportTicketState::name),
        (&SupportTicketAction::ALL, SupportTicketAction::name),
        [&after],
    )
}

/// A subject as it is kept: one line, without blanks around it.
pub(super) fn subject(text: &str) -> Result<String, FieldError> {
    let mut errors = Vec::new();
    let text = plain::line("/subject", text, &mut errors);
    if text.is_empty() && errors.is_empty() {
        errors.push(FieldError::at("/subject", "TOO_SHORT", "Send a subject of one line."));
    }
    errors.into_iter().next().map_or(Ok(text), Err)
}

/// A message's text as it is kept: lines, without blanks around them all.
pub(in crate::partner) fn text(text: &str) -> Result<String, FieldError> {
    let text = text::normalize(text);
    if text.trim().is_empty() {
        return Err(FieldError::at("/body", "TOO_SHORT", "Send a text that is not only blanks."));
    }
    text::find_fault(TextKind::Lines, &text).map_or_else(|| Ok(text.trim().to_owned()), |fault| Err(fault.at("/body")))
}

/// Refuses one more ticket than can wait at a time, opened for the first time or again.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn room(open: i64) -> Result<(), Fault> {
    if open < OPEN_TICKETS {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "{OPEN_TICKETS} of your support tickets are open, which is the maximum. Close a resolved one, or continue in \
         an open one."
    )))
}

/// The priority that a ticket starts with.
pub(super) const fn first_priority(has_priority_support: bool) -> SupportTicketPriority {
    if has_priority_support { SupportTicketPriority::High } else { SupportTicketPriority::Normal }
}

/// The refusal of an app that is none of the partner's.
pub(super) fn unknown_app() -> FieldError {
    let message = "No app of your company has this uuid. GET /v1/marketplace/apps lists your apps.";
    FieldError::at("/app_uuid", "UNKNOWN_APP", message)
}

/// Refuses one more message, or one more note, than a ticket holds.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(in crate::partner) fn full(count: i32) -> Result<(), Fault> {
    if count < MESSAGES {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "This support ticket has {MESSAGES} messages, which is the maximum. Continue in another one."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    #[test]
    fn the_machine_cell_by_cell() {
        use SupportTicketAction::{Answer, Close, Reply, Resolve};
        let table: [(SupportTicketState, &[(SupportTicketAction, SupportTicketState)]); 4] = [
            (
                SupportTicketState::Open,
                &[
                    (Reply, SupportTicketState::Open),
                    (Answer, SupportTicketState::WaitingOnPartner),
                    (Resolve, SupportTicketState::Resolved),
                    (Close, SupportTicketState::Closed),
                ],
            ),
            (
                SupportTicketState::WaitingOnPartner,
                &[
                    (Reply, SupportTicketState::Open),
                    (Answer, SupportTicketState::WaitingOnPartner),
                    (Resolve, SupportTicketState::Resolved),
                    (Close, SupportTicketState::Closed),
                ],
            ),
            (
                SupportTicketState::Resolved,
                &[
                    (Reply, SupportTicketState::Open),
                    (Answer, SupportTicketState::WaitingOnPartner),
                    (Close, SupportTicketState::Closed),
                ],
            ),
            (SupportTicketState::Closed, &[]),
        ];
        for (state, row) in table {
            for action in SupportTicketAction::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
        let refused = after(SupportTicketState::Resolved, Resolve).unwrap_err();
        assert_eq!(refused.allowed_actions(), ["reply", "answer", "close"]);
    }

    #[test]
    fn each_side_is_offered_what_the_table_lets_it_do() {
        for state in SupportTicketState::ALL.iter().copied() {
            let of = |names: &[&str]| -> Vec<String> {
                let allowed = SupportTicketAction::ALL.into_iter().filter(|action| after(state, *action).is_ok());
                allowed.map(SupportTicketAction::name).filter(|name| names.contains(name)).map(str::to_owned).collect()
            };
            assert_eq!(allowed_actions(state, Side::Partner), of(&["reply", "close"]), "{state:?}");
            assert_eq!(allowed_actions(state, Side::Desk), of(&["answer", "resolve", "close"]), "{state:?}");
        }
    }

    #[test]
    fn a_subject_is_a_line_and_a_text_is_lines() {
        assert_eq!(subject("  Payouts are late ").unwrap(), "Payouts are late");
        assert_eq!(subject("   ").unwrap_err().code, "BLANK");
        assert_eq!(subject("a\nb").unwrap_err().code, "CHARACTER");
        assert_eq!(text(" a\r\n\tb ").unwrap(), "a\r\n\tb");
        assert_eq!(text("\n").unwrap_err().code, "TOO_SHORT");
        assert_eq!(text("a\u{7}").unwrap_err().code, "CHARACTER");
    }

    #[test]
    fn what_waits_and_what_is_written_is_bounded() {
        assert!(room(OPEN_TICKETS - 1).is_ok());
        assert_eq!(room(OPEN_TICKETS).unwrap_err().code(), Code::Conflict);
        assert!(full(MESSAGES - 1).is_ok());
        assert_eq!(full(MESSAGES).unwrap_err().code(), Code::Conflict);
        assert_eq!(first_priority(true), SupportTicketPriority::High);
        assert_eq!(first_priority(false), SupportTicketPriority::Normal);
        assert_eq!(unknown_app().pointer.as_deref(), Some("/app_uuid"));
    }
}
