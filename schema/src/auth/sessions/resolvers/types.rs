//! What is answered about sessions, and what is sent.

use async_graphql::{InputObject, SimpleObject};
use uuid::Uuid;

use crate::auth::sessions::list::OpenSession;
use crate::core::time::Time;

/// An access token for a person. The refresh token travels in a cookie and never in a body.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SignedIn {
    /// Goes into the Authorization header as `Bearer <access_token>`.
    access_token: String,
    /// Always `Bearer`.
    token_type: &'static str,
    /// Seconds until the token is void.
    expires_in: i64,
}

impl SignedIn {
    /// A token that lives so many seconds.
    pub(in crate::auth::sessions) fn new(access_token: String, expires_in: i64) -> Self {
        Self { access_token, token_type: "Bearer", expires_in }
    }
}

/// The end of a session.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SignedOut {
    /// `SIGNED_OUT`.
    pub(super) status: &'static str,
}

/// The end of every session of a person.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SignedOutEverywhere {
    /// `SIGNED_OUT`.
    pub(super) status: &'static str,
    /// How many sessions were open, this one included.
    pub(super) sessions_ended: i64,
}

/// The password or a code was given again.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Reauthenticated {
    /// `REAUTHENTICATED`.
    pub(super) status: &'static str,
    /// When it was.
    pub(super) reauthenticated_at: Time,
    /// Seconds during which this session may make sensitive changes.
    pub(super) expires_in: i64,
}

/// Where the caller is signed in.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Session {
    /// Whether it is the one that asks.
    current: bool,
    /// The session.
    #[graphql(flatten)]
    #[serde(flatten)]
    session: OpenSession,
}

impl Session {
    /// A session as the session `load_own` sees it.
    pub(super) fn of(session: OpenSession, own: Uuid) -> Self {
        Self { current: session.uuid == own, session }
    }
}

/// An e-mail address and a password.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SessionCreate {
    pub(super) email: String,
    pub(super) password: String,
}

/// The second step of a sign-in.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SessionVerifyMfa {
    pub(super) challenge: String,
    pub(super) code: String,
}

/// One of the two proofs that a person can give again.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReauthenticationInput {
    /// Password of the user.
    pub(super) password: Option<String>,
    /// A code of the authenticator app, or a recovery code.
    pub(super) code: Option<String>,
}
