//! What may be asked of sessions.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use uuid::Uuid;

use super::rules;
use super::store::{self, Credentials, NewSession, SessionRow};
use crate::access::access;
use crate::ask::{Ask, Asking, RefreshCookie};
use crate::auth::mfa;
use crate::auth::security_events::SecurityEvent;
use crate::fault::{Challenge, Code, Fault};
use crate::keep::email::EmailAddress;
use crate::keep::refresh::{RefreshToken, RefreshVerdict, judge};
use crate::keep::secret::{SecretKind, SecretText};
use crate::keep::token::Claims;
use crate::mail::message::SecurityEvent as Notified;
use crate::outbox;

/// An access token for a person. The refresh token travels in a cookie and never in a body.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SignedIn {
    /// Goes into the Authorization header as `Bearer <access_token>`.
    access_token: String,
    /// Always `Bearer`.
    token_type: &'static str,
    /// Seconds until the token is void.
    expires_in: i64,
}

/// The end of a session.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SignedOut {
    /// `SIGNED_OUT`.
    status: &'static str,
}

/// An e-mail address and a password.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SessionCreate {
    email: String,
    password: String,
}

/// The second step of a sign-in.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SessionVerifyMfa {
    challenge: String,
    code: String,
}

/// Writes of sessions.
#[derive(Default)]
pub(crate) struct SessionsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SessionsMutation {
    /// Signs a person in by e-mail and password.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_sessions_create(&self, ctx: &Context<'_>, body: SessionCreate) -> Result<SignedIn, Fault> {
        let ask = ctx.ask();
        let email = EmailAddress::parse(&body.email).map_err(|_| wrong_credentials())?;
        let subjects = failure_subjects(ask, email.normalised());
        let aside = ask.db.aside();
        if let Some(until) = store::held_until_get(&aside, &subjects).await? {
            return Err(Fault::held_until(ask.now, until));
        }
        let person = store::credentials_get(&aside, email.normalised()).await?;
        let hash = person.as_ref().and_then(|person| person.password_hash.as_deref());
        let password = SecretText::new(body.password);
        let verdict = ask.services.passwords.verify(password.clone(), hash).await.map_err(busy)?;
        let Some(person) = person.filter(|_| verdict.matches) else {
            return Err(failed(ask, &subjects, None).await?);
        };
        standing(&person)?;
        if verdict.needs_rehash {
            let better = ask.services.passwords.hash(password).await.map_err(busy)?;
            store::password_hash_set(&ask.db, person.person_uuid, &better).await?;
        }
        if person.has_totp {
            return Err(challenge(ask, &person).await?);
        }
        store::failures_delete(&ask.db, &subjects).await?;
        sign_in(ask, &person, false).await
    }

    /// Completes a sign-in with the second factor.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_sessions_verify_mfa(&self, ctx: &Context<'_>, body: SessionVerifyMfa) -> Result<SignedIn, Fault> {
        let ask = ctx.ask();
        let digest = SecretKind::OneTime.digest(&body.challenge).ok_or_else(void_challenge)?;
        let tried = store::challenge_try(&ask.db, &digest, rules::CHALLENGE_ATTEMPTS).await?;
        let person_uuid = tried.ok_or_else(void_challenge)?;
        let person = store::credentials_of(&ask.db, person_uuid).await?.ok_or_else(void_challenge)?;
        standing(&person)?;
        let subjects = vec![format!("second_factor:{person_uuid}")];
        if let Some(until) = store::held_until_get(&ask.db, &subjects).await? {
            return Err(Fault::held_until(ask.now, until));
        }
        if !mfa::accept(ask, person_uuid, &body.code).await? {
            return Err(failed(ask, &subjects, Some(&person)).await?);
        }
        if !store::challenge_set_used(&ask.db, &digest).await? {
            return Err(void_challenge());
        }
        store::failures_delete(&ask.db, &subjects).await?;
        half_way(ask, &person, "SECOND_FACTOR").await?;
        sign_in(ask, &person, true).await
    }

    /// Rotates the refresh token and answers a new access token.
    #[graphql(directive = access::apply("cookie".into()))]
    async fn auth_sessions_refresh(
        &self,
        ctx: &Context<'_>,
        #[graphql(name = "body", desc = "Nothing: the cookie says it all.")] _nothing: Option<serde_json::Value>,
    ) -> Result<SignedIn, Fault> {
        let ask = ctx.ask();
        let presented = presented(ask)?;
        let session = going_on(ask, presented.session_uuid).await?;
        if people_stand(&session.person_state, session.partner_state.as_deref()).is_err() {
            return Err(ended());
        }
        let current = u64::try_from(session.counter).unwrap_or_default();
        match judge(presented.counter, current, session.counter_changed_at.0, ask.now.0) {
            RefreshVerdict::Rotate => {
                let idle = ask.now.plus_seconds(rules::IDLE_SECONDS).min(session.expires_at);
                store::set_rotated(&ask.db, session.session_uuid, session.counter + 1, ask.now, idle).await?;
                answer(ask, &session, current + 1)
            }
            RefreshVerdict::RepeatCurrent => answer(ask, &session, current),
            RefreshVerdict::Reused => Err(reused(ask, &session).await?),
        }
    }

    /// Ends the session of the refresh cookie and clears it.
    #[graphql(directive = access::apply("cookie".into()))]
    async fn auth_sessions_sign_out(
        &self,
        ctx: &Context<'_>,
        #[graphql(name = "body", desc = "Nothing: the cookie says it all.")] _nothing: Option<serde_json::Value>,
    ) -> Result<SignedOut, Fault> {
        let ask = ctx.ask();
        let session = going_on(ask, presented(ask)?.session_uuid).await?;
        ask.set_cookie(RefreshCookie::Clear);
        if store::set_ended(&ask.db, session.session_uuid, "SIGNED_OUT").await? {
            let mut event = SecurityEvent::new("SIGN_OUT", true);
            (event.person_uuid, event.partner_uuid) = (Some(session.person_uuid), session.partner_uuid);
            event.session_uuid = Some(session.session_uuid);
            event.write(ask).await?;
        }
        Ok(SignedOut { status: "SIGNED_OUT" })
    }
}

