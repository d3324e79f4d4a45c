//! The session of whoever calls, and what it has proved lately.

use uuid::Uuid;

use super::rules;
use super::store::{self, Credentials};
use crate::auth::attempts::{self, Subject};
use crate::auth::security_events::{LedgerEntry, SecurityEventKind};
use crate::core::blocking::BlockingError;
use crate::core::context::RequestContext;
use crate::core::crypto::secret::SecretText;
use crate::core::fault::{Code, Fault};
use crate::core::principal::PrincipalType;

/// The caller as a person in a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    /// Who.
    pub(in crate::auth) person_uuid: Uuid,
    /// Of which partner's team; none for staff.
    pub(in crate::auth) partner_uuid: Option<Uuid>,
    /// In which session.
    pub(in crate::auth) session_uuid: Uuid,
    /// Whether it is somebody of the staff.
    pub(in crate::auth) is_staff: bool,
}

impl Own {
    /// Something that the caller did or tried, for the ledger.
    pub(in crate::auth) const fn event(&self, kind: SecurityEventKind, succeeded: bool) -> LedgerEntry {
        LedgerEntry::new(kind, succeeded).about(self.person_uuid, self.partner_uuid).within(self.session_uuid)
    }
}

/// The caller's own session.
///
/// # Errors
/// [`Code::ScopeMissing`] for a program: it has no account, whatever its scopes say.
pub(in crate::auth) fn load_own(cx: &RequestContext) -> Result<Own, Fault> {
    let principal = cx.principal()?;
    let session_uuid = principal.session_uuid.ok_or_else(|| Fault::scope("auth.account"))?;
    Ok(Own {
        person_uuid: principal.uuid,
        partner_uuid: principal.partner_uuid,
        session_uuid,
        is_staff: principal.kind == PrincipalType::StaffUser,
    })
}

/// The caller's own session, which was opened or reauthenticated a short while ago. It is looked up anew: what a
/// replica keeps of a token may be a moment older than the reauthentication.
///
/// # Errors
/// [`Code::ReauthenticationRequired`] when it was not.
pub(crate) async fn fresh(cx: &RequestContext) -> Result<Own, Fault> {
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

/// Whether this is the caller's password; nothing is written when it is, so that no connection is held by whoever goes
/// on hashing. A wrong one is counted and noted in the ledger as a failure of `kind`.
///
/// # Errors
/// [`Code::ValidationFailed`] at `pointer` for a wrong one, [`Code::RateLimited`] after too many.
pub(in crate::auth) async fn prove_password(
    cx: &RequestContext,
    own: &Own,
    password: &SecretText,
    (kind, pointer): (SecurityEventKind, &str),
) -> Result<Credentials, Fault> {
    let aside = cx.db.aside();
    let person = store::credentials_of(&aside, own.person_uuid).await?.ok_or_else(|| Fault::not_found("account"))?;
    let subjects = Subject::of_password(&person.email_normalised, cx.caller.address);
    attempts::check(cx, &aside, &subjects).await?;
    let verdict = cx.services.passwords.verify(password.clone(), person.password_hash.as_deref()).await;
    let verdict = verdict.map_err(busy)?;
    // Others may have failed while this one was judged.
    attempts::check(cx, &aside, &subjects).await?;
    if verdict.matches {
        return Ok(person);
    }
    attempts::record_failure(cx, &subjects).await?;
    own.event(kind, false).write(cx).await?;
    let message = "The password is wrong. If you have forgotten it, reset it with POST /v1/auth/password-resets.";
    Err(Fault::field(pointer, "WRONG_PASSWORD", message).keep_writes())
}

/// The answer when too many passwords wait to be looked at.
pub(in crate::auth) fn busy(_: BlockingError) -> Fault {
    Fault::unavailable("Too many sign-ins are in progress. Try again in a moment.")
}
