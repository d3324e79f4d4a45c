//! Opens sessions and issues their tokens.

use labs_core::context::{RefreshCookie, RequestContext};
use labs_core::fault::{Challenge, Code, Fault, Reason};
use labs_core::time::Time;
use labs_crypto::refresh::RefreshToken;
use labs_crypto::secret::SecretKind;
use labs_crypto::token::{Claims, FIRST_PARTY};
use uuid::Uuid;

use super::resolvers::SignedIn;
use super::rules;
use super::store::{self, Credentials, NewSession, SessionRow};
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};

/// Opens a session for a user whose factors were all accepted.
pub(super) async fn sign_in(cx: &RequestContext, person: &Credentials, second_factor: bool) -> Result<SignedIn, Fault> {
    let session_uuid = cx.new_uuid();
    let expires_at = rules::expires_at(cx.now, person.session_hours);
    let session = NewSession {
        session_uuid,
        person,
        now: cx.now,
        idle_expires_at: cx.now.plus_seconds(rules::IDLE_SECONDS).min(expires_at),
        expires_at,
        address: cx.caller.address.into(),
        user_agent: cx.caller.user_agent.as_deref(),
        second_factor,
    };
    store::lock_person(&cx.db, person.person_uuid).await?;
    if !store::insert(&cx.db, &session).await? {
        return Err(err_wrong_credentials());
    }
    let event =
        NewSecurityEvent::new(SecurityEventKind::SignIn, true).with_subject(person.person_uuid, person.partner_uuid);
    event.in_session(session_uuid).write(cx).await?;
    set_cookie(cx, RefreshToken { session_uuid, counter: 0 }, expires_at);
    access_token(cx, person.person_uuid, session_uuid, expires_at).await
}

/// Returns the session of a refresh cookie, locked until the transaction ends.
pub(super) async fn lock_session(cx: &RequestContext, session_uuid: Uuid) -> Result<SessionRow, Fault> {
    let session = store::lock(&cx.db, session_uuid).await?.ok_or_else(|| {
        Fault::new(Code::Unauthenticated, "This refresh cookie does not belong to a session. Sign in.")
    })?;
    if session.ended {
        return Err(err_session_ended());
    }
    if session.expires_at <= cx.now || session.idle_expires_at <= cx.now {
        return Err(Fault::new(Code::TokenExpired, "The session has expired. Sign in again."));
    }
    Ok(session)
}

/// Issues a new access token and the current refresh token of a session.
pub(super) async fn answer(cx: &RequestContext, session: &SessionRow, counter: u64) -> Result<SignedIn, Fault> {
    set_cookie(cx, RefreshToken { session_uuid: session.session_uuid, counter }, session.expires_at);
    access_token(cx, session.person_uuid, session.session_uuid, session.expires_at).await
}

/// Creates a challenge after a correct password, because a second factor is active. The code must answer it.
pub(super) async fn challenge(cx: &RequestContext, person: &Credentials) -> Result<Fault, Fault> {
    let token = SecretKind::OneTime.issue();
    let expires_at = cx.now.plus_seconds(rules::CHALLENGE_SECONDS);
    if !store::insert_challenge(&cx.db, &token.digest, person, expires_at).await? {
        return Err(err_wrong_credentials());
    }
    record_step(cx, person, SecurityEventKind::Password).await?;
    let awaited = Challenge {
        challenge: token.text.expose().to_owned(),
        expires_in: rules::CHALLENGE_SECONDS,
        methods: vec!["TOTP", "RECOVERY_CODE"],
    };
    Ok(Fault::of(
        Reason::MfaRequired(awaited),
        "Send `challenge` with the six-digit code of your authenticator app, or a recovery code, to POST \
         /v1/auth/sessions:verify-mfa.",
    )
    .keep_writes())
}

/// Logs the first of two accepted proofs: each step is a separate security event.
pub(super) async fn record_step(
    cx: &RequestContext,
    person: &Credentials,
    kind: SecurityEventKind,
) -> Result<(), Fault> {
    NewSecurityEvent::new(kind, true).with_subject(person.person_uuid, person.partner_uuid).write(cx).await
}

/// The fault for an ended session.
pub(super) fn err_session_ended() -> Fault {
    Fault::new(Code::TokenRevoked, "The session was ended. Sign in again.")
}

/// The fault for wrong credentials. The detail is the same for every cause.
pub(super) fn err_wrong_credentials() -> Fault {
    Fault::new(
        Code::InvalidCredentials,
        "The e-mail address or the password is wrong. Check both, or reset the password.",
    )
}

fn set_cookie(cx: &RequestContext, token: RefreshToken, expires_at: Time) {
    let max_age = expires_at.seconds_since(cx.now).min(rules::IDLE_SECONDS);
    cx.set_cookie(RefreshCookie::Set { token: cx.services.refresh.seal(token).expose().to_owned(), max_age });
}

/// Issues a user's access token, which expires with its session at the latest. It contains the scopes that the user
/// currently has (RFC 9068, 2.2.3); each request reads them again.
async fn access_token(
    cx: &RequestContext,
    person_uuid: Uuid,
    session_uuid: Uuid,
    session_expires_at: Time,
) -> Result<SignedIn, Fault> {
    let seconds = rules::access_token_seconds(cx.now, session_expires_at);
    let mut claims = Claims {
        sub: person_uuid.to_string(),
        jti: cx.new_uuid(),
        iat: cx.now.unix(),
        nbf: cx.now.unix(),
        exp: cx.now.unix() + seconds,
        scope: String::new(),
        client_id: Some(FIRST_PARTY.to_owned()),
        sid: Some(session_uuid),
    };
    let scopes = cx.services.authority.scopes_of_person(&mut *cx.db.conn().await?, &claims).await?;
    claims.scope = scopes.text();
    let token = cx.services.authority.signing_ring(&cx.db).await?.sign(&claims).map_err(Fault::internal)?;
    Ok(SignedIn::new(token.expose().to_owned(), seconds))
}
