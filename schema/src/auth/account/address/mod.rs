//! A change of the address that a person signs in with.
//!
//! ```text
//!  ask ──▶ PENDING ──token from the new address──▶ CONFIRMED
//!            │  │                                      │
//!            │  └──asked for another──▶ SUPERSEDED     │ token from the old address, for 7 days
//!            │                              │          │
//!            └──token from the old address──┴──────────┴──▶ CANCELLED
//! ```
//!
//! Whoever takes a change back gets the address from before it, whatever was changed after it, and every session ends:
//! somebody else may have made the change. That is why the password goes and a reset of it follows by mail, and why a
//! second factor that was confirmed since the change was asked for goes.

pub(super) mod rules;
mod store;

use uuid::Uuid;

use self::rules::{EmailChangeAction, EmailChangeState, after};
use self::store::{ChangeRow, NewChange};
use crate::auth::registrations::give_way;
use crate::auth::security_events::{LedgerEntry, SecurityEventKind};
use crate::auth::sessions::{Own, all_set_ended};
use crate::core::context::RequestContext;
use crate::core::crypto::secret::{SecretKind, SecretText};
use crate::core::email::EmailAddress;
use crate::core::fault::Fault;
use crate::core::mail::message::{Asking, Letter, Notice, SecurityEvent as Notified};
use crate::core::outbox;
use crate::core::outbox::load_addressee;
use crate::core::time::Time;

/// The mails that go to a new address.
const MAIL_KINDS: [&str; 2] = ["CONFIRM_NEW_EMAIL", "EMAIL_TAKEN"];
/// Seconds in which the reset that follows a cancellation must be confirmed.
const RESET_SECONDS: i64 = 86_400;

/// Asks for a change: a token goes to the new address, and a notice with another one to the old. When the new address
/// is somebody else's, that person gets a mail instead, and whoever asked is told nothing of it.
pub(super) async fn request(cx: &RequestContext, own: &Own, email: &EmailAddress) -> Result<(), Fault> {
    let present = store::address_lock(&cx.db, own.person_uuid).await?.ok_or_else(|| Fault::not_found("account"))?;
    if present == email.normalised() {
        return Err(rules::same_address());
    }
    let confirm = begin(cx, own.person_uuid, Some(own.session_uuid), email).await?;
    own.event(SecurityEventKind::EmailChangeRequested, true).write(cx).await?;
    to_new_address(cx, own.person_uuid, email, confirm).await
}

/// The same for a person whom staff help, in no session of theirs: nothing changes before the new address is proved,
/// and the old one can stop it. The address that the person has changes nothing.
///
/// # Errors
/// [`Code::Conflict`](crate::Code::Conflict) when it is somebody else's, [`Code::RateLimited`](crate::Code::RateLimited)
/// when too many were asked for.
pub(crate) async fn request_by_staff(
    cx: &RequestContext,
    person_uuid: Uuid,
    partner_uuid: Option<Uuid>,
    email: &EmailAddress,
) -> Result<(), Fault> {
    let present = store::address_lock(&cx.db, person_uuid).await?.ok_or_else(|| Fault::not_found("user"))?;
    if present == email.normalised() {
        return Ok(());
    }
    if store::holder_get(&cx.db, email.normalised()).await?.is_some() {
        return Err(rules::somebodys());
    }
    if outbox::recent_count(cx, email.as_str(), &MAIL_KINDS).await? >= rules::MAILS_PER_HOUR {
        return Err(rules::too_many());
    }
    let confirm = begin(cx, person_uuid, None, email).await?;
    let event = LedgerEntry::new(SecurityEventKind::EmailChangeRequested, true).about(person_uuid, partner_uuid);
    event.by_staff().write(cx).await?;
    to_new_address(cx, person_uuid, email, confirm).await
}

/// Notes the change in place of any that waits, and tells the old address how to stop it. Answers the token that proves
/// the new one, and until when.
async fn begin(
    cx: &RequestContext,
    person_uuid: Uuid,
    session_uuid: Option<Uuid>,
    email: &EmailAddress,
) -> Result<(SecretText, Time), Fault> {
    if store::count_recent(&cx.db, person_uuid).await? >= rules::CHANGES_PER_HOUR {
        return Err(rules::too_many());
    }
    if let Some(state) = after(EmailChangeState::Pending, EmailChangeAction::Supersede) {
        store::pending_supersede(&cx.db, person_uuid, EmailChangeState::Pending, state).await?;
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
        Letter::asking(Asking::CancelEmailChange { name }, cancel.text, cancel_until.0)
    })
    .await?;
    Ok((confirm.text, confirm_until))
}

