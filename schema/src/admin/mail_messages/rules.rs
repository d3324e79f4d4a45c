//! Which mails can be tried again, and what is shown of an error.

use crate::core::fault::Fault;
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};

words! {
    /// Where a mail stands.
    pub(crate) enum MailMessageState {
        /// It waits, for the first try or the next.
        Queued = "QUEUED",
        /// It was handed over; what it said is forgotten.
        Sent = "SENT",
        /// It was given up.
        Failed = "FAILED",
    }
}

/// What staff can do with a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MailMessageAction {
    /// Have it tried again now.
    Retry,
}

impl MailMessageAction {
    const fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
        }
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] for a mail that was sent.
pub(super) fn after(state: MailMessageState, action: MailMessageAction) -> Result<MailMessageState, Fault> {
    use MailMessageState::{Failed, Queued, Sent};
    match (state, action) {
        (Queued | Failed, MailMessageAction::Retry) => Ok(Queued),
        (Sent, MailMessageAction::Retry) => Err(Fault::illegal("mail", state.name(), action.name(), Vec::new())),
    }
}

/// What can be done with a mail now.
pub(super) fn allowed_actions(state: MailMessageState) -> Vec<String> {
    let retry = Some(MailMessageAction::Retry).filter(|action| after(state, *action).is_ok());
    retry.map(|action| action.name().to_owned()).into_iter().collect()
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Mail, by staff",
        (MailMessageState::ALL, MailMessageState::name),
        (&[MailMessageAction::Retry], MailMessageAction::name),
        [&after],
    )
}

/// Refuses to try a mail again that cannot be sent any more, or that is being sent right now.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn sendable(has_content: bool, is_claimed: bool, has_ended: bool) -> Result<(), Fault> {
    if is_claimed {
        return Err(Fault::conflict(
            "This mail message is being sent right now. Check again in two minutes. Retrying earlier could send it \
             twice.",
        ));
    }
    if !has_content {
        return Err(Fault::conflict(
            "The content of this mail message was deleted, so it cannot be sent. Request a new message instead.",
        ));
    }
    if has_ended {
        return Err(Fault::conflict(
            "The link in this mail message has expired, so sending it is useless. Request a new message instead.",
        ));
    }
    Ok(())
}

/// A mail server's words, without a token that it may have quoted.
pub(super) fn without_tokens(text: &str) -> String {
    const PREFIX: &str = "labs_";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(PREFIX) {
        out.push_str(before);
        let is_of_token = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '=');
        let behind = after.trim_start_matches(is_of_token);
        let is_token = after.len() - behind.len() >= 16;
        out.push_str(if is_token { "[token]" } else { PREFIX });
        rest = if is_token { behind } else { after };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    #[test]
    fn the_machine_cell_by_cell() {
        assert_eq!(after(MailMessageState::Queued, MailMessageAction::Retry).unwrap(), MailMessageState::Queued);
        assert_eq!(after(MailMessageState::Failed, MailMessageAction::Retry).unwrap(), MailMessageState::Queued);
        assert_eq!(allowed_actions(MailMessageState::Queued), ["retry"]);
        assert_eq!(allowed_actions(MailMessageState::Failed), ["retry"]);
        assert!(allowed_actions(MailMessageState::Sent).is_empty());
        let refused = after(MailMessageState::Sent, MailMessageAction::Retry).unwrap_err();
        assert_eq!((refused.code(), refused.allowed_actions().len()), (Code::IllegalTransition, 0));
    }

    #[test]
    fn only_what_can_still_be_sent_is_tried_again() {
        assert!(sendable(true, false, false).is_ok());
        for (content, claimed, ended) in [(true, true, false), (false, false, false), (true, false, true)] {
            assert_eq!(sendable(content, claimed, ended).unwrap_err().code(), Code::Conflict);
        }
    }

    #[test]
    fn a_token_is_cut_out_of_an_error() {
        let quoted = "550 rejected https://x/#labs_ot_AAAABBBBCCCCDDDD-eeee_ffff, sorry";
        assert_eq!(without_tokens(quoted), "550 rejected https://x/#[token], sorry");
        assert_eq!(without_tokens("no labs_here"), "no labs_here");
        assert_eq!(without_tokens("connection refused"), "connection refused");
    }
}
