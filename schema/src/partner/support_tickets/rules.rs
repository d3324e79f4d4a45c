//! The machine of support tickets, and what can be written into one.

use crate::fault::{Fault, FieldError};
use crate::states::Drawing;

/// Tickets that a partner can have waiting at a time: open ones, and those that wait for its own reply.
pub(super) const OPEN_TICKETS: i64 = 25;
/// Messages in a ticket, and notes beside them.
const MESSAGES: i32 = 200;

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::partner) enum State {
    /// The partner waits for the desk.
    Open,
    /// The desk waits for the partner.
    WaitingOnPartner,
    /// The desk takes it for settled; a reply opens it again.
    Resolved,
    /// It is over.
    Closed,
}

/// What can be done about a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::partner) enum Action {
    /// The partner writes.
    Reply,
    /// The desk writes to the partner.
    Answer,
    /// The desk takes it for settled.
    Resolve,
    /// Either side ends it.
    Close,
}

impl State {
    const ALL: [Self; 4] = [Self::Open, Self::WaitingOnPartner, Self::Resolved, Self::Closed];

    /// The column's value.
    pub(in crate::partner) const fn name(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::WaitingOnPartner => "WAITING_ON_PARTNER",
            Self::Resolved => "RESOLVED",
            Self::Closed => "CLOSED",
        }
    }

    /// Reads the column's value.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a value that no ticket has.
    pub(in crate::partner) fn parse(text: &str) -> Result<Self, Fault> {
        let found = Self::ALL.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| Fault::internal(format!("a support ticket in the state {text}")))
    }
}

impl Action {
    const ALL: [Self; 4] = [Self::Reply, Self::Answer, Self::Resolve, Self::Close];

    const fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Answer => "answer",
            Self::Resolve => "resolve",
            Self::Close => "close",
        }
    }
}

const fn next(state: State, action: Action) -> Option<State> {
    match (state, action) {
        (State::Open | State::WaitingOnPartner | State::Resolved, Action::Reply) => Some(State::Open),
        (State::Open | State::WaitingOnPartner | State::Resolved, Action::Answer) => Some(State::WaitingOnPartner),
        (State::Open | State::WaitingOnPartner, Action::Resolve) => Some(State::Resolved),
        (State::Open | State::WaitingOnPartner | State::Resolved, Action::Close) => Some(State::Closed),
        (State::Resolved, Action::Resolve) | (State::Closed, _) => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(in crate::partner) fn after(state: State, action: Action) -> Result<State, Fault> {
    next(state, action).ok_or_else(|| {
        let allowed = Action::ALL.into_iter().filter(|action| next(state, *action).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("support ticket", state.name(), action.name(), allowed)
    })
}

/// The machine as a picture.
pub(crate) fn drawing() -> Drawing {
    Drawing::of("Support ticket", (&State::ALL, State::name), (&Action::ALL, Action::name), [&after])
}

/// A subject as it is kept: one line, without blanks around it.
pub(super) fn subject(text: &str) -> Result<String, FieldError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(FieldError::at("/subject", "TOO_SHORT", "Say in a line what it is about."));
    }
    if text.chars().any(char::is_control) {
        let message = "A subject is one line. Remove line breaks and control characters.";
        return Err(FieldError::at("/subject", "CHARACTER", message));
    }
    Ok(text.to_owned())
}

/// A message's text as it is kept: lines, without blanks around them all.
pub(in crate::partner) fn text(text: &str) -> Result<String, FieldError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(FieldError::at("/body", "TOO_SHORT", "Say something, blanks aside."));
    }
    if text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')) {
        return Err(FieldError::at("/body", "CHARACTER", "Remove control characters; line breaks may stay."));
    }
    Ok(text.to_owned())
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
        "{OPEN_TICKETS} of your tickets are open. Close one that is settled, or go on in one that is open."
    )))
}

/// The priority that a ticket starts with.
pub(super) const fn first_priority(has_priority_support: bool) -> &'static str {
    if has_priority_support { "HIGH" } else { "NORMAL" }
}

/// The refusal of an app that is none of the partner's.
pub(super) fn unknown_app() -> FieldError {
    let message = "None of your company's apps has this uuid. GET /v1/marketplace/apps lists them.";
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
    Err(Fault::conflict(format!("This ticket holds {MESSAGES} messages, which is all it can. Go on in another one.")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Code;

    #[test]
    fn the_machine_cell_by_cell() {
        use Action::{Answer, Close, Reply, Resolve};
        let table: [(State, &[(Action, State)]); 4] = [
            (
                State::Open,
                &[
                    (Reply, State::Open),
                    (Answer, State::WaitingOnPartner),
                    (Resolve, State::Resolved),
                    (Close, State::Closed),
                ],
            ),
            (
                State::WaitingOnPartner,
                &[
                    (Reply, State::Open),
                    (Answer, State::WaitingOnPartner),
                    (Resolve, State::Resolved),
                    (Close, State::Closed),
                ],
            ),
            (State::Resolved, &[(Reply, State::Open), (Answer, State::WaitingOnPartner), (Close, State::Closed)]),
            (State::Closed, &[]),
        ];
        for (state, row) in table {
            for action in Action::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(state, action).ok(), expected, "{state:?} {action:?}");
            }
            assert_eq!(State::parse(state.name()).unwrap(), state);
        }
        assert!(State::parse("LOST").is_err());
        let refused = after(State::Resolved, Resolve).unwrap_err();
        assert_eq!(refused.parts().allowed_actions, ["reply", "answer", "close"]);
    }

    #[test]
    fn a_subject_is_a_line_and_a_text_is_lines() {
        assert_eq!(subject("  Payouts are late ").unwrap(), "Payouts are late");
        assert_eq!(subject(" \n ").unwrap_err().code, "TOO_SHORT");
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
        assert_eq!((first_priority(true), first_priority(false)), ("HIGH", "NORMAL"));
        assert_eq!(unknown_app().pointer.as_deref(), Some("/app_uuid"));
    }
}