/// The mail to the new address; at most a few an hour, whoever asks for them.
async fn to_new_address(
    cx: &RequestContext,
    person_uuid: Uuid,
    email: &EmailAddress,
    (token, until): (SecretText, Time),
) -> Result<(), Fault> {
    let recent = outbox::recent_count(cx, email.as_str(), &MAIL_KINDS).await?;
    let holder_uuid = store::holder_get(&cx.db, email.normalised()).await?;
    let to = load_addressee(&cx.db, holder_uuid.unwrap_or(person_uuid)).await?;
    let mut to = to.filter(|_| recent < rules::MAILS_PER_HOUR);
    if let (Some(to), None) = (&mut to, holder_uuid) {
        to.email = email.as_str().to_owned();
    }
    outbox::queue_perhaps(cx, to.as_ref(), |name| match holder_uuid {
        Some(_) => Letter::Telling(Notice::EmailTaken { name }),
        None => Letter::asking(Asking::ConfirmNewEmail { name }, token, until.0),
    })
    .await
}

/// Until when the old address can take back a change that staff asked for and that is in effect; `None` when there is
/// none. Meanwhile staff take no further step that would let whoever reads the new address in.
pub(crate) async fn open_by_staff(cx: &RequestContext, person_uuid: Uuid) -> Result<Option<Time>, Fault> {
    store::open_by_staff_get(&cx.db, person_uuid).await
}

/// Takes the token from the new address. Answers the address and since when it is the person's.
pub(super) async fn confirm(cx: &RequestContext, token: &str) -> Result<(String, Time), Fault> {
    let change = consume_token(cx, token, "CHANGE_EMAIL").await?;
    let state = after(change.state, EmailChangeAction::Confirm);
    let state = state.filter(|_| change.person_state == "ACTIVE").ok_or_else(rules::void_token)?;
    if change.email_normalised != change.old_email_normalised {
        return Err(rules::void_token());
    }
    become_theirs(cx, &change, &change.new_email, &change.new_email_normalised).await?;
    let cancel = SecretKind::OneTime.issue();
    let cancel_until = cx.now.plus_seconds(rules::CANCEL_SECONDS);
    let changed_at = store::set_confirmed(&cx.db, &change, state, &cancel.digest, cancel_until).await?;
    all_set_ended(&cx.db, change.person_uuid, change.session_uuid, "EMAIL_CHANGED").await?;
    LedgerEntry::new(SecurityEventKind::EmailChanged, true)
        .about(change.person_uuid, change.partner_uuid)
        .write(cx)
        .await?;
    let about = Asking::CancelEmailChange { name: change.name.clone() };
    let letter = Letter::asking(about, cancel.text, cancel_until.0);
    outbox::queue(cx, &change.at(&change.old_email), &letter).await?;
    outbox::queue_notice(cx, change.person_uuid, Notified::EmailChanged).await?;
    Ok((change.new_email, changed_at))
}

/// Takes the token from the old address, and gives the person that address back. Answers it.
pub(super) async fn cancel(cx: &RequestContext, token: &str) -> Result<String, Fault> {
    let change = consume_token(cx, token, "CANCEL_EMAIL_CHANGE").await?;
    let state = after(change.state, EmailChangeAction::Cancel);
    let state = state.filter(|_| change.person_state != "REMOVED").ok_or_else(rules::void_token)?;
    if change.email_normalised != change.old_email_normalised {
        become_theirs(cx, &change, &change.old_email, &change.old_email_normalised).await?;
    }
    let reset = SecretKind::OneTime.issue();
    let reset_until = cx.now.plus_seconds(RESET_SECONDS);
    store::set_cancelled(&cx.db, &change, state, &reset.digest, reset_until).await?;
    if store::later_factor_delete(&cx.db, change.change_uuid).await? {
        let event = LedgerEntry::new(SecurityEventKind::SecondFactorReset, true);
        event.about(change.person_uuid, change.partner_uuid).write(cx).await?;
    }
    all_set_ended(&cx.db, change.person_uuid, None, "EMAIL_CHANGE_CANCELLED").await?;
    let event = LedgerEntry::new(SecurityEventKind::EmailChangeCancelled, true);
    event.about(change.person_uuid, change.partner_uuid).write(cx).await?;
    let about = Asking::ResetPassword { name: change.name.clone() };
    let letter = Letter::asking(about, reset.text, reset_until.0);
    outbox::queue(cx, &change.at(&change.old_email), &letter).await?;
    Ok(change.old_email)
}

async fn consume_token(cx: &RequestContext, token: &str, purpose: &str) -> Result<ChangeRow, Fault> {
    let digest = SecretKind::OneTime.digest(token).ok_or_else(rules::void_token)?;
    store::token_set_used(&cx.db, &digest, purpose).await?.ok_or_else(rules::void_token)
}

/// Gives the person an address that was just proved. A registration that nobody verified gives way.
async fn become_theirs(cx: &RequestContext, change: &ChangeRow, email: &str, normalised: &str) -> Result<(), Fault> {
    let holder_uuid = give_way(&cx.db, normalised).await?;
    let is_free = holder_uuid.is_none_or(|uuid| uuid == change.person_uuid);
    if is_free && store::set_address(&cx.db, change.person_uuid, email, normalised).await? {
        return Ok(());
    }
    Err(rules::address_taken())
}
