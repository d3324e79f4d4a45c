//! Change of a user's sign-in address.
//!
//! ```text
//!  request ──▶ PENDING ──token from the new address──▶ CONFIRMED
//!                │  │                                      │
//!                │  └──another request────▶ SUPERSEDED     │ token from the old address, for 7 days
//!                │                              │          │
//!                └──token from the old address──┴──────────┴──▶ CANCELLED
//! ```
//!
//! A cancellation restores the address from before the change, even if the address was changed again later, and ends
//! every session, because an attacker may have requested the change. For the same reason, it deletes the password and
//! mails a reset, and it deletes a second factor that was confirmed after the request.

pub(super) mod rules;
mod store;

use labs_core::context::RequestContext;
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_crypto::secret::{SecretKind, SecretText};
use labs_mail::message::{Asking, MailContent, Notice, SecurityEvent as Notified};
use labs_mail::outbox;
use labs_mail::outbox::load_addressee;
use uuid::Uuid;

use self::rules::{EmailChangeAction, EmailChangeState, next_state};
use self::store::{ChangeRow, NewChange};
use crate::auth::registrations::give_way;
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};
use crate::auth::sessions::{OwnSession, end_all};

/// Mail kinds that are sent to a new address.
const MAIL_KINDS: [&str; 2] = ["CONFIRM_NEW_EMAIL", "EMAIL_TAKEN"];
/// Seconds until the password reset after a cancellation expires.
const RESET_SECONDS: i64 = 86_400;

/// Requests a change. The new address gets a confirmation token, and the old address gets a notice with a cancellation
/// token. If the new address belongs to another user, that user gets a mail instead and the response does not reveal
/// it.
pub(super) async fn request_change(cx: &RequestContext, own: &OwnSession, email: &EmailAddress) -> Result<(), Fault> {
    let present = store::lock_address(&cx.db, own.person_uuid).await?.ok_or_else(|| Fault::not_found("account"))?;
    if present == email.normalised() {
        return Err(rules::err_same_address());
    }
    let confirm = begin(cx, own.person_uuid, Some(own.session_uuid), email).await?;
    own.event(SecurityEventKind::EmailChangeRequested, true).write(cx).await?;
    to_new_address(cx, own.person_uuid, email, confirm).await
}

/// Requests a change on behalf of a user, by staff and outside a session of the user. The change takes effect only
/// after the new address is verified, and the old address can cancel it. A request for the current address changes
/// nothing.
///
/// # Errors
/// [`Code::Conflict`](labs_core::Code::Conflict) if the address belongs to another user,
/// [`Code::RateLimited`](labs_core::Code::RateLimited) after too many requests.
pub async fn request_change_by_staff(
    cx: &RequestContext,
    person_uuid: Uuid,
    partner_uuid: Option<Uuid>,
    email: &EmailAddress,
) -> Result<(), Fault> {
    let present = store::lock_address(&cx.db, person_uuid).await?.ok_or_else(|| Fault::not_found("user"))?;
    if present == email.normalised() {
        return Ok(());
    }
    if store::get_holder(&cx.db, email.normalised()).await?.is_some() {
        return Err(rules::err_address_in_use());
    }
    if outbox::count_recent(cx, email.as_str(), &MAIL_KINDS).await? >= rules::MAILS_PER_HOUR {
        return Err(rules::err_too_many());
    }
    let confirm = begin(cx, person_uuid, None, email).await?;
    let event =
        NewSecurityEvent::new(SecurityEventKind::EmailChangeRequested, true).with_subject(person_uuid, partner_uuid);
    event.by_staff().write(cx).await?;
    to_new_address(cx, person_uuid, email, confirm).await
}

/// Stores the change, supersedes a pending one, and mails the cancellation token to the old address. Returns the token
/// that verifies the new address, and its expiry.
async fn begin(
    cx: &RequestContext,
    person_uuid: Uuid,
    session_uuid: Option<Uuid>,
    email: &EmailAddress,
) -> Result<(SecretText, Time), Fault> {
    if store::count_recent(&cx.db, person_uuid).await? >= rules::CHANGES_PER_HOUR {
        return Err(rules::err_too_many());
    }
    if let Some(state) = next_state(EmailChangeState::Pending, EmailChangeAction::Supersede) {
        store::supersede_pending(&cx.db, person_uuid, EmailChangeState::Pending, state).await?;
    }
    let (confirm, cancel) = (SecretKind::OneTime.issue(), SecretKind::OneTime.issue());
    let confirm_until = cx.now.plus_seconds(rules::CONFIRM_SECONDS);
    let cancel_until = confirm_until.plus_seconds(rules::CANCEL_SECONDS);
    let new = NewChange {
        change_uuid: cx.new_uuid(),
        person_uuid,
        session_uuid,
        new_email: email.as_str(),
        new_email_normalised: email.normalised(),
        confirm_sha256: &confirm.digest,
        confirm_until,
        cancel_sha256: &cancel.digest,
        cancel_until,
    };
    store::insert(&cx.db, &new).await?;
    outbox::queue_to_person(cx, person_uuid, |name| {
        MailContent::with_token(Asking::CancelEmailChange { name }, cancel.text, cancel_until.0)
    })
    .await?;
    Ok((confirm.text, confirm_until))
}

