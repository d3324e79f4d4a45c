//! Resolvers of passwords.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::describe::{InputType, OutputType};
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::operation::{Operation, operation, operations};
use labs_core::services::Services;
use labs_core::time::Time;
use labs_crypto::secret::{SecretKind, SecretText};
use labs_mail::message::{Asking as AskingFor, MailContent, SecurityEvent as Notified};
use labs_mail::outbox;
use serde_json::Value;

use super::store::HolderRow;
use super::{RESET_MAIL, rules, store};
use crate::auth::attempts::{self, Subject};
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};
use crate::auth::sessions::{end_all, err_busy, load_own, prove_password};

/// Receipt for the requested reset.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PasswordResetReceipt {
    /// If the address has an account, the service sends an e-mail to it.
    status: &'static str,
    /// Address from the request.
    email: String,
    /// Seconds until the token in the e-mail expires.
    expires_in: i64,
}

/// The completed password reset.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PasswordReset {
    /// Result of the reset.
    status: &'static str,
    /// Time when the password was set.
    reset_at: Time,
}

/// Account whose password is to be reset.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PasswordResetRequest {
    /// E-mail address that the user signs in with, case-insensitive.
    email: String,
}

/// Token from an e-mail, and the new password.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PasswordResetConfirmation {
    /// Token from the e-mail, unchanged.
    token: String,
    /// New password.
    password: String,
}

/// The current password and the new password.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PasswordChange {
    /// Password that the user has signed in with so far.
    current_password: String,
    /// New password.
    new_password: String,
}

/// Operations of this file.
pub(in crate::auth) const OPERATIONS: &[Operation] =
    operations![auth_passwords_request_reset, auth_passwords_confirm_reset, auth_passwords_change];

/// Request a password reset.
#[operation(mutation, access = "public")]
async fn auth_passwords_request_reset(
    cx: &RequestContext,
    body: PasswordResetRequest,
) -> Result<PasswordResetReceipt, Fault> {
    let email = EmailAddress::parse(&body.email)
        .map_err(|problem| Fault::field("/email", "FORMAT", format!("This address cannot be used: {problem}.")))?;
    let person = store::load_addressee(&cx.db, email.normalised()).await?;
    // From here on, known and unknown addresses cost the same work.
    let address = person.as_ref().map_or(email.as_str(), |person| person.email.as_str());
    let remaining = outbox::remaining_for(cx, address, &[RESET_MAIL]).await?;
    let person = person.filter(|_| remaining.left > 0);
    let token = SecretKind::OneTime.issue();
    let expires_at = cx.now.plus_seconds(rules::RESET_SECONDS);
    let person_uuid = person.as_ref().and_then(|person| person.person_uuid);
    store::insert_token(&cx.db, person_uuid, &token.digest, expires_at).await?;
    let mut event = NewSecurityEvent::new(SecurityEventKind::PasswordResetRequested, person.is_some());
    (event.person_uuid, event.partner_uuid) = (person_uuid, person.as_ref().and_then(|person| person.partner_uuid));
    event.write(cx).await?;
    outbox::queue_perhaps(cx, person.as_ref(), |name| {
        MailContent::with_token(AskingFor::ResetPassword { name }, token.text, expires_at.0)
    })
    .await?;
    Ok(PasswordResetReceipt { status: "RESET_SENT", email: body.email, expires_in: rules::RESET_SECONDS })
}

