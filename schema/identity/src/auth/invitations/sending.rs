//! Sends, resends and revokes invitations, for a team and for staff.

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::daily;
use labs_core::email::EmailAddress;
use labs_core::entitlement::Allowance;
use labs_core::fault::Fault;
use labs_core::principal::Role;
use labs_crypto::secret::SecretKind;
use labs_mail::outbox;
use serde_json::json;
use uuid::Uuid;

use super::inviting::{Mail, NewInvitation, invite};
use super::list::OF_A_TEAM;
use super::rules::{self, InvitationAction, InvitationState, next_state};
use super::store::{self, sent};
use super::view::{Invitation, InvitationCreate};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::team::{ActingAs, Team, member_of};
use crate::partner::team_members::rules::{ensure_covered, ensure_grantable, may_give};

/// Mail kind of an invitation.
const MAIL: &str = "INVITATION";

/// Invites an address into a team.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for an address that cannot be invited, and for a role above the caller's own;
/// otherwise as for [`invite`]; [`labs_core::Code::RateLimited`] if the address got too many of these mails.
pub async fn send(
    cx: &RequestContext,
    team: Team,
    new: InvitationCreate,
    acting: ActingAs<'_>,
) -> Result<Invitation, Fault> {
    let (acting, mut errors) = (acting.now(cx, team).await?, Vec::new());
    let email = EmailAddress::parse(&new.email).map_err(|problem| errors.push(rules::err_no_address(problem)));
    if let Err(fault) = ensure_grantable(new.role, acting.own) {
        errors.extend(fault.errors().to_vec());
    }
    let Some(email) = email.ok().filter(|_| errors.is_empty()) else { return Err(Fault::invalid(errors)) };
    ensure_mail_quota(cx, email.as_str()).await?;
    let invitation_uuid = cx.new_uuid();
    let row = NewInvitation {
        invitation_uuid,
        partner_uuid: team.uuid(),
        inviter_uuid: member_of(cx.principal()?),
        email: &email,
        role: new.role,
        locale: new.locale.as_deref().unwrap_or("en"),
    };
    invite(&cx.db, &cx.services, cx.now, cx.new_uuid(), &row).await?;
    count_mail(cx, team, acting).await?;
    record_event(cx, team, invitation_uuid, (PartnerEventKind::InvitationSent, new.role), acting).await?;
    load_invitation(cx, team, invitation_uuid, acting).await
}

/// Sends an invitation again, with a new token and the full time to answer. The old token is void.
///
/// # Errors
/// [`labs_core::Code::NotFound`]; [`labs_core::Code::ScopeMissing`] for a role above the caller's own;
/// [`labs_core::Code::IllegalTransition`] if the invitation was answered or revoked; otherwise as for [`send`].
pub async fn resend(
    cx: &RequestContext,
    team: Team,
    invitation_uuid: Uuid,
    acting: ActingAs<'_>,
) -> Result<Invitation, Fault> {
    let locked = lock_sent(cx, team, invitation_uuid, acting).await?;
    let (email, before) = (locked.email_normalised.as_str(), locked.state);
    let now = next_state(before, InvitationAction::Resend)?;
    rules::ensure_may_invite(&locked.partner_state)?;
    if store::is_member(&cx.db, team.uuid(), email).await? {
        return Err(rules::err_is_member());
    }
    ensure_mail_quota(cx, &locked.email).await?;
    if before == InvitationState::Expired {
        // Its seat in the team was free after the expiry, and another user may have taken it.
        let allowance = Allowance::lock_of(&cx.db, team.uuid(), "team_members").await?;
        store::expire_overdue(&cx.db, team.uuid(), email, before).await?;
        let used = store::count_members(&cx.db, team.uuid()).await?;
        allowance.check(used + store::count_pending(&cx.db, team.uuid()).await?, 1)?;
    }
    count_mail(cx, team, acting).await?;
    let token = SecretKind::OneTime.issue();
    let until = cx.now.plus_seconds(rules::INVITATION_SECONDS);
    sent::set_renewed(&cx.db, invitation_uuid, &token.digest, until, now).await?;
    let principal = cx.principal()?;
    let inviter = member_of(principal).map(|_| principal.label.clone());
    let mail =
        Mail { partner_uuid: team.uuid(), email: &locked.email, role: locked.role.name(), locale: &locked.locale };
    let content = (token.text, until);
    mail.queue(&cx.db, &cx.services, cx.new_uuid(), locked.company_name, inviter, content).await?;
    record_event(cx, team, invitation_uuid, (PartnerEventKind::InvitationResent, locked.role), acting).await?;
    load_invitation(cx, team, invitation_uuid, acting).await
}

