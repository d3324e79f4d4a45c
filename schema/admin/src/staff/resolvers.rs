//! Operations on staff members and the scopes that they require.

pub(super) mod types;

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::Created;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use labs_core::scope::ScopeSet;
use labs_crypto::secret::SecretKind;
use labs_mail::message::{Asking as AskingFor, MailContent, SecurityEvent as Notified};
use labs_mail::outbox;
use labs_mail::outbox::load_addressee;
use uuid::Uuid;

use super::list::{MEMBER, STAFF, StaffFilter, StaffSort};
use super::rules::{self, StaffAction, StaffState};
use super::store::{self, LockedStaffRow};
use crate::granters;
use crate::reason::{Reason, Remark};
use labs_identity::auth::mfa;
use labs_identity::auth::security_events::{NewSecurityEvent, SecurityEventKind};
use labs_identity::auth::sessions::end_all;

use types::{StaffCreate, StaffMember, StaffRolesPut, StaffUpdate};

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    admin_staff_list,
    admin_staff_get,
    admin_staff_create,
    admin_staff_update,
    admin_staff_put_roles,
    admin_staff_disable,
    admin_staff_enable,
    admin_staff_reset_mfa,
    admin_staff_sign_out,
];

/// List staff members.
#[operation(query, access = "labs.admin.staff")]
async fn admin_staff_list(
    cx: &RequestContext,
    filter: Option<StaffFilter>,
    sort: Option<StaffSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<StaffMember>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = STAFF.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = STAFF.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(StaffMember::of(row, cx)))?.counted_list(total))
}

/// Get a staff member.
#[operation(query, access = "labs.admin.staff", audit_target(StaffMember, "staff_uuid"), batched)]
async fn admin_staff_get(cx: &RequestContext, staff_uuid: Uuid) -> Result<StaffMember, Fault> {
    load_member(cx, staff_uuid).await
}

/// Create a staff member.
#[operation(mutation, access = "labs.admin.staff:write")]
async fn admin_staff_create(cx: &RequestContext, body: StaffCreate) -> Result<Created<StaffMember>, Fault> {
    let mut errors = Vec::new();
    let name = rules::name(&body.name, &mut errors);
    let email = address(&body.email, &mut errors);
    let known = store::lock_roles(&cx.db, &body.roles).await?;
    let granted = rules::ensure_may_grant(&body.roles, &known, &[], cx.principal()?.scopes);
    let (email, codes) = match (email, granted) {
        (Some(email), Ok(codes)) if errors.is_empty() => (email, codes),
        (_, granted) => {
            errors.extend(granted.err().into_iter().flat_map(|fault| fault.errors().to_vec()));
            return Err(Fault::invalid(errors));
        }
    };
    let person_uuid = cx.new_uuid();
    store::insert(&cx.db, person_uuid, &email, &name, body.locale.as_deref().unwrap_or("en")).await?;
    store::put_roles(&cx.db, person_uuid, &codes, granter(cx)?).await?;
    invite(cx, person_uuid).await?;
    event(cx, person_uuid, SecurityEventKind::Invited).await?;
    Ok(Created::new(person_uuid, load_member(cx, person_uuid).await?))
}

/// Update a staff member.
#[operation(mutation, access = "labs.admin.staff:write", audit_target(StaffMember, "staff_uuid"))]
async fn admin_staff_update(cx: &RequestContext, staff_uuid: Uuid, body: StaffUpdate) -> Result<StaffMember, Fault> {
    let mut errors = Vec::new();
    let member = lock_member(cx, staff_uuid).await?;
    let name = body.name.map(|name| rules::name(&name, &mut errors));
    let email = body.email.map(|email| address(&email, &mut errors));
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    if let Some(name) = name {
        store::set_name(&cx.db, staff_uuid, &name).await?;
    }
    if let Some(email) = email.flatten() {
        move_to(cx, staff_uuid, &member, &email).await?;
    }
    load_member(cx, staff_uuid).await
}