/// Confirm a password reset.
#[operation(mutation, access = "public", find_faults = find_faults)]
async fn auth_passwords_confirm_reset(
    cx: &RequestContext,
    body: PasswordResetConfirmation,
) -> Result<PasswordReset, Fault> {
    let password = SecretText::new(body.password);
    // The reset is validated and the password hashed before the token is consumed. A rejected password therefore
    // leaves the token valid.
    let (held, errors) =
        validate_reset(&cx.services, &cx.db.outside_transaction(), &body.token, Some(&password)).await?;
    let Some((digest, holder)) = held.filter(|_| errors.is_empty()) else { return Err(Fault::invalid(errors)) };
    let hash = cx.services.passwords.hash(password).await.map_err(err_busy)?;
    let used = store::set_token_used(&cx.db, &digest).await?;
    let used = used.filter(|used| used.person_uuid == holder.person_uuid).ok_or_else(rules::err_void_token)?;
    let reset_at = store::set_reset(&cx.db, used.person_uuid, &hash).await?;
    end_all(&cx.db, used.person_uuid, None, "PASSWORD_RESET").await?;
    attempts::forget_password(&cx.db, &used.email_normalised).await?;
    let kind =
        if used.is_invitation { SecurityEventKind::InvitationAccepted } else { SecurityEventKind::PasswordReset };
    NewSecurityEvent::new(kind, true).with_subject(used.person_uuid, used.partner_uuid).write(cx).await?;
    if !used.is_invitation {
        outbox::queue_notice(cx, used.person_uuid, Notified::PasswordReset).await?;
    }
    Ok(PasswordReset { status: "PASSWORD_RESET", reset_at })
}

/// Change the caller's password.
#[operation(mutation, access = "auth.account:write")]
async fn auth_passwords_change(cx: &RequestContext, body: PasswordChange) -> Result<bool, Fault> {
    let own = load_own(cx)?;
    let (current, new) = (SecretText::new(body.current_password), SecretText::new(body.new_password));
    let person = prove_password(cx, &own, &current, (SecurityEventKind::PasswordChanged, "/current_password")).await?;
    if current.same_as(&new) {
        return Err(rules::err_same_password());
    }
    let hash = hash_password(cx, new, "/new_password", (&person.email, &person.name)).await?;
    if !store::set_changed(&cx.db, own.person_uuid, &hash, person.password_changed_at).await? {
        return Err(rules::err_stale());
    }
    end_all(&cx.db, own.person_uuid, Some(own.session_uuid), "PASSWORD_CHANGED").await?;
    attempts::record_success(cx, &Subject::subjects_of_password(&person.email_normalised, cx.caller.address)).await?;
    own.event(SecurityEventKind::PasswordChanged, true).write(cx).await?;
    outbox::queue_notice(cx, own.person_uuid, Notified::PasswordChanged).await?;
    Ok(true)
}

/// Returns the token of a reset and its user, if the token is valid, and all errors of the reset at once. The password
/// is validated even if the token is void.
async fn validate_reset(
    services: &Services,
    db: &Db,
    token: &str,
    password: Option<&SecretText>,
) -> Result<(Option<([u8; 32], HolderRow)>, Vec<FieldError>), Fault> {
    let held = match SecretKind::OneTime.digest(token) {
        Some(digest) => store::get_holder(db, &digest).await?.map(|holder| (digest, holder)),
        None => None,
    };
    let mut errors = if held.is_some() { Vec::new() } else { rules::err_void_token().errors().to_vec() };
    if let Some(password) = password {
        let (email, name) = held.as_ref().map_or(("", ""), |(_, holder)| (&holder.email, &holder.name));
        let judged = services.passwords.check_rule(password.clone(), email, name).await.map_err(err_busy)?;
        errors.extend(rules::new_password("/password", &judged.err().unwrap_or_default()));
    }
    Ok((held, errors))
}

/// Returns the faults that these rules find in a reset that the contract already rejects.
///
/// # Errors
/// [`labs_core::Code::Unavailable`]
async fn find_faults(services: &Services, db: &Db, body: &Value) -> Result<Vec<FieldError>, Fault> {
    let text = |name| body.get(name).and_then(Value::as_str);
    let password = text("password").map(SecretText::new);
    Ok(validate_reset(services, db, text("token").unwrap_or_default(), password.as_ref()).await?.1)
}

/// Validates a new password for a user with this address and name, and returns its hash.
async fn hash_password(
    cx: &RequestContext,
    new: SecretText,
    pointer: &str,
    (email, name): (&str, &str),
) -> Result<String, Fault> {
    let judged = cx.services.passwords.check_rule(new.clone(), email, name).await.map_err(err_busy)?;
    if let Err(problems) = judged {
        return Err(Fault::invalid(rules::new_password(pointer, &problems)));
    }
    cx.services.passwords.hash(new).await.map_err(err_busy)
}
