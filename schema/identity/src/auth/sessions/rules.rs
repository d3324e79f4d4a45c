//! Lifetimes of sessions and tokens, and rules of reauthentication.

use labs_core::fault::Fault;
use labs_core::time::Time;

/// Longest lifetime of a user's access token, in seconds.
const ACCESS_TOKEN_SECONDS: i64 = 600;
/// Seconds after which an unused session ends.
pub(super) const IDLE_SECONDS: i64 = 14 * 86_400;
/// Seconds after which any session ends.
pub(super) const ABSOLUTE_SECONDS: i64 = 30 * 86_400;
/// Seconds between the password and the second factor, at most.
pub(super) const CHALLENGE_SECONDS: i64 = 300;
/// Wrong codes after which a challenge is void.
pub(super) const CHALLENGE_ATTEMPTS: i32 = 5;

/// Seconds after a reauthentication during which sensitive changes are allowed.
pub(super) const FRESH_SECONDS: i64 = 600;

/// Proof that a user gives again.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The password.
    Password(String),
    /// A code of the authenticator app, or a recovery code.
    Code(String),
}

/// Returns the proof that was sent.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] if the body contains neither or both.
pub(super) fn proof(password: Option<String>, code: Option<String>) -> Result<Proof, Fault> {
    match (password, code) {
        (Some(password), None) => Ok(Proof::Password(password)),
        (None, Some(code)) => Ok(Proof::Code(code)),
        _ => Err(Fault::field("", "ONE_OF", "Send either `password` or `code`.")),
    }
}

/// The fault for a password from a user with an active second factor.
pub(super) fn err_code_required() -> Fault {
    let message = "A second factor is active. Send a code of the authenticator app or a recovery code.";
    Fault::field("/code", "CODE_REQUIRED", message)
}

/// The fault for a wrong code during reauthentication.
pub(super) fn err_wrong_code() -> Fault {
    let message = "The code is wrong or was already used, or no second factor is active. Wait for the next code.";
    Fault::field("/code", "WRONG_CODE", message)
}

/// Returns the latest end of a session; a team's policy may shorten it.
pub(super) fn expires_at(now: Time, session_hours: Option<i32>) -> Time {
    let seconds = session_hours.map_or(ABSOLUTE_SECONDS, |hours| i64::from(hours) * 3600);
    now.plus_seconds(seconds.clamp(3600, ABSOLUTE_SECONDS))
}

/// Returns the lifetime of an access token in seconds: at most until the end of its session, and at least one.
pub(super) fn access_token_seconds(now: Time, session_expires_at: Time) -> i64 {
    session_expires_at.seconds_since(now).clamp(1, ACCESS_TOKEN_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_proof_is_required() {
        let text = || Some("x".to_owned());
        assert_eq!(proof(text(), None).unwrap(), Proof::Password("x".to_owned()));
        assert_eq!(proof(None, text()).unwrap(), Proof::Code("x".to_owned()));
        assert!(proof(None, None).is_err() && proof(text(), text()).is_err());
    }

    #[test]
    fn team_policy_shortens_but_never_extends_session() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(expires_at(now, None).seconds_since(now), ABSOLUTE_SECONDS);
        assert_eq!(expires_at(now, Some(8)).seconds_since(now), 8 * 3600);
        assert_eq!(expires_at(now, Some(5000)).seconds_since(now), ABSOLUTE_SECONDS);
    }

    #[test]
    fn access_token_expires_no_later_than_its_session() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        let lives = |session_seconds| access_token_seconds(now, now.plus_seconds(session_seconds));
        assert_eq!((lives(86_400), lives(600), lives(599), lives(1), lives(0)), (600, 600, 599, 1, 1));
    }
}
