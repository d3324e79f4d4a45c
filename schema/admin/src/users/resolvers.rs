//! Operations on users across partners and the scopes that they require.

mod types;

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::list::{PageRequest, SqlValue};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_mail::message::SecurityEvent as Notified;
use labs_mail::outbox;
use labs_mail::outbox::load_addressee;
use uuid::Uuid;

use super::list::{ANYBODY, OF_A_TEAM, SECURITY_EVENTS, SESSIONS, USERS, UserFilter, UserSort, VisibleUsers};
use super::rules::{self, err_not_found};
use super::store::{self, LockedUserRow};
use crate::reason::{Reason, Remark};
use labs_identity::auth::account::{address, person_name};
use labs_identity::auth::people::rules::PersonAction;
use labs_identity::auth::security_events::{
    NewSecurityEvent, PersonEvents, SecurityEvent, SecurityEventFilter, SecurityEventKind,
};
use labs_identity::auth::sessions::OpenSession;
use labs_identity::auth::{attempts, invitations, mfa, passwords, registrations, sessions};
use labs_identity::partner::team::{ActingAs, Team};

pub use types::User;
use types::UserUpdate;

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    admin_users_list,
    admin_users_get,
    admin_users_list_sessions,
    admin_users_list_security_events,
    admin_users_update,
    admin_users_lock,
    admin_users_unlock,
    admin_users_verify_email,
    admin_users_send_password_reset,
    admin_users_reset_mfa,
    admin_users_end_session,
    admin_users_sign_out,
];