/// Opens a session for a person whose every factor was accepted.
async fn sign_in(ask: &Ask, person: &Credentials, second_factor: bool) -> Result<SignedIn, Fault> {
    let session_uuid = ask.new_uuid();
    let expires_at = rules::expires_at(ask.now, person.session_hours);
    let session = NewSession {
        session_uuid,
        person_uuid: person.person_uuid,
        now: ask.now,
        idle_expires_at: ask.now.plus_seconds(rules::IDLE_SECONDS).min(expires_at),
        expires_at,
        address: ask.caller.address.into(),
        user_agent: ask.caller.user_agent.as_deref(),
        second_factor,
    };
    store::insert(&ask.db, &session).await?;
    let mut event = SecurityEvent::new("SIGN_IN", true);
    (event.person_uuid, event.partner_uuid) = (Some(person.person_uuid), person.partner_uuid);
    event.session_uuid = Some(session_uuid);
    event.write(ask).await?;
    set_cookie(ask, RefreshToken { session_uuid, counter: 0 }, expires_at);
    access_token(ask, person.person_uuid, session_uuid)
}

/// The session of a refresh cookie, held until the transaction ends.
async fn going_on(ask: &Ask, session_uuid: Uuid) -> Result<SessionRow, Fault> {
    let session = store::lock(&ask.db, session_uuid).await?.ok_or_else(no_session)?;
    if session.ended {
        return Err(ended());
    }
    if session.expires_at <= ask.now || session.idle_expires_at <= ask.now {
        return Err(Fault::new(Code::TokenExpired, "The session has run out. Sign in again."));
    }
    Ok(session)
}

/// A new access token beside the current refresh token of a session.
fn answer(ask: &Ask, session: &SessionRow, counter: u64) -> Result<SignedIn, Fault> {
    set_cookie(ask, RefreshToken { session_uuid: session.session_uuid, counter }, session.expires_at);
    access_token(ask, session.person_uuid, session.session_uuid)
}

fn set_cookie(ask: &Ask, token: RefreshToken, expires_at: crate::time::Time) {
    let max_age = expires_at.seconds_since(ask.now).min(rules::IDLE_SECONDS);
    ask.set_cookie(RefreshCookie::Set { token: ask.services.refresh.seal(token).expose().to_owned(), max_age });
}

/// An access token of a person. Its scopes are looked up at use, so it names none.
fn access_token(ask: &Ask, person_uuid: Uuid, session_uuid: Uuid) -> Result<SignedIn, Fault> {
    let claims = Claims {
        sub: person_uuid.to_string(),
        jti: ask.new_uuid(),
        iat: ask.now.unix(),
        nbf: ask.now.unix(),
        exp: ask.now.unix() + rules::ACCESS_TOKEN_SECONDS,
        scope: String::new(),
        client_id: None,
        sid: Some(session_uuid),
    };
    let token = ask.services.authority.ring().sign(&claims).map_err(Fault::internal)?;
    Ok(SignedIn {
        access_token: token.expose().to_owned(),
        token_type: "Bearer",
        expires_in: rules::ACCESS_TOKEN_SECONDS,
    })
}

/// The password was right and a second factor is in force: a challenge that the code must answer.
async fn challenge(ask: &Ask, person: &Credentials) -> Result<Fault, Fault> {
    let token = SecretKind::OneTime.issue();
    let expires_at = ask.now.plus_seconds(rules::CHALLENGE_SECONDS);
    store::challenge_insert(&ask.db, &token.digest, person.person_uuid, expires_at).await?;
    half_way(ask, person, "PASSWORD").await?;
    let mut fault = Fault::new(
        Code::MfaRequired,
        "Send `challenge` with the six digits of your authenticator, or a recovery code, to POST /v1/auth/sessions:verify-mfa.",
    )
    .kept();
    fault.parts_mut().challenge = Some(Challenge {
        challenge: token.text.expose().to_owned(),
        expires_in: rules::CHALLENGE_SECONDS,
        methods: vec!["TOTP", "RECOVERY_CODE"],
    });
    Ok(fault)
}

