//! What the desk may ask of a ticket.

use crate::core::fault::Fault;
use crate::core::scope::opening;
use crate::partner::support_tickets::{SupportTicketAction, SupportTicketState, after};

/// What it takes to answer, and so to be given a ticket.
const ANSWERS: &str = "labs.admin.support:write";

/// The scopes of which whoever is given a ticket holds one.
pub(super) fn answering() -> Vec<String> {
    opening(&[ANSWERS.to_owned()])
}

/// Where a ticket goes that is to be settled so; `None` when it is there already.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn settle(
    state: SupportTicketState,
    action: SupportTicketAction,
) -> Result<Option<SupportTicketState>, Fault> {
    match (state, action) {
        (SupportTicketState::Resolved, SupportTicketAction::Resolve)
        | (SupportTicketState::Closed, SupportTicketAction::Close) => Ok(None),
        (state, action) => after(state, action).map(Some),
    }
}

/// The refusal of words about a partner that was erased.
pub(super) fn erased() -> Fault {
    Fault::conflict("This partner was erased, so its support tickets have no reader and cannot be changed any more.")
}

/// The refusal of somebody who does not answer at the desk.
pub(super) fn no_colleague() -> Fault {
    let message = format!("No active staff member with the scope {ANSWERS} has this uuid.");
    Fault::field("/assignee_uuid", "UNKNOWN_STAFF_MEMBER", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    #[test]
    fn settling_what_is_settled_so_changes_nothing() {
        assert_eq!(
            settle(SupportTicketState::Open, SupportTicketAction::Resolve).unwrap(),
            Some(SupportTicketState::Resolved)
        );
        assert_eq!(settle(SupportTicketState::Resolved, SupportTicketAction::Resolve).unwrap(), None);
        assert_eq!(
            settle(SupportTicketState::Resolved, SupportTicketAction::Close).unwrap(),
            Some(SupportTicketState::Closed)
        );
        assert_eq!(settle(SupportTicketState::Closed, SupportTicketAction::Close).unwrap(), None);
        assert_eq!(
            settle(SupportTicketState::Closed, SupportTicketAction::Resolve).unwrap_err().code(),
            Code::IllegalTransition
        );
    }

    #[test]
    fn a_ticket_is_given_to_whoever_may_answer() {
        assert_eq!(answering(), ["labs.admin:write", "labs.admin.support:write"]);
        assert_eq!(no_colleague().errors()[0].pointer.as_deref(), Some("/assignee_uuid"));
    }
}