/// Queues the mail to the new address. Each address gets only a few of these mails an hour, across all senders.
async fn to_new_address(
    cx: &RequestContext,
    person_uuid: Uuid,
    email: &EmailAddress,
    (token, until): (SecretText, Time),
) -> Result<(), Fault> {
    let recent = outbox::count_recent(cx, email.as_str(), &MAIL_KINDS).await?;
    let holder_uuid = store::get_holder(&cx.db, email.normalised()).await?;
    let to = load_addressee(&cx.db, holder_uuid.unwrap_or(person_uuid)).await?;
    let mut to = to.filter(|_| recent < rules::MAILS_PER_HOUR);
    if let (Some(to), None) = (&mut to, holder_uuid) {
        to.email = email.as_str().to_owned();
    }
    outbox::queue_perhaps(cx, to.as_ref(), |name| match holder_uuid {
        Some(_) => MailContent::Telling(Notice::EmailTaken { name }),
        None => MailContent::with_token(Asking::ConfirmNewEmail { name }, token, until.0),
    })
    .await
}

/// Returns the time until which the old address can cancel an effective change that staff requested; `None` if no such
/// change exists. Until then, staff cannot take a further step that would give the reader of the new address access.
pub async fn open_by_staff(cx: &RequestContext, person_uuid: Uuid) -> Result<Option<Time>, Fault> {
    store::get_open_by_staff(&cx.db, person_uuid).await
}

/// Consumes the token from the new address. Returns the address and the time when it became effective.
pub(super) async fn confirm(cx: &RequestContext, token: &str) -> Result<(String, Time), Fault> {
    let change = consume_token(cx, token, "CHANGE_EMAIL").await?;
    let state = next_state(change.state, EmailChangeAction::Confirm);
    let state = state.filter(|_| change.person_state == "ACTIVE").ok_or_else(rules::err_void_token)?;
    if change.email_normalised != change.old_email_normalised {
        return Err(rules::err_void_token());
    }
    assign_address(cx, &change, &change.new_email, &change.new_email_normalised).await?;
    let cancel = SecretKind::OneTime.issue();
    let cancel_until = cx.now.plus_seconds(rules::CANCEL_SECONDS);
    let changed_at = store::set_confirmed(&cx.db, &change, state, &cancel.digest, cancel_until).await?;
    end_all(&cx.db, change.person_uuid, change.session_uuid, "EMAIL_CHANGED").await?;
    NewSecurityEvent::new(SecurityEventKind::EmailChanged, true)
        .with_subject(change.person_uuid, change.partner_uuid)
        .write(cx)
        .await?;
    let about = Asking::CancelEmailChange { name: change.name.clone() };
    let content = MailContent::with_token(about, cancel.text, cancel_until.0);
    outbox::queue(cx, &change.at(&change.old_email), &content).await?;
    outbox::queue_notice(cx, change.person_uuid, Notified::EmailChanged).await?;
    Ok((change.new_email, changed_at))
}

/// Consumes the token from the old address, and restores and returns that address.
pub(super) async fn cancel(cx: &RequestContext, token: &str) -> Result<String, Fault> {
    let change = consume_token(cx, token, "CANCEL_EMAIL_CHANGE").await?;
    let state = next_state(change.state, EmailChangeAction::Cancel);
    let state = state.filter(|_| change.person_state != "REMOVED").ok_or_else(rules::err_void_token)?;
    if change.email_normalised != change.old_email_normalised {
        assign_address(cx, &change, &change.old_email, &change.old_email_normalised).await?;
    }
    let reset = SecretKind::OneTime.issue();
    let reset_until = cx.now.plus_seconds(RESET_SECONDS);
    store::set_cancelled(&cx.db, &change, state, &reset.digest, reset_until).await?;
    if store::delete_later_factor(&cx.db, change.change_uuid).await? {
        let event = NewSecurityEvent::new(SecurityEventKind::SecondFactorReset, true);
        event.with_subject(change.person_uuid, change.partner_uuid).write(cx).await?;
    }
    end_all(&cx.db, change.person_uuid, None, "EMAIL_CHANGE_CANCELLED").await?;
    let event = NewSecurityEvent::new(SecurityEventKind::EmailChangeCancelled, true);
    event.with_subject(change.person_uuid, change.partner_uuid).write(cx).await?;
    let about = Asking::ResetPassword { name: change.name.clone() };
    let content = MailContent::with_token(about, reset.text, reset_until.0);
    outbox::queue(cx, &change.at(&change.old_email), &content).await?;
    Ok(change.old_email)
}

async fn consume_token(cx: &RequestContext, token: &str, purpose: &str) -> Result<ChangeRow, Fault> {
    let digest = SecretKind::OneTime.digest(token).ok_or_else(rules::err_void_token)?;
    store::set_token_used(&cx.db, &digest, purpose).await?.ok_or_else(rules::err_void_token)
}

/// Sets a newly verified address for the user. An unverified registration of the address is dropped.
async fn assign_address(cx: &RequestContext, change: &ChangeRow, email: &str, normalised: &str) -> Result<(), Fault> {
    let holder_uuid = give_way(&cx.db, normalised).await?;
    let is_free = holder_uuid.is_none_or(|uuid| uuid == change.person_uuid);
    if is_free && store::set_address(&cx.db, change.person_uuid, email, normalised).await? {
        return Ok(());
    }
    Err(rules::err_address_taken())
}