/// List users across partners.
#[operation(query, access = "labs.admin.users", audit_partner = "partner_uuid")]
async fn admin_users_list(
    cx: &RequestContext,
    filter: Option<UserFilter>,
    sort: Option<UserSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<User>, Fault> {
    let filter = filter.unwrap_or_default();
    let is_common_text = match &filter.q {
        Some(q) => store::is_common_text(&cx.db, q).await?,
        None => false,
    };
    let shown = VisibleUsers { with_staff: may_see_staff(cx)?, filter, is_common_text };
    let rows = USERS.page(cx, &shown, &PageRequest::new(sort, limit, cursor)).await?;
    let rows = rows.map(|user| Ok(user.for_caller(cx)))?;
    Ok(rows.counted_list(USERS.total(&cx.db, &shown, include_total).await?))
}

/// Get a user.
#[operation(query, access = "labs.admin.users", audit_target(User, "user_uuid"), batched)]
async fn admin_users_get(cx: &RequestContext, user_uuid: Uuid) -> Result<User, Fault> {
    load_user(cx, user_uuid).await
}

/// List a user's sessions.
#[operation(query, access = "labs.admin.users", audit_target(User, "user_uuid"))]
async fn admin_users_list_sessions(
    cx: &RequestContext,
    user_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<OpenSession>, Fault> {
    note_user(cx, user_uuid).await?;
    let rows = SESSIONS.page(cx, &user_uuid, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.counted_list(SESSIONS.total(&cx.db, &user_uuid, include_total).await?))
}

/// List a user's security events.
#[operation(query, access = "labs.admin.users", audit_target(User, "user_uuid"))]
async fn admin_users_list_security_events(
    cx: &RequestContext,
    user_uuid: Uuid,
    filter: Option<SecurityEventFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<SecurityEvent>, Fault> {
    note_user(cx, user_uuid).await?;
    let events = PersonEvents { person_uuid: user_uuid, filter: filter.unwrap_or_default() };
    let rows = SECURITY_EVENTS.page(cx, &events, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.counted_list(SECURITY_EVENTS.total(&cx.db, &events, include_total).await?))
}

/// Update a user.
#[operation(mutation, access = "labs.admin.users:write", audit_target(User, "user_uuid"))]
async fn admin_users_update(cx: &RequestContext, user_uuid: Uuid, body: UserUpdate) -> Result<User, Fault> {
    let mut errors = Vec::new();
    let user = lock_user(cx, user_uuid).await?;
    let name = collect_or_report(body.name.map(|name| person_name(&name, "/name")), &mut errors);
    let email = collect_or_report(body.email.map(|email| parse_email(&email)), &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    if let Some(name) = name {
        store::set_name(&cx.db, user_uuid, &name).await?;
    }
    if let Some(email) = email.filter(|email| email.normalised() != user.email_normalised) {
        rules::ensure_active(&user.state)?;
        address::request_change_by_staff(cx, user_uuid, user.partner_uuid, &email).await?;
    }
    load_user(cx, user_uuid).await
}

/// Lock a user.
#[operation(mutation, access = "labs.admin.users:write", audit_target(User, "user_uuid"))]
async fn admin_users_lock(cx: &RequestContext, user_uuid: Uuid, body: Reason) -> Result<User, Fault> {
    body.note(cx);
    let user = lock_user(cx, user_uuid).await?;
    let state = rules::next_state(&user.state, PersonAction::Lock, user.was_suspended)?;
    store::set_state(&cx.db, user_uuid, state.name(), user.state == "SUSPENDED").await?;
    end_access(cx, &user, SecurityEventKind::AccountLocked).await?;
    if let Some(partner_uuid) = user.partner_uuid {
        // The reason is stored only in the audit record. The partner can read that the invitations were withdrawn.
        let team = Team::named(cx, partner_uuid).await?;
        invitations::revoke_sent_by(cx, team, user_uuid, None, ActingAs::staff(cx, None)).await?;
    }
    outbox::queue_notice(cx, user_uuid, Notified::AccountLocked).await?;
    load_user(cx, user_uuid).await
}

/// Unlock a user.
#[operation(mutation, access = "labs.admin.users:write", audit_target(User, "user_uuid"))]
async fn admin_users_unlock(cx: &RequestContext, user_uuid: Uuid, body: Option<Remark>) -> Result<User, Fault> {
    Remark::note(body, cx);
    let user = lock_user(cx, user_uuid).await?;
    let had_failures = attempts::forget(&cx.db, &user.email_normalised, user_uuid).await?;
    if user.state == "LOCKED" || !had_failures {
        let state = rules::next_state(&user.state, PersonAction::Unlock, user.was_suspended)?;
        store::set_state(&cx.db, user_uuid, state.name(), false).await?;
        outbox::queue_notice(cx, user_uuid, Notified::AccountUnlocked).await?;
    }
    event(&user, SecurityEventKind::AccountUnlocked).write(cx).await?;
    load_user(cx, user_uuid).await
}

/// Verify a user's e-mail address.
#[operation(mutation, access = "labs.admin.users:write", audit_target(User, "user_uuid"))]
async fn admin_users_verify_email(cx: &RequestContext, user_uuid: Uuid, body: Reason) -> Result<User, Fault> {
    body.note(cx);
    let user = lock_user(cx, user_uuid).await?;
    let state = rules::next_state(&user.state, PersonAction::Verify, user.was_suspended)?;
    let proved = (user_uuid, user.email_normalised.as_str());
    registrations::verify_without_token(&cx.db, proved, state, Actor::of(cx.principal()?)).await?;
    event(&user, SecurityEventKind::EmailVerified).write(cx).await?;
    load_user(cx, user_uuid).await
}

/// Send a password reset e-mail to a user.
#[operation(mutation, access = "labs.admin.users:write", audit_target(User, "user_uuid"))]
async fn admin_users_send_password_reset(
    cx: &RequestContext,
    user_uuid: Uuid,
    body: Option<Remark>,
) -> Result<User, Fault> {
    Remark::note(body, cx);
    let user = lock_user(cx, user_uuid).await?;
    rules::ensure_active(&user.state)?;
    rules::ensure_settled(address::open_by_staff(cx, user_uuid).await?)?;
    let to = load_addressee(&cx.db, user_uuid).await?.ok_or_else(err_not_found)?;
    passwords::mail_reset(cx, &to).await?;
    event(&user, SecurityEventKind::PasswordResetRequested).write(cx).await?;
    load_user(cx, user_uuid).await
}

/// Reset a user's second factor.
#[operation(mutation, access = "labs.admin.users:write", audit_target(User, "user_uuid"))]
async fn admin_users_reset_mfa(cx: &RequestContext, user_uuid: Uuid, body: Reason) -> Result<User, Fault> {
    body.note(cx);
    let user = lock_user(cx, user_uuid).await?;
    rules::ensure_settled(address::open_by_staff(cx, user_uuid).await?)?;
    if !mfa::disable_factor(&cx.db, user_uuid).await? {
        return Err(Fault::conflict("This user has no active second factor, so sign-in requires only the password."));
    }
    end_access(cx, &user, SecurityEventKind::SecondFactorReset).await?;
    outbox::queue_notice(cx, user_uuid, Notified::SecondFactorReset).await?;
    load_user(cx, user_uuid).await
}

/// End a user's session.
#[operation(mutation, access = "labs.admin.users:write", audit_target(Session, "session_uuid"))]
async fn admin_users_end_session(cx: &RequestContext, user_uuid: Uuid, session_uuid: Uuid) -> Result<bool, Fault> {
    let user = lock_user(cx, user_uuid).await?;
    if !sessions::end_own(&cx.db, user_uuid, session_uuid, "ENDED_BY_STAFF").await? {
        return Err(Fault::not_found("session of this user"));
    }
    event(&user, SecurityEventKind::SessionEndedByStaff).in_session(session_uuid).write(cx).await?;
    Ok(true)
}

/// Sign out a user from all sessions.
#[operation(mutation, access = "labs.admin.users:write", audit_target(User, "user_uuid"))]
async fn admin_users_sign_out(cx: &RequestContext, user_uuid: Uuid, body: Option<Remark>) -> Result<User, Fault> {
    Remark::note(body, cx);
    let user = lock_user(cx, user_uuid).await?;
    sessions::end_all(&cx.db, user_uuid, None, "SIGNED_OUT_BY_STAFF").await?;
    event(&user, SecurityEventKind::SignedOutByStaff).write(cx).await?;
    load_user(cx, user_uuid).await
}

/// Ends all access of a user, except the option to undo an address change. Their security events record the cause.
async fn end_access(cx: &RequestContext, user: &LockedUserRow, kind: SecurityEventKind) -> Result<(), Fault> {
    store::set_tokens_void(&cx.db, user.person_uuid).await?;
    sessions::end_all(&cx.db, user.person_uuid, None, kind.name()).await?;
    event(user, kind).write(cx).await
}

/// Builds the security event of a staff action on a user.
fn event(user: &LockedUserRow, kind: SecurityEventKind) -> NewSecurityEvent {
    NewSecurityEvent::new(kind, true).with_subject(user.person_uuid, user.partner_uuid).by_staff()
}

fn parse_email(email: &str) -> Result<EmailAddress, FieldError> {
    EmailAddress::parse(email)
        .map_err(|problem| FieldError::at("/email", "FORMAT", format!("This address cannot be used: {problem}.")))
}

/// Returns the usable values of the input. An unusable value is reported with all other errors.
fn collect_or_report<T>(sent: Option<Result<T, FieldError>>, errors: &mut Vec<FieldError>) -> Option<T> {
    sent.and_then(|sent| sent.map_err(|error| errors.push(error)).ok())
}

fn may_see_staff(cx: &RequestContext) -> Result<bool, Fault> {
    Ok(rules::may_see_staff(cx.principal()?.scopes))
}

/// Loads the current user and names them in the audit record.
async fn load_user(cx: &RequestContext, person_uuid: Uuid) -> Result<User, Fault> {
    let shown = if may_see_staff(cx)? {
        ANYBODY.fetch_one(&cx.db, [person_uuid.into()]).await?
    } else {
        OF_A_TEAM.fetch_one(&cx.db, [person_uuid.into(), SqlValue::Nothing]).await?
    };
    let user = shown.ok_or_else(err_not_found)?;
    note(cx, person_uuid, &user.name, user.partner_uuid);
    Ok(user.for_caller(cx))
}

/// Ensures that the user exists and names them in the audit record.
async fn note_user(cx: &RequestContext, person_uuid: Uuid) -> Result<(), Fault> {
    let (name, partner_uuid) =
        store::get_name(&cx.db, person_uuid, may_see_staff(cx)?).await?.ok_or_else(err_not_found)?;
    note(cx, person_uuid, &name, partner_uuid);
    Ok(())
}

/// Locks the user for a change and names them in the audit record.
async fn lock_user(cx: &RequestContext, person_uuid: Uuid) -> Result<LockedUserRow, Fault> {
    let row = store::lock(&cx.db, person_uuid).await?.ok_or_else(err_not_found)?;
    note(cx, person_uuid, &row.name, row.partner_uuid);
    rules::ensure_changeable(row.is_staff, cx.principal()?.scopes)?;
    Ok(row)
}

fn note(cx: &RequestContext, person_uuid: Uuid, name: &str, partner_uuid: Option<Uuid>) {
    let (kind, label) = (Some(AuditTargetKind::User), Some(name.to_owned()));
    cx.note_target(Target { kind, uuid: Some(person_uuid), label, partner_uuid });
}