/// Replace a staff member's roles.
#[operation(mutation, access = "labs.admin.staff:write", audit_target(StaffMember, "staff_uuid"))]
async fn admin_staff_put_roles(
    cx: &RequestContext,
    staff_uuid: Uuid,
    body: StaffRolesPut,
) -> Result<StaffMember, Fault> {
    let before = granters::lock(&cx.db).await?;
    let member = lock_member(cx, staff_uuid).await?;
    let own = "You cannot change your own roles. Ask another staff member to change them.";
    rules::ensure_not_oneself(cx.principal()?.uuid, staff_uuid, own)?;
    let known = store::lock_roles(&cx.db, &[body.roles.as_slice(), &member.role_codes].concat()).await?;
    let own = cx.principal()?.scopes;
    let codes = rules::ensure_may_grant(&body.roles, &known, &member.role_codes, own)?;
    rules::ensure_may_revoke(&codes, &known, &member.role_codes, own)?;
    if codes != member.role_codes {
        store::put_roles(&cx.db, staff_uuid, &codes, granter(cx)?).await?;
        granters::ensure_granter_remains(&cx.db, &before).await?;
        event(cx, staff_uuid, SecurityEventKind::RolesChanged).await?;
    }
    load_member(cx, staff_uuid).await
}

/// Disable a staff member.
#[operation(mutation, access = "labs.admin.staff:write", audit_target(StaffMember, "staff_uuid"))]
async fn admin_staff_disable(cx: &RequestContext, staff_uuid: Uuid, body: Reason) -> Result<StaffMember, Fault> {
    body.note(cx);
    let before = granters::lock(&cx.db).await?;
    let member = lock_member(cx, staff_uuid).await?;
    ensure_covers(cx, &member)?;
    let state = rules::next_state(member.state, StaffAction::Disable, member.has_accepted)?;
    store::set_state(&cx.db, staff_uuid, state).await?;
    granters::ensure_granter_remains(&cx.db, &before).await?;
    end_access(cx, staff_uuid, SecurityEventKind::AccountLocked).await?;
    outbox::queue_notice(cx, staff_uuid, Notified::AccountLocked).await?;
    load_member(cx, staff_uuid).await
}

/// Enable a staff member.
#[operation(mutation, access = "labs.admin.staff:write", audit_target(StaffMember, "staff_uuid"))]
async fn admin_staff_enable(cx: &RequestContext, staff_uuid: Uuid, body: Option<Remark>) -> Result<StaffMember, Fault> {
    Remark::note(body, cx);
    let member = lock_member(cx, staff_uuid).await?;
    ensure_covers(cx, &member)?;
    let state = rules::next_state(member.state, StaffAction::Enable, member.has_accepted)?;
    store::set_state(&cx.db, staff_uuid, state).await?;
    event(cx, staff_uuid, SecurityEventKind::AccountUnlocked).await?;
    if state == StaffState::Invited {
        invite(cx, staff_uuid).await?;
    } else {
        outbox::queue_notice(cx, staff_uuid, Notified::AccountUnlocked).await?;
    }
    load_member(cx, staff_uuid).await
}

/// Reset a staff member's second factor.
#[operation(mutation, access = "labs.admin.staff:write", audit_target(StaffMember, "staff_uuid"))]
async fn admin_staff_reset_mfa(cx: &RequestContext, staff_uuid: Uuid, body: Reason) -> Result<StaffMember, Fault> {
    body.note(cx);
    let member = lock_member(cx, staff_uuid).await?;
    let own = "You cannot remove your own second factor here. Use a recovery code, or ask another staff member.";
    rules::ensure_not_oneself(cx.principal()?.uuid, staff_uuid, own)?;
    ensure_covers(cx, &member)?;
    if !mfa::disable_factor(&cx.db, staff_uuid).await? {
        return Err(Fault::conflict(
            "This staff member has no active second factor. They enrol one at their next sign-in.",
        ));
    }
    end_access(cx, staff_uuid, SecurityEventKind::SecondFactorReset).await?;
    outbox::queue_notice(cx, staff_uuid, Notified::SecondFactorReset).await?;
    load_member(cx, staff_uuid).await
}

/// Sign out a staff member from all sessions.
#[operation(mutation, access = "labs.admin.staff:write", audit_target(StaffMember, "staff_uuid"))]
async fn admin_staff_sign_out(
    cx: &RequestContext,
    staff_uuid: Uuid,
    body: Option<Remark>,
) -> Result<StaffMember, Fault> {
    Remark::note(body, cx);
    lock_member(cx, staff_uuid).await?;
    end_all(&cx.db, staff_uuid, None, "SIGNED_OUT_BY_STAFF").await?;
    event(cx, staff_uuid, SecurityEventKind::SignedOutByStaff).await?;
    load_member(cx, staff_uuid).await
}