/// Revokes an invitation: its token becomes void, and its seat in the team becomes free.
///
/// # Errors
/// [`labs_core::Code::NotFound`]; [`labs_core::Code::ScopeMissing`] for a role above the caller's own;
/// [`labs_core::Code::IllegalTransition`] if the invitation is not pending any more.
pub async fn revoke(
    cx: &RequestContext,
    team: Team,
    invitation_uuid: Uuid,
    acting: ActingAs<'_>,
) -> Result<Invitation, Fault> {
    let locked = lock_sent(cx, team, invitation_uuid, acting).await?;
    let state = next_state(locked.state, InvitationAction::Revoke)?;
    sent::set_revoked(&cx.db, invitation_uuid, state).await?;
    record_event(cx, team, invitation_uuid, (PartnerEventKind::InvitationRevoked, locked.role), acting).await?;
    load_invitation(cx, team, invitation_uuid, acting).await
}

/// Revokes the pending invitations of a team member, except for roles that the member may still grant. An invitation
/// must not grant more than its sender can. `present` is the sender's role; none if the sender left the team or is
/// suspended.
///
/// # Errors
/// If the database does not answer.
pub async fn revoke_sent_by(
    cx: &RequestContext,
    team: Team,
    inviter_uuid: Uuid,
    present: Option<Role>,
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let revoked = next_state(InvitationState::Pending, InvitationAction::Revoke)?;
    for (invitation_uuid, role) in sent::lock_pending(&cx.db, team, inviter_uuid).await? {
        if present.is_some_and(|present| may_give(present, role)) {
            continue;
        }
        sent::set_revoked(&cx.db, invitation_uuid, revoked).await?;
        record_event(cx, team, invitation_uuid, (PartnerEventKind::InvitationRevoked, role), acting).await?;
    }
    Ok(())
}

/// Revokes the pending invitations that a user sent for the team that they leave for another one.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn revoke_left_behind(cx: &RequestContext, person_uuid: Uuid) -> Result<(), Fault> {
    let revoked = next_state(InvitationState::Pending, InvitationAction::Revoke)?;
    for left in sent::lock_left_behind(&cx.db, person_uuid).await? {
        sent::set_revoked(&cx.db, left.invitation_uuid, revoked).await?;
        let actor = Actor::partner_user(person_uuid);
        let happened = PartnerEvent::new(left.partner_uuid, PartnerEventKind::InvitationRevoked, actor)
            .with_subject(left.invitation_uuid);
        events::insert(&cx.db, &happened.with_detail(json!({ "role": left.role }))).await?;
    }
    Ok(())
}

/// Locks one of the team's invitations for a change, after checking that the caller may grant its role, and names it in
/// the audit record.
async fn lock_sent(
    cx: &RequestContext,
    team: Team,
    invitation_uuid: Uuid,
    acting: ActingAs<'_>,
) -> Result<sent::LockedInvitationRow, Fault> {
    let locked = sent::lock_sent(&cx.db, team, invitation_uuid).await?.ok_or_else(err_not_found)?;
    ensure_covered(locked.role, acting.own)?;
    Ok(locked)
}

/// Loads the current invitation and names it in the audit record.
async fn load_invitation(
    cx: &RequestContext,
    team: Team,
    invitation_uuid: Uuid,
    acting: ActingAs<'_>,
) -> Result<Invitation, Fault> {
    let sent =
        OF_A_TEAM.fetch_one(&cx.db, [team.uuid().into(), invitation_uuid.into()]).await?.ok_or_else(err_not_found)?;
    let (kind, label) = (Some(AuditTargetKind::Invitation), Some(sent.email.clone()));
    cx.note_target(Target { kind, uuid: Some(invitation_uuid), label, partner_uuid: Some(team.uuid()) });
    Ok(sent.for_caller(cx, acting))
}

/// Rejects another mail if the address got its hourly maximum, across all senders.
async fn ensure_mail_quota(cx: &RequestContext, email: &str) -> Result<(), Fault> {
    if outbox::count_recent(cx, email, &[MAIL]).await? >= rules::MAILS_PER_HOUR {
        return Err(rules::err_too_many_mails());
    }
    Ok(())
}

/// Counts a mail of the day, even if the invitation fails later.
async fn count_mail(cx: &RequestContext, team: Team, acting: ActingAs<'_>) -> Result<(), Fault> {
    let people = Allowance::peek(&cx.db, team.uuid(), "team_members").await?.most();
    let (daily, most) = rules::a_day(people, acting.is_staff());
    daily::spend(cx, team.uuid(), daily, (1, most)).await
}

async fn record_event(
    cx: &RequestContext,
    team: Team,
    invitation_uuid: Uuid,
    (kind, role): (PartnerEventKind, Role),
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let happened =
        PartnerEvent::by_caller(cx, team.uuid(), kind)?.with_subject(invitation_uuid).with_reason(acting.reason);
    events::insert(&cx.db, &happened.with_detail(json!({ "role": role }))).await
}

fn err_not_found() -> Fault {
    Fault::not_found("invitation")
}
