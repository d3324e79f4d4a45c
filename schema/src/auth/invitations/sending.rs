//! Sending invitations, sending them again and taking them back: the same for a team and for operators.

use serde_json::json;
use uuid::Uuid;

use super::inviting::{Mail, NewInvitation, invite};
use super::list::OF_A_TEAM;
use super::rules::{self, Action, InvitationState, after};
use super::store::{self, sent};
use super::view::{Invitation, InvitationCreate};
use crate::actor::Actor;
use crate::ask::{Ask, Target};
use crate::daily;
use crate::entitlement::Allowance;
use crate::fault::Fault;
use crate::keep::email::EmailAddress;
use crate::keep::secret::SecretKind;
use crate::outbox;
use crate::partner::events::{self, PartnerEvent};
use crate::partner::team::{Hand, Team, member_of};
use crate::partner::team_members::rules::{covered, gives, granted};
use crate::principal::Role;

/// The mail of an invitation.
const MAIL: &str = "INVITATION";

/// Invites an address into a team.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for an address that cannot be, and for a role above the caller's own; otherwise as of
/// [`invite`]; [`crate::Code::RateLimited`] when the address got too many of these mails.
pub(crate) async fn send(ask: &Ask, team: Team, new: InvitationCreate, hand: Hand<'_>) -> Result<Invitation, Fault> {
    let (hand, mut errors) = (hand.now(ask, team).await?, Vec::new());
    let email = EmailAddress::parse(&new.email).map_err(|problem| errors.push(rules::no_address(problem)));
    if let Err(fault) = granted(new.role, hand.own) {
        errors.extend(fault.parts().errors.clone());
    }
    let Some(email) = email.ok().filter(|_| errors.is_empty()) else { return Err(Fault::invalid(errors)) };
    few_mails(ask, email.as_str()).await?;
    let invitation_uuid = ask.new_uuid();
    let row = NewInvitation {
        invitation_uuid,
        partner_uuid: team.uuid(),
        inviter_uuid: member_of(ask.principal()?),
        email: &email,
        role: new.role,
        locale: new.locale.as_deref().unwrap_or("en"),
    };
    invite(&ask.db, &ask.services, ask.now, ask.new_uuid(), &row).await?;
    counted(ask, team, hand).await?;
    noted(ask, team, invitation_uuid, ("INVITATION_SENT", new.role), hand).await?;
    shown(ask, team, invitation_uuid).await
}

/// Sends an invitation again, with a new token and the whole time to answer. The old token is void.
///
/// # Errors
/// [`crate::Code::NotFound`]; [`crate::Code::ScopeMissing`] for a role above the caller's own;
/// [`crate::Code::IllegalTransition`] for one that was answered or taken back; otherwise as of [`send`].
pub(crate) async fn resend(ask: &Ask, team: Team, invitation_uuid: Uuid, hand: Hand<'_>) -> Result<Invitation, Fault> {
    let held = lock_sent(ask, team, invitation_uuid, hand).await?;
    let (email, before) = (held.email_normalised.as_str(), held.state);
    let now = after(before, Action::Resend)?;
    rules::may_invite(&held.partner_state)?;
    if store::is_member(&ask.db, team.uuid(), email).await? {
        return Err(rules::is_member());
    }
    few_mails(ask, &held.email).await?;
    if before == InvitationState::Expired {
        // Its place was free again, and somebody else may have it by now.
        let allowance = Allowance::lock_of(&ask.db, team.uuid(), "team_members").await?;
        store::overdue_expire(&ask.db, team.uuid(), email, before).await?;
        let used = store::member_count(&ask.db, team.uuid()).await?;
        allowance.check(used + store::pending_count(&ask.db, team.uuid()).await?, 1)?;
    }
    counted(ask, team, hand).await?;
    let token = SecretKind::OneTime.issue();
    let until = ask.now.plus_seconds(rules::INVITATION_SECONDS);
    sent::set_renewed(&ask.db, invitation_uuid, &token.digest, until, now).await?;
    let principal = ask.principal()?;
    let inviter = member_of(principal).map(|_| principal.label.clone());
    let mail = Mail { partner_uuid: team.uuid(), email: &held.email, role: held.role.name(), locale: &held.locale };
    let letter = (token.text, until);
    mail.queue(&ask.db, &ask.services, ask.new_uuid(), held.company_name, inviter, letter).await?;
    noted(ask, team, invitation_uuid, ("INVITATION_RESENT", held.role), hand).await?;
    shown(ask, team, invitation_uuid).await
}