/// One of the two proofs was accepted: each step has a line of its own in the ledger.
async fn half_way(ask: &Ask, person: &Credentials, kind: &str) -> Result<(), Fault> {
    let mut event = SecurityEvent::new(kind, true);
    (event.person_uuid, event.partner_uuid) = (Some(person.person_uuid), person.partner_uuid);
    event.write(ask).await
}

/// Counts a failure and answers the refusal, the same whatever was wrong.
async fn failed(ask: &Ask, subjects: &[String], person: Option<&Credentials>) -> Result<Fault, Fault> {
    for subject in subjects {
        let failures = store::failure_add(&ask.db, subject).await?;
        if let Some(until) = rules::held_until(failures, ask.now, subject) {
            store::failure_set_held(&ask.db, subject, until).await?;
        }
    }
    let kind = if person.is_some() { "SECOND_FACTOR" } else { "SIGN_IN" };
    let mut event = SecurityEvent::new(kind, false);
    event.person_uuid = person.map(|person| person.person_uuid);
    event.partner_uuid = person.and_then(|person| person.partner_uuid);
    event.write(ask).await?;
    Ok(if person.is_some() { wrong_code().kept() } else { wrong_credentials().kept() })
}

/// A spent refresh token: somebody else may hold the session, so it ends, with an event and a mail.
async fn reused(ask: &Ask, session: &SessionRow) -> Result<Fault, Fault> {
    store::set_ended(&ask.db, session.session_uuid, "REFRESH_REUSED").await?;
    let mut event = SecurityEvent::new("REFRESH_REUSED", false);
    (event.person_uuid, event.partner_uuid) = (Some(session.person_uuid), session.partner_uuid);
    event.session_uuid = Some(session.session_uuid);
    event.write(ask).await?;
    outbox::queue_notice(ask, session.person_uuid, Notified::RefreshReused).await?;
    Ok(Fault::new(
        Code::RefreshReused,
        "This refresh token was used before, so the session was ended for safety. Sign in again; if that was not you, change your password.",
    )
    .kept())
}

fn presented(ask: &Ask) -> Result<RefreshToken, Fault> {
    let text = ask.caller.credentials.refresh.as_deref();
    text.and_then(|text| ask.services.refresh.open(text))
        .ok_or_else(|| Fault::new(Code::Unauthenticated, "Send the refresh cookie that the sign-in set."))
}

/// Failures count for the account from this network, with delays that grow, and for the account in all, with
/// short ones, so that a stranger's guessing never locks the owner out for long.
fn failure_subjects(ask: &Ask, email: &str) -> Vec<String> {
    vec![format!("account:{email}@{}", ask.caller.address), format!("account:{email}")]
}

fn standing(person: &Credentials) -> Result<(), Fault> {
    if person.state == "UNVERIFIED" {
        return Err(Fault::new(
            Code::AccountLocked,
            "The e-mail address is not verified yet. Take the token from the mail to POST /v1/auth/registrations:verify-email.",
        ));
    }
    people_stand(&person.state, person.partner_state.as_deref())
}

fn people_stand(person: &str, partner: Option<&str>) -> Result<(), Fault> {
    match (person, partner) {
        ("ACTIVE", None | Some("ACTIVE" | "CLOSING")) => Ok(()),
        ("ACTIVE", Some(_)) => Err(Fault::new(
            Code::PartnerSuspended,
            "This partner account is not active. The mail about it says why; the platform's support can help.",
        )),
        _ => Err(Fault::new(
            Code::AccountLocked,
            "This account is locked or suspended. Ask your team's administrator or the platform's support.",
        )),
    }
}

fn wrong_credentials() -> Fault {
    Fault::new(
        Code::InvalidCredentials,
        "The e-mail address or the password is not right. Check both, or reset the password.",
    )
}

fn wrong_code() -> Fault {
    Fault::new(
        Code::InvalidCredentials,
        "The code is not right or was used before. Wait for the next one, or use a recovery code.",
    )
}

fn void_challenge() -> Fault {
    Fault::new(
        Code::InvalidCredentials,
        "This sign-in has expired or was tried too often. Start again with e-mail and password.",
    )
    .kept()
}

fn no_session() -> Fault {
    Fault::new(Code::Unauthenticated, "This refresh cookie belongs to no session. Sign in.")
}

fn ended() -> Fault {
    Fault::new(Code::TokenRevoked, "The session was ended. Sign in again.")
}

fn busy(_: crate::keep::lane::LaneError) -> Fault {
    Fault::unavailable("Too many sign-ins at the same time. Try again in a moment.")
}
