//! State machine of support tickets, and rules for their messages.

use labs_core::fault::{Fault, FieldError};
use labs_core::plain;
use labs_core::state_diagram::StateDiagram;
use labs_core::text::{self, TextKind};
use labs_core::words::{Word as _, words};

/// Maximum number of unresolved tickets per partner: open tickets, and tickets that wait for the partner's reply.
pub(super) const OPEN_TICKETS: i64 = 25;
/// Maximum number of messages in a ticket, and separately of notes.
const MESSAGES: i32 = 200;

words! {
    /// State of a support ticket.
    pub enum SupportTicketState {
        /// The partner waits for the support staff.
        Open = "OPEN",
        /// The support staff wait for the partner.
        WaitingOnPartner = "WAITING_ON_PARTNER",
        /// The support staff consider the ticket resolved. A reply of the partner reopens it.
        Resolved = "RESOLVED",
        /// Closed permanently. No reply is possible.
        Closed = "CLOSED",
    }
}

words! {
    /// Urgency of a support ticket. With priority support it starts as `HIGH`, otherwise as `NORMAL`.
    pub enum SupportTicketPriority {
        /// Handled after the others.
        Low = "LOW",
        /// Handled in the normal order.
        Normal = "NORMAL",
        /// Handled before the others.
        High = "HIGH",
        /// Handled at once.
        Urgent = "URGENT",
    }
}

/// Side that acts on a support ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::partner) enum TicketActor {
    /// The partner.
    Partner,
    /// The staff of the support desk.
    Desk,
}

/// Action on a support ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::partner) enum SupportTicketAction {
    /// The partner writes a reply.
    Reply,
    /// The desk writes an answer to the partner.
    Answer,
    /// The desk resolves the ticket.
    Resolve,
    /// Either side closes the ticket.
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

    const fn is_for(self, side: TicketActor) -> bool {
        match self {
            Self::Reply => matches!(side, TicketActor::Partner),
            Self::Answer | Self::Resolve => matches!(side, TicketActor::Desk),
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

/// Returns the state that an action results in.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub(in crate::partner) fn next_state(
    state: SupportTicketState,
    action: SupportTicketAction,
) -> Result<SupportTicketState, Fault> {
    next(state, action).ok_or_else(|| {
        let allowed = SupportTicketAction::ALL.into_iter().filter(|action| next(state, *action).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("support ticket", state.name(), action.name(), allowed)
    })
}

/// Returns the currently allowed actions of one side.
pub(in crate::partner) fn allowed_actions(state: SupportTicketState, side: TicketActor) -> Vec<String> {
    SupportTicketAction::ALL
        .into_iter()
        .filter(|action| action.is_for(side) && next(state, *action).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// Draws the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Support ticket",
        (SupportTicketState::ALL, SupportTicketState::name),
        (&SupportTicketAction::ALL, SupportTicketAction::name),
        [&next_state],
    )
}

/// Normalizes a subject as it is stored: one line, without surrounding white space.
pub(super) fn subject(text: &str) -> Result<String, FieldError> {
    let mut errors = Vec::new();
    let text = plain::line("/subject", text, &mut errors);
    if text.is_empty() && errors.is_empty() {
        errors.push(FieldError::at("/subject", "TOO_SHORT", "Send a subject of one line."));
    }
    errors.into_iter().next().map_or(Ok(text), Err)
}

/// Normalizes a message's text as it is stored: lines, without surrounding white space.
pub(in crate::partner) fn text(text: &str) -> Result<String, FieldError> {
    let text = text::normalize(text);
    if text.trim().is_empty() {
        return Err(FieldError::at("/body", "TOO_SHORT", "Send a text that is not only blanks."));
    }
    text::find_fault(TextKind::Lines, &text).map_or_else(|| Ok(text.trim().to_owned()), |fault| Err(fault.at("/body")))
}

/// Rejects a new or reopened ticket above the maximum of unresolved tickets.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the maximum is reached.
pub(super) fn ensure_quota(open: i64) -> Result<(), Fault> {
    if open < OPEN_TICKETS {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "{OPEN_TICKETS} of your support tickets are open, which is the maximum. Close a resolved one, or continue in \
         an open one."
    )))
}

/// Returns the initial priority of a ticket.
pub(super) const fn first_priority(has_priority_support: bool) -> SupportTicketPriority {
    if has_priority_support { SupportTicketPriority::High } else { SupportTicketPriority::Normal }
}

/// Returns the error for an app that does not belong to the partner.
pub(super) fn err_unknown_app() -> FieldError {
    let message = "No app of your company has this uuid. GET /v1/marketplace/apps lists your apps.";
    FieldError::at("/app_uuid", "UNKNOWN_APP", message)
}

/// Rejects a message or note above the maximum per ticket.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the maximum is reached.
pub(in crate::partner) fn ensure_not_full(count: i32) -> Result<(), Fault> {
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
    use labs_core::fault::Code;

    #[test]
    fn state_machine_matches_table() {
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
                assert_eq!(next_state(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
        let refused = next_state(SupportTicketState::Resolved, Resolve).unwrap_err();
        assert_eq!(refused.allowed_actions(), ["reply", "answer", "close"]);
    }

    #[test]
    fn each_side_gets_actions_of_table() {
        for state in SupportTicketState::ALL.iter().copied() {
            let of = |names: &[&str]| -> Vec<String> {
                let allowed = SupportTicketAction::ALL.into_iter().filter(|action| next_state(state, *action).is_ok());
                allowed.map(SupportTicketAction::name).filter(|name| names.contains(name)).map(str::to_owned).collect()
            };
            assert_eq!(allowed_actions(state, TicketActor::Partner), of(&["reply", "close"]), "{state:?}");
            assert_eq!(allowed_actions(state, TicketActor::Desk), of(&["answer", "resolve", "close"]), "{state:?}");
        }
    }

    #[test]
    fn subject_is_one_line_and_text_many() {
        assert_eq!(subject("  Payouts are late ").unwrap(), "Payouts are late");
        assert_eq!(subject("   ").unwrap_err().code, "BLANK");
        assert_eq!(subject("a\nb").unwrap_err().code, "CHARACTER");
        assert_eq!(text(" a\r\n\tb ").unwrap(), "a\r\n\tb");
        assert_eq!(text("\n").unwrap_err().code, "TOO_SHORT");
        assert_eq!(text("a\u{7}").unwrap_err().code, "CHARACTER");
    }

    #[test]
    fn open_support_tickets_and_messages_are_limited() {
        assert!(ensure_quota(OPEN_TICKETS - 1).is_ok());
        assert_eq!(ensure_quota(OPEN_TICKETS).unwrap_err().code(), Code::Conflict);
        assert!(ensure_not_full(MESSAGES - 1).is_ok());
        assert_eq!(ensure_not_full(MESSAGES).unwrap_err().code(), Code::Conflict);
        assert_eq!(first_priority(true), SupportTicketPriority::High);
        assert_eq!(first_priority(false), SupportTicketPriority::Normal);
        assert_eq!(err_unknown_app().pointer.as_deref(), Some("/app_uuid"));
    }
}
