//! Rules for messages about a version: their size, their number, and the states that allow them.

use labs_core::fault::{Fault, FieldError};
use labs_core::plain;
use labs_core::words::Word as _;

use crate::versions::AppVersionState;

/// Maximum number of messages of one side about a version.
pub(super) const MESSAGES: i64 = 200;
/// Maximum length of a message, in characters.
const LENGTH: usize = 4_000;

/// States of a version that allow messages.
const OPEN: [AppVersionState; 6] = [
    AppVersionState::Submitted,
    AppVersionState::InReview,
    AppVersionState::ChangesRequested,
    AppVersionState::Approved,
    AppVersionState::Scheduled,
    AppVersionState::Rejected,
];

/// Rejects a message about a version whose review has ended.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_open(state: AppVersionState) -> Result<(), Fault> {
    if OPEN.contains(&state) {
        return Ok(());
    }
    let state = state.word();
    Err(Fault::conflict(format!(
        "This version is {state}, so its review has ended. Contact support, or write about the next version."
    )))
}

/// Rejects a message beyond the maximum number of a side.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_room(written: i64) -> Result<(), Fault> {
    if written < MESSAGES {
        return Ok(());
    }
    Err(Fault::conflict(format!("You have sent {MESSAGES} messages about this version, which is the maximum.")))
}

/// Normalizes a message.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for an empty text, for control characters, and for a text beyond the maximum
/// length.
pub(super) fn body(text: &str) -> Result<String, Fault> {
    let mut errors = Vec::new();
    let text = plain::paragraphs("/body", text, &mut errors);
    if text.is_empty() {
        errors.push(FieldError::at("/body", "REQUIRED", "Send a text that is not only blanks."));
    }
    errors.extend(plain::err_too_long("/body", &text, LENGTH));
    if errors.is_empty() { Ok(text) } else { Err(Fault::invalid(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_thread_closes_with_review() {
        let closed: Vec<&str> = AppVersionState::ALL
            .iter()
            .filter(|state| ensure_open(**state).is_err())
            .map(|state| state.name())
            .collect();
        assert_eq!(closed, ["DRAFT", "PUBLISHED", "SUPERSEDED", "WITHDRAWN"]);
    }

    #[test]
    fn messages_are_trimmed_and_length_limited() {
        assert_eq!(body(" One\r\nTwo ").ok().as_deref(), Some("One\nTwo"));
        for refused in ["", " \n ", "\u{0}", &"x".repeat(LENGTH + 1)] {
            assert!(body(refused).is_err(), "{refused:?}");
        }
    }
}
