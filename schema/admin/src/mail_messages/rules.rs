//! Rules for the retry of mail messages and for the error text that staff can see.

use labs_core::fault::Fault;
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

words! {
    /// State of a mail message.
    pub enum MailMessageState {
        /// Waits for its first or next delivery attempt.
        Queued = "QUEUED",
        /// Was handed over to the mail server.
        Sent = "SENT",
        /// Was given up after several attempts, or because further attempts are pointless.
        Failed = "FAILED",
    }
}

/// Action of staff on a mail message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MailMessageAction {
    /// Retry the delivery now.
    Retry,
}

impl MailMessageAction {
    const fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
        }
    }
}

/// Returns the state that an action results in.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] for a sent message.
pub(super) fn after(state: MailMessageState, action: MailMessageAction) -> Result<MailMessageState, Fault> {
    use MailMessageState::{Failed, Queued, Sent};
    match (state, action) {
        (Queued | Failed, MailMessageAction::Retry) => Ok(Queued),
        (Sent, MailMessageAction::Retry) => {
            Err(Fault::illegal("mail message", state.name(), action.name(), Vec::new()))
        }
    }
}

/// Returns the currently allowed actions of a mail message.
pub(super) fn allowed_actions(state: MailMessageState) -> Vec<String> {
    let retry = Some(MailMessageAction::Retry).filter(|action| after(state, *action).is_ok());
    retry.map(|action| action.name().to_owned()).into_iter().collect()
}

/// Draws the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Mail message",
        (MailMessageState::ALL, MailMessageState::name),
        (&[MailMessageAction::Retry], MailMessageAction::name),
        [&after],
    )
}

/// Rejects the retry of a mail message that can no longer be sent, or that is being sent.
///
/// # Errors
/// [`labs_core::Code::Conflict`] in both cases.
pub(super) fn ensure_sendable(has_content: bool, is_claimed: bool, has_ended: bool) -> Result<(), Fault> {
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

/// Removes tokens that a mail server's error text may have quoted.
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
    use labs_core::fault::Code;

    #[test]
    fn state_machine_matches_table() {
        assert_eq!(after(MailMessageState::Queued, MailMessageAction::Retry).unwrap(), MailMessageState::Queued);
        assert_eq!(after(MailMessageState::Failed, MailMessageAction::Retry).unwrap(), MailMessageState::Queued);
        assert_eq!(allowed_actions(MailMessageState::Queued), ["retry"]);
        assert_eq!(allowed_actions(MailMessageState::Failed), ["retry"]);
        assert!(allowed_actions(MailMessageState::Sent).is_empty());
        let refused = after(MailMessageState::Sent, MailMessageAction::Retry).unwrap_err();
        assert_eq!((refused.code(), refused.allowed_actions().len()), (Code::IllegalTransition, 0));
    }

    #[test]
    fn only_sendable_mail_can_be_retried() {
        assert!(ensure_sendable(true, false, false).is_ok());
        for (content, claimed, ended) in [(true, true, false), (false, false, false), (true, false, true)] {
            assert_eq!(ensure_sendable(content, claimed, ended).unwrap_err().code(), Code::Conflict);
        }
    }

    #[test]
    fn tokens_are_removed_from_mail_errors() {
        let quoted = "550 rejected https://x/#labs_ot_AAAABBBBCCCCDDDD-eeee_ffff, sorry";
        assert_eq!(without_tokens(quoted), "550 rejected https://x/#[token], sorry");
        assert_eq!(without_tokens("no labs_here"), "no labs_here");
        assert_eq!(without_tokens("connection refused"), "connection refused");
    }
}
