//! Resolvers of sessions.

mod types;

use labs_core::context::{RefreshCookie, RequestContext};
use labs_core::email::EmailAddress;
use labs_core::fault::{Code, Fault};
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_crypto::refresh::{RefreshToken, RefreshVerdict, verify_turn};
use labs_crypto::secret::{SecretKind, SecretText};
use labs_mail::message::SecurityEvent as Notified;
use labs_mail::outbox;
use uuid::Uuid;

use super::RenewalLimiter;
use super::list::OWN_SESSIONS;
use super::opening::{answer, challenge, err_session_ended, err_wrong_credentials, lock_session, record_step, sign_in};
use super::own::{err_busy, load_own, prove_password};
use super::rules::{self, Proof};
use super::store::{self, Credentials, SessionRow};
use crate::auth::attempts::{self, Subject};
use crate::auth::mfa;
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};

pub(in crate::auth::sessions) use types::SignedIn;
use types::{
    Reauthenticated, ReauthenticationInput, Session, SessionCreate, SessionVerifyMfa, SignedOut, SignedOutEverywhere,
};

/// Operations of this file.
pub(in crate::auth) const OPERATIONS: &[Operation] = operations![
    auth_sessions_list,
    auth_sessions_create,
    auth_sessions_verify_mfa,
    auth_sessions_refresh,
    auth_sessions_sign_out,
    auth_sessions_sign_out_everywhere,
    auth_sessions_delete,
    auth_sessions_reauthenticate,
];

