//! How long things last, and what is asked for again.

use crate::core::fault::Fault;
use crate::core::time::Time;

/// Seconds that a person's access token lives at most.
const ACCESS_TOKEN_SECONDS: i64 = 600;
/// Seconds after which an unused session ends.
pub(super) const IDLE_SECONDS: i64 = 14 * 86_400;
/// Seconds after which any session ends.
pub(super) const ABSOLUTE_SECONDS: i64 = 30 * 86_400;
/// Seconds in which the second factor must follow the password.
pub(super) const CHALLENGE_SECONDS: i64 = 300;
/// Wrong codes after which a challenge is void.
pub(super) const CHALLENGE_ATTEMPTS: i32 = 5;

/// Seconds for which a password or code given again opens sensitive changes.
pub(super) const FRESH_SECONDS: i64 = 600;

/// What a person gives again.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The password.
    Password(String),
    /// A code of the authenticator app, or a recovery code.
    Code(String),
}

/// The one proof that was sent.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] when it is none or both.
pub(super) fn proof(password: Option<String>, code: Option<String>) -> Result<Proof, Fault> {
    match (password, code) {
        (Some(password), None) => Ok(Proof::Password(password)),
        (None, Some(code)) => Ok(Proof::Code(code)),
        _ => Err(Fault::field("", "ONE_OF", "Send either `password` or `code`.")),
    }
}

/// The refusal of a code that is given again.
pub(super) fn wrong_code() -> Fault {
    let message = "The code is wrong or was already used, or no second factor is active. Wait for the next code.";
    Fault::field("/code", "WRONG_CODE", message)
}

/// When a session ends at the latest; a team's policy may shorten it.
pub(super) fn expires_at(now: Time, session_hours: Option<i32>) -> Time {
    let seconds = session_hours.map_or(ABSOLUTE_SECONDS, |hours| i64::from(hours) * 3600);
    now.plus_seconds(seconds.clamp(3600, ABSOLUTE_SECONDS))
}

/// Seconds that an access token lives: to the end of its session at most, and never none.
pub(super) fn access_token_seconds(now: Time, session_expires_at: Time) -> i64 {
    session_expires_at.seconds_since(now).clamp(1, ACCESS_TOKEN_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_proof_is_asked_for() {
        let text = || Some("x".to_owned());
        assert_eq!(proof(text(), None).unwrap(), Proof::Password("x".to_owned()));
        assert_eq!(proof(None, text()).unwrap(), Proof::Code("x".to_owned()));
        assert!(proof(None, None).is_err() && proof(text(), text()).is_err());
    }

    #[test]
    fn a_teams_policy_shortens_a_session_and_never_lengthens_it() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(expires_at(now, None).seconds_since(now), ABSOLUTE_SECONDS);
        assert_eq!(expires_at(now, Some(8)).seconds_since(now), 8 * 3600);
        assert_eq!(expires_at(now, Some(5000)).seconds_since(now), ABSOLUTE_SECONDS);
    }

    #[test]
    fn an_access_token_ends_with_its_session() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        let lives = |session_seconds| access_token_seconds(now, now.plus_seconds(session_seconds));
        assert_eq!((lives(86_400), lives(600), lives(599), lives(1), lives(0)), (600, 600, 599, 1, 1));
    }
}
