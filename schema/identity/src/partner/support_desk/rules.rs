//! Rules for the changes of a ticket by the desk.

use labs_core::fault::Fault;
use labs_core::scope::opening_scopes;

use crate::partner::support_tickets::{SupportTicketAction, SupportTicketState, next_state};

/// Scope that a staff member needs to answer, and therefore to be assigned a ticket.
const ANSWERS: &str = "labs.admin.support:write";

/// Returns the alternative scopes of an assignee, who must hold at least one of them.
pub(super) fn answer_scopes() -> Vec<String> {
    opening_scopes(&[ANSWERS.to_owned()])
}

/// Returns the state of a ticket after it is resolved or closed; `None` if it is already in that state.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub(super) fn settle(
    state: SupportTicketState,
    action: SupportTicketAction,
) -> Result<Option<SupportTicketState>, Fault> {
    match (state, action) {
        (SupportTicketState::Resolved, SupportTicketAction::Resolve)
        | (SupportTicketState::Closed, SupportTicketAction::Close) => Ok(None),
        (state, action) => next_state(state, action).map(Some),
    }
}

/// Returns the error for a message or note about an erased partner.
pub(super) fn err_erased() -> Fault {
    Fault::conflict("This partner was erased, so its support tickets have no reader and cannot be changed any more.")
}

/// Returns the error for an assignee who does not answer at the desk.
pub(super) fn err_no_colleague() -> Fault {
    let message = format!("No active staff member with the scope {ANSWERS} has this uuid.");
    Fault::field("/assignee_uuid", "UNKNOWN_STAFF_MEMBER", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    #[test]
    fn settling_a_settled_support_ticket_changes_nothing() {
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
    fn assignee_needs_scope_to_answer_support_tickets() {
        assert_eq!(answer_scopes(), ["labs.admin:write", "labs.admin.support:write"]);
        assert_eq!(err_no_colleague().errors()[0].pointer.as_deref(), Some("/assignee_uuid"));
    }
}
