//! Input and output types of sessions.

use labs_core::describe::{InputType, OutputType};
use labs_core::time::Time;
use uuid::Uuid;

use crate::auth::sessions::list::OpenSession;

/// An access token for a user. The refresh token is sent only in a cookie, never in a body.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SignedIn {
    /// Value for the Authorization header: `Bearer <access_token>`.
    access_token: String,
    /// Always `Bearer`.
    token_type: &'static str,
    /// Seconds until the token expires.
    expires_in: i64,
}

impl SignedIn {
    /// Creates the response for a token with this lifetime in seconds.
    pub(in crate::auth::sessions) fn new(access_token: String, expires_in: i64) -> Self {
        Self { access_token, token_type: "Bearer", expires_in }
    }
}

/// The ended session.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SignedOut {
    /// `SIGNED_OUT`.
    pub(super) status: &'static str,
}

/// The ended sessions of a user.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SignedOutEverywhere {
    /// `SIGNED_OUT`.
    pub(super) status: &'static str,
    /// Number of sessions that were open, including the current one.
    pub(super) sessions_ended: i64,
}

/// The completed reauthentication.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Reauthenticated {
    /// `REAUTHENTICATED`.
    pub(super) status: &'static str,
    /// Time of the reauthentication.
    pub(super) reauthenticated_at: Time,
    /// Seconds during which this session may make sensitive changes.
    pub(super) expires_in: i64,
}

/// An open session of the caller.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Session {
    /// Whether this is the session of the request.
    current: bool,
    /// The session.
    #[serde(flatten)]
    session: OpenSession,
}

impl Session {
    /// Creates the entry and marks it if it is the session that `load_own` returned.
    pub(super) fn of(session: OpenSession, own: Uuid) -> Self {
        Self { current: session.uuid == own, session }
    }
}

/// An e-mail address and a password.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SessionCreate {
    pub(super) email: String,
    pub(super) password: String,
}

/// The second step of a sign-in.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SessionVerifyMfa {
    pub(super) challenge: String,
    pub(super) code: String,
}

/// Proof for a reauthentication: a password or a code.
#[derive(serde::Deserialize, InputType)]
pub(super) struct ReauthenticationInput {
    /// Password of the user.
    pub(super) password: Option<String>,
    /// Code of the authenticator app, or a recovery code.
    pub(super) code: Option<String>,
}
