//! Input and output types of sessions.

use labs_core::describe::{InputType, OutputType};
use labs_core::time::Time;
use uuid::Uuid;

use crate::auth::sessions::list::OpenSession;

/// An access token for a user.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SignedIn {
    /// Access token, for the `Authorization` header only. Keep it in memory. After a page reload, use the refresh
    /// cookie to obtain a new one.
    access_token: String,
    /// Authentication scheme for the `Authorization` header.
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
    /// Result of the sign-out.
    pub(super) status: &'static str,
}

/// Receipt for ending every session.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SignedOutEverywhere {
    /// Result of the sign-out.
    pub(super) status: &'static str,
    /// Number of sessions that this request ended, including the current session.
    pub(super) sessions_ended: i64,
}

/// The reauthenticated session. Sensitive changes are allowed for a limited time.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Reauthenticated {
    /// Result of the reauthentication.
    pub(super) status: &'static str,
    /// Time when the service accepted the proof.
    pub(super) reauthenticated_at: Time,
    /// Seconds during which this session may make sensitive changes.
    pub(super) expires_in: i64,
}

/// A session of a signed-in user.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Session {
    /// Whether the calling token belongs to this session.
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

/// Credentials of a user.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SessionCreate {
    /// E-mail address of the user, case-insensitive.
    pub(super) email: String,
    /// Password of the user.
    pub(super) password: String,
}

/// Second step of a sign-in.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SessionVerifyMfa {
    /// The `challenge` from the `MFA_REQUIRED` response.
    pub(super) challenge: String,
    /// The 6 digits that the authenticator app currently shows, or a recovery code. Each is valid for one use. Case,
    /// spaces and hyphens are ignored.
    pub(super) code: String,
}

/// One of the two proofs: a password or a code.
#[derive(serde::Deserialize, InputType)]
pub(super) struct ReauthenticationInput {
    /// Password of the user.
    pub(super) password: Option<String>,
    /// The 6 digits that the authenticator app currently shows, or a recovery code. Case, spaces and hyphens are
    /// ignored.
    pub(super) code: Option<String>,
}