/// Takes an invitation back: its token is void, and its place in the team is free.
///
/// # Errors
/// [`crate::Code::NotFound`]; [`crate::Code::ScopeMissing`] for a role above the caller's own;
/// [`crate::Code::IllegalTransition`] for one that waits no longer.
pub(crate) async fn revoke(ask: &Ask, team: Team, invitation_uuid: Uuid, hand: Hand<'_>) -> Result<Invitation, Fault> {
    let held = lock_sent(ask, team, invitation_uuid, hand).await?;
    let state = after(held.state, Action::Revoke)?;
    sent::set_revoked(&ask.db, invitation_uuid, state).await?;
    noted(ask, team, invitation_uuid, ("INVITATION_REVOKED", held.role), hand).await?;
    shown(ask, team, invitation_uuid).await
}

/// Takes back what somebody of a team sent and nobody has answered, but for roles that they may still give: an
/// invitation reaches no further than whoever stands behind it. `present` is their role; none when they are out of the
/// team or held back.
///
/// # Errors
/// What the database answered.
pub(crate) async fn revoke_sent_by(
    ask: &Ask,
    team: Team,
    inviter_uuid: Uuid,
    present: Option<Role>,
    hand: Hand<'_>,
) -> Result<(), Fault> {
    let revoked = after(InvitationState::Pending, Action::Revoke)?;
    for (invitation_uuid, role) in sent::pending_lock(&ask.db, team, inviter_uuid).await? {
        if present.is_some_and(|present| gives(present, role)) {
            continue;
        }
        sent::set_revoked(&ask.db, invitation_uuid, revoked).await?;
        noted(ask, team, invitation_uuid, ("INVITATION_REVOKED", role), hand).await?;
    }
    Ok(())
}

/// Takes back what somebody sent for the team that they leave for another one, and nobody has answered.
///
/// # Errors
/// What the database answered.
pub(super) async fn revoke_left_behind(ask: &Ask, person_uuid: Uuid) -> Result<(), Fault> {
    let revoked = after(InvitationState::Pending, Action::Revoke)?;
    for left in sent::left_behind_lock(&ask.db, person_uuid).await? {
        sent::set_revoked(&ask.db, left.invitation_uuid, revoked).await?;
        let actor = Actor::partner_user(person_uuid);
        let happened = PartnerEvent::new(left.partner_uuid, "INVITATION_REVOKED", actor).about(left.invitation_uuid);
        events::insert(&ask.db, &happened.telling(json!({ "role": left.role }))).await?;
    }
    Ok(())
}

/// One of the team's invitations, held for a change by somebody who may give its role; named to the audit record.
async fn lock_sent(ask: &Ask, team: Team, invitation_uuid: Uuid, hand: Hand<'_>) -> Result<sent::HeldRow, Fault> {
    let held = sent::sent_lock(&ask.db, team, invitation_uuid).await?.ok_or_else(not_found)?;
    covered(held.role, hand.own)?;
    Ok(held)
}

/// The invitation as it is now, named to the audit record.
async fn shown(ask: &Ask, team: Team, invitation_uuid: Uuid) -> Result<Invitation, Fault> {
    let sent = OF_A_TEAM.one(&ask.db, [team.uuid().into(), invitation_uuid.into()]).await?.ok_or_else(not_found)?;
    let (kind, label) = (Some(MAIL.to_owned()), Some(sent.email.clone()));
    ask.note_target(Target { kind, uuid: Some(invitation_uuid), label, partner_uuid: Some(team.uuid()) });
    Ok(sent)
}

/// An address gets a few of these mails an hour, whoever asks for them.
async fn few_mails(ask: &Ask, email: &str) -> Result<(), Fault> {
    if outbox::recent_count(ask, email, &[MAIL]).await? >= rules::MAILS_PER_HOUR {
        return Err(rules::too_many_mails());
    }
    Ok(())
}

/// Counts a mail of the day, whatever comes of its invitation.
async fn counted(ask: &Ask, team: Team, hand: Hand<'_>) -> Result<(), Fault> {
    let people = Allowance::seen(&ask.db, team.uuid(), "team_members").await?.most();
    let (daily, most) = rules::a_day(people, hand.is_staff());
    daily::spend(ask, team.uuid(), daily, (1, most)).await
}

async fn noted(
    ask: &Ask,
    team: Team,
    invitation_uuid: Uuid,
    (kind, role): (&'static str, Role),
    hand: Hand<'_>,
) -> Result<(), Fault> {
    let happened = PartnerEvent::by_caller(ask, team.uuid(), kind)?.about(invitation_uuid).because(hand.reason);
    events::insert(&ask.db, &happened.telling(json!({ "role": role }))).await
}

fn not_found() -> Fault {
    Fault::not_found("invitation")
}