/// List the caller's sessions.
#[operation(query, access = "auth.account")]
async fn auth_sessions_list(
    cx: &RequestContext,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<Session>, Fault> {
    let own = load_own(cx)?;
    let rows = OWN_SESSIONS.page(cx, &own.person_uuid, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.map(|session| Ok(Session::of(session, own.session_uuid)))?.list())
}

/// Sign in.
#[operation(mutation, access = "public")]
async fn auth_sessions_create(cx: &RequestContext, body: SessionCreate) -> Result<SignedIn, Fault> {
    let email = EmailAddress::parse(&body.email).map_err(|_| err_wrong_credentials())?;
    let subjects = Subject::subjects_of_password(email.normalised(), cx.caller.address);
    let aside = cx.db.outside_transaction();
    attempts::check(cx, &aside, &subjects).await?;
    let person = store::get_credentials(&aside, email.normalised()).await?;
    let hash = person.as_ref().and_then(|person| person.password_hash.as_deref());
    let password = SecretText::new(body.password);
    let verdict = cx.services.passwords.verify(password.clone(), hash).await.map_err(err_busy)?;
    // Other attempts may have failed while this one was checked.
    attempts::check(cx, &aside, &subjects).await?;
    let Some(person) = person.as_ref().filter(|_| verdict.matches) else {
        attempts::record_failure(cx, &subjects).await?;
        failure(SecurityEventKind::SignIn, person.as_ref()).write(cx).await?;
        return Err(err_wrong_credentials().keep_writes());
    };
    ensure_active(person)?;
    if verdict.needs_rehash {
        let better = cx.services.passwords.hash(password).await.map_err(err_busy)?;
        store::set_password_hash(&cx.db, person, &better).await?;
    }
    if person.has_totp {
        return Err(challenge(cx, person).await?);
    }
    attempts::record_success(cx, &subjects).await?;
    sign_in(cx, person, false).await
}

/// Verify the second factor at sign-in.
#[operation(mutation, access = "public")]
async fn auth_sessions_verify_mfa(cx: &RequestContext, body: SessionVerifyMfa) -> Result<SignedIn, Fault> {
    let digest = SecretKind::OneTime.digest(&body.challenge).ok_or_else(err_void_challenge)?;
    let tried = store::try_challenge(&cx.db, &digest, rules::CHALLENGE_ATTEMPTS).await?;
    let person_uuid = tried.ok_or_else(err_void_challenge)?;
    store::lock_person(&cx.db, person_uuid).await?;
    let person = store::credentials_of(&cx.db, person_uuid).await?.ok_or_else(err_void_challenge)?;
    ensure_active(&person)?;
    let subjects = Subject::subjects_of_factor(person_uuid, cx.caller.address);
    attempts::check(cx, &cx.db, &subjects).await?;
    if !mfa::accept(cx, person_uuid, person.partner_uuid, &body.code).await? {
        mfa::count_wrong(cx, person_uuid).await?;
        failure(SecurityEventKind::SecondFactor, Some(&person)).write(cx).await?;
        return Err(err_wrong_code().keep_writes());
    }
    if !store::set_challenge_used(&cx.db, &digest).await? {
        return Err(err_void_challenge());
    }
    // Resets the password attempts, too: a client that gave both proofs is the owner.
    let slate = [subjects, Subject::subjects_of_password(&person.email_normalised, cx.caller.address)].concat();
    attempts::record_success(cx, &slate).await?;
    record_step(cx, &person, SecurityEventKind::SecondFactor).await?;
    sign_in(cx, &person, true).await
}

/// Refresh an access token.
#[operation(mutation, access = "cookie")]
async fn auth_sessions_refresh(
    cx: &RequestContext,
    /// No fields: the cookie is sufficient.
    _body: Option<serde_json::Value>,
) -> Result<SignedIn, Fault> {
    let presented = read_refresh_token(cx)?;
    let session = lock_session(cx, presented.session_uuid).await?;
    if ensure_people_active(&session.person_state, session.partner_state.as_deref()).is_err() {
        return Err(err_session_ended());
    }
    let current = u64::try_from(session.counter).unwrap_or_default();
    match verify_turn(presented.counter, current, session.counter_changed_at.0, session.read_at.0) {
        RefreshVerdict::Rotate => {
            cx.services.state::<RenewalLimiter>().spend(session.person_uuid)?;
            let idle = cx.now.plus_seconds(rules::IDLE_SECONDS).min(session.expires_at);
            store::set_rotated(&cx.db, session.session_uuid, session.counter + 1, idle).await?;
            Ok(answer(cx, &session, current + 1).await?)
        }
        RefreshVerdict::RepeatCurrent => {
            cx.services.state::<RenewalLimiter>().spend(session.person_uuid)?;
            Ok(answer(cx, &session, current).await?)
        }
        RefreshVerdict::Reused => Err(end_reused_session(cx, &session).await?),
    }
}

/// Sign out of the current session.
#[operation(mutation, access = "cookie")]
async fn auth_sessions_sign_out(
    cx: &RequestContext,
    /// No fields: the cookie is sufficient.
    _body: Option<serde_json::Value>,
) -> Result<SignedOut, Fault> {
    let session = lock_session(cx, read_refresh_token(cx)?.session_uuid).await?;
    cx.set_cookie(RefreshCookie::Clear);
    if store::set_ended(&cx.db, session.session_uuid, "SIGNED_OUT").await? {
        let event = NewSecurityEvent::new(SecurityEventKind::SignOut, true)
            .with_subject(session.person_uuid, session.partner_uuid);
        event.in_session(session.session_uuid).write(cx).await?;
    }
    Ok(SignedOut { status: "SIGNED_OUT" })
}

/// Sign out of all sessions.
#[operation(mutation, access = "auth.account:write")]
async fn auth_sessions_sign_out_everywhere(
    cx: &RequestContext,
    /// No fields: the token is sufficient.
    _body: Option<serde_json::Value>,
) -> Result<SignedOutEverywhere, Fault> {
    let own = load_own(cx)?;
    // Waits for a concurrent sign-in of the user, so that its session ends, too.
    store::lock_person(&cx.db, own.person_uuid).await?;
    let sessions_ended = store::end_all(&cx.db, own.person_uuid, None, "SIGNED_OUT_EVERYWHERE").await?;
    cx.set_cookie(RefreshCookie::Clear);
    own.event(SecurityEventKind::SignOutEverywhere, true).write(cx).await?;
    Ok(SignedOutEverywhere { status: "SIGNED_OUT", sessions_ended })
}

/// End one of the caller's sessions.
#[operation(mutation, access = "auth.account:write")]
async fn auth_sessions_delete(cx: &RequestContext, session_uuid: Uuid) -> Result<bool, Fault> {
    let own = load_own(cx)?;
    if !store::end_own(&cx.db, own.person_uuid, session_uuid, "ENDED").await? {
        return Err(Fault::not_found("session"));
    }
    let event =
        NewSecurityEvent::new(SecurityEventKind::SessionEnded, true).with_subject(own.person_uuid, own.partner_uuid);
    event.in_session(session_uuid).write(cx).await?;
    Ok(true)
}

/// Reauthenticate the current session.
#[operation(mutation, access = "auth.account:write")]
async fn auth_sessions_reauthenticate(
    cx: &RequestContext,
    body: ReauthenticationInput,
) -> Result<Reauthenticated, Fault> {
    let own = load_own(cx)?;
    let by_code = match rules::proof(body.password, body.code)? {
        Proof::Password(password) => {
            // The password alone must not suffice to remove or replace the second factor (OWASP ASVS 5.0, 7.5.1).
            if mfa::is_active(&cx.db, own.person_uuid).await? {
                return Err(rules::err_code_required());
            }
            let password = SecretText::new(password);
            let person =
                prove_password(cx, &own, &password, (SecurityEventKind::Reauthentication, "/password")).await?;
            let subjects = Subject::subjects_of_password(&person.email_normalised, cx.caller.address);
            attempts::record_success(cx, &subjects).await?;
            false
        }
        Proof::Code(code) => {
            let subjects = Subject::subjects_of_factor(own.person_uuid, cx.caller.address);
            store::lock_person(&cx.db, own.person_uuid).await?;
            attempts::check(cx, &cx.db, &subjects).await?;
            if !mfa::accept(cx, own.person_uuid, own.partner_uuid, &code).await? {
                mfa::count_wrong(cx, own.person_uuid).await?;
                own.event(SecurityEventKind::Reauthentication, false).write(cx).await?;
                return Err(rules::err_wrong_code().keep_writes());
            }
            attempts::record_success(cx, &subjects).await?;
            true
        }
    };
    let at = store::set_reauthenticated(&cx.db, own.session_uuid, by_code).await?.ok_or_else(err_session_ended)?;
    own.event(SecurityEventKind::Reauthentication, true).write(cx).await?;
    Ok(Reauthenticated { status: "REAUTHENTICATED", reauthenticated_at: at, expires_in: rules::FRESH_SECONDS })
}

/// Creates the security event of a failed proof, for the user whose account was tried, if known.
fn failure(kind: SecurityEventKind, person: Option<&Credentials>) -> NewSecurityEvent {
    let event = NewSecurityEvent::new(kind, false);
    match person {
        Some(person) => event.with_subject(person.person_uuid, person.partner_uuid),
        None => event,
    }
}

/// Ends the session of a reused refresh token, with a security event and a mail. The token may have been stolen.
async fn end_reused_session(cx: &RequestContext, session: &SessionRow) -> Result<Fault, Fault> {
    store::end_own(&cx.db, session.person_uuid, session.session_uuid, "REFRESH_REUSED").await?;
    let event = NewSecurityEvent::new(SecurityEventKind::RefreshReused, false)
        .with_subject(session.person_uuid, session.partner_uuid);
    event.in_session(session.session_uuid).write(cx).await?;
    outbox::queue_notice(cx, session.person_uuid, Notified::RefreshReused).await?;
    Ok(Fault::new(
        Code::RefreshReused,
        "This refresh token was already used, so the session was ended for security. Sign in again. If it was not \
         you, change your password.",
    )
    .keep_writes())
}

fn read_refresh_token(cx: &RequestContext) -> Result<RefreshToken, Fault> {
    let text = cx.caller.credentials.refresh.as_deref();
    text.and_then(|text| cx.services.refresh.open(text)).ok_or_else(|| {
        let detail = "Send the refresh cookie that the sign-in set. The cookie is Secure: strict clients, for \
                      example Python's requests, send it only over https://, even to the same machine.";
        Fault::new(Code::Unauthenticated, detail)
    })
}

fn ensure_active(person: &Credentials) -> Result<(), Fault> {
    if person.state == "UNVERIFIED" {
        return Err(Fault::new(
            Code::EmailUnverified,
            "The e-mail address is not verified. Send the token from the e-mail and this password to POST \
             /v1/auth/registrations:verify-email.",
        ));
    }
    ensure_people_active(&person.state, person.partner_state.as_deref())
}

fn ensure_people_active(person: &str, partner: Option<&str>) -> Result<(), Fault> {
    match (person, partner) {
        ("ACTIVE", None | Some("ACTIVE" | "CLOSING")) => Ok(()),
        ("ACTIVE", Some(_)) => Err(Fault::new(
            Code::PartnerSuspended,
            "This partner account is not active. The e-mail about it states the reason. The platform's support can \
             help.",
        )),
        _ => Err(Fault::new(
            Code::AccountLocked,
            "This account is locked or suspended. Ask your team's administrator or the platform's support.",
        )),
    }
}

fn err_wrong_code() -> Fault {
    Fault::new(
        Code::InvalidCredentials,
        "The code is wrong or was already used. Wait for the next one, or use a recovery code.",
    )
}

fn err_void_challenge() -> Fault {
    Fault::new(
        Code::InvalidCredentials,
        "This sign-in has expired or was attempted too often. Start again with e-mail address and password.",
    )
    .keep_writes()
}