/// Changes the e-mail address of a staff member. A member whose invitation is open receives a new invitation, even at
/// the same address. Any other member is notified at both addresses and must sign in again.
async fn move_to(
    cx: &RequestContext,
    person_uuid: Uuid,
    member: &LockedStaffRow,
    email: &EmailAddress,
) -> Result<(), Fault> {
    let is_invited = member.state == StaffState::Invited;
    if member.email == email.as_str() && !is_invited {
        return Ok(());
    }
    let own = "You cannot change your own address here. Use POST /v1/auth/account:change-email, which verifies the \
               new address first.";
    rules::ensure_not_oneself(cx.principal()?.uuid, person_uuid, own)?;
    ensure_covers(cx, member)?;
    if is_invited {
        store::set_email(&cx.db, person_uuid, email).await?;
        return invite(cx, person_uuid).await;
    }
    outbox::queue_notice(cx, person_uuid, Notified::EmailChanged).await?;
    store::set_email(&cx.db, person_uuid, email).await?;
    outbox::queue_notice(cx, person_uuid, Notified::EmailChanged).await?;
    end_access(cx, person_uuid, SecurityEventKind::EmailChanged).await
}

/// Ends all access of a staff member: voids all mailed tokens and ends all sessions. Their security events record the
/// cause.
async fn end_access(cx: &RequestContext, person_uuid: Uuid, kind: SecurityEventKind) -> Result<(), Fault> {
    store::set_tokens_void(&cx.db, person_uuid).await?;
    end_all(&cx.db, person_uuid, None, kind.name()).await?;
    event(cx, person_uuid, kind).await
}

/// Mails a token with which the staff member sets a password. It replaces all earlier tokens.
async fn invite(cx: &RequestContext, person_uuid: Uuid) -> Result<(), Fault> {
    let to = load_addressee(&cx.db, person_uuid).await?.ok_or_else(err_not_found)?;
    let token = SecretKind::OneTime.issue();
    let expires_at = cx.now.plus_seconds(rules::INVITATION_SECONDS);
    store::put_invitation(&cx.db, person_uuid, &token.digest, expires_at).await?;
    let about = AskingFor::StaffInvitation { name: to.name.clone(), inviter: cx.principal()?.label.clone() };
    outbox::queue(cx, &to, &MailContent::with_token(about, token.text, expires_at.0)).await
}

/// Rejects changing or disabling the account of a staff member who has more rights than the caller.
fn ensure_covers(cx: &RequestContext, member: &LockedStaffRow) -> Result<(), Fault> {
    rules::ensure_covers(cx.principal()?.scopes, ScopeSet::parse(member.scopes.iter().map(String::as_str)))
}

/// Returns the granting user: the caller, or `None` for a machine client.
fn granter(cx: &RequestContext) -> Result<Option<Uuid>, Fault> {
    let principal = cx.principal()?;
    Ok((principal.kind == PrincipalType::StaffUser).then_some(principal.uuid))
}

/// Writes a security event of a staff member.
async fn event(cx: &RequestContext, person_uuid: Uuid, kind: SecurityEventKind) -> Result<(), Fault> {
    NewSecurityEvent::new(kind, true).with_subject(person_uuid, None).by_staff().write(cx).await
}

fn address(text: &str, errors: &mut Vec<FieldError>) -> Option<EmailAddress> {
    let parsed = EmailAddress::parse(text);
    if let Err(problem) = &parsed {
        errors.push(FieldError::at("/email", "FORMAT", format!("This address cannot be used: {problem}.")));
    }
    parsed.ok()
}

/// Loads the current staff member and names them in the audit record.
async fn load_member(cx: &RequestContext, person_uuid: Uuid) -> Result<StaffMember, Fault> {
    let row = MEMBER.fetch_one(&cx.db, [person_uuid.into()]).await?.ok_or_else(err_not_found)?;
    note(cx, person_uuid, &row.name);
    Ok(StaffMember::of(row, cx))
}

/// Locks the staff member for a change and names them in the audit record.
async fn lock_member(cx: &RequestContext, person_uuid: Uuid) -> Result<LockedStaffRow, Fault> {
    let row = store::lock(&cx.db, person_uuid).await?.ok_or_else(err_not_found)?;
    note(cx, person_uuid, &row.name);
    Ok(row)
}

fn note(cx: &RequestContext, person_uuid: Uuid, name: &str) {
    let (kind, label) = (Some(AuditTargetKind::StaffMember), Some(name.to_owned()));
    cx.note_target(Target { kind, uuid: Some(person_uuid), label, partner_uuid: None });
}

fn err_not_found() -> Fault {
    Fault::not_found("staff member")
}
