//! The caller's own session, and its recent proofs.

use labs_blocking::BlockingError;
use labs_core::context::RequestContext;
use labs_core::fault::{Code, Fault};
use labs_core::principal::PrincipalType;
use labs_crypto::secret::SecretText;
use uuid::Uuid;

use super::rules;
use super::store::{self, Credentials};
use crate::auth::attempts::{self, Subject};
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};

/// The caller as a user in a session.
#[derive(Clone, Copy, Debug)]
pub struct OwnSession {
    /// UUID of the user.
    pub(in crate::auth) person_uuid: Uuid,
    /// Partner of the user's team; none for staff.
    pub(in crate::auth) partner_uuid: Option<Uuid>,
    /// UUID of the session.
    pub(in crate::auth) session_uuid: Uuid,
    /// Whether the user is a staff member.
    pub(in crate::auth) is_staff: bool,
}

impl OwnSession {
    /// Creates a security event for an action or an attempt of the caller.
    pub(in crate::auth) fn event(&self, kind: SecurityEventKind, succeeded: bool) -> NewSecurityEvent {
        NewSecurityEvent::new(kind, succeeded)
            .with_subject(self.person_uuid, self.partner_uuid)
            .in_session(self.session_uuid)
    }
}

/// Returns the caller's own session.
///
/// # Errors
/// [`Code::ScopeMissing`] for a machine client: it has no account, regardless of its scopes.
pub(in crate::auth) fn load_own(cx: &RequestContext) -> Result<OwnSession, Fault> {
    let principal = cx.principal()?;
    let session_uuid = principal.session_uuid.ok_or_else(|| Fault::scope("auth.account"))?;
    Ok(OwnSession {
        person_uuid: principal.uuid,
        partner_uuid: principal.partner_uuid,
        session_uuid,
        is_staff: principal.kind == PrincipalType::StaffUser,
    })
}

/// Returns the caller's own session if it was opened or reauthenticated recently. It is re-read from the database,
/// because the token cache of a replica may be slightly older than the reauthentication.
///
/// # Errors
/// [`Code::ReauthenticationRequired`] otherwise.
pub async fn require_fresh(cx: &RequestContext) -> Result<OwnSession, Fault> {
    let own = load_own(cx)?;
    if store::is_fresh(&cx.db, own.session_uuid, rules::FRESH_SECONDS).await? {
        return Ok(own);
    }
    Err(Fault::new(
        Code::ReauthenticationRequired,
        format!(
            "This operation requires a password or code entered in the last {} minutes. Call POST \
             /v1/auth/sessions:reauthenticate, then repeat the request.",
            rules::FRESH_SECONDS / 60
        ),
    ))
}

/// Checks the caller's password. A correct password writes nothing, so that a caller who continues with hashing holds
/// no connection. A wrong password is counted and logged as a failure of `kind`.
///
/// # Errors
/// [`Code::ValidationFailed`] at `pointer` for a wrong password, [`Code::RateLimited`] after too many.
pub(in crate::auth) async fn prove_password(
    cx: &RequestContext,
    own: &OwnSession,
    password: &SecretText,
    (kind, pointer): (SecurityEventKind, &str),
) -> Result<Credentials, Fault> {
    let aside = cx.db.outside_transaction();
    let person = store::credentials_of(&aside, own.person_uuid).await?.ok_or_else(|| Fault::not_found("account"))?;
    let subjects = Subject::subjects_of_password(&person.email_normalised, cx.caller.address);
    attempts::check(cx, &aside, &subjects).await?;
    let verdict = cx.services.passwords.verify(password.clone(), person.password_hash.as_deref()).await;
    let verdict = verdict.map_err(err_busy)?;
    // Other attempts may have failed while this one was checked.
    attempts::check(cx, &aside, &subjects).await?;
    if verdict.matches {
        return Ok(person);
    }
    attempts::record_failure(cx, &subjects).await?;
    own.event(kind, false).write(cx).await?;
    let message = "The password is wrong. If you have forgotten it, reset it with POST /v1/auth/password-resets.";
    Err(Fault::field(pointer, "WRONG_PASSWORD", message).keep_writes())
}

/// The fault if too many passwords wait to be checked.
pub(in crate::auth) fn err_busy(_: BlockingError) -> Fault {
    Fault::unavailable("Too many sign-ins are in progress. Try again in a moment.")
}
