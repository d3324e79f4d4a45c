//! Changes of team members and their roles, used by the team and by staff.

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::fault::Fault;
use labs_core::principal::Role;
use labs_mail::message::{MailContent, Membership, MembershipChange, Notice};
use labs_mail::outbox;
use serde_json::{Value, json};
use uuid::Uuid;

use super::rules;
use super::store::{self, LockedMemberRow};
use super::types::err_not_found;
use crate::auth::invitations::revoke_sent_by;
use crate::auth::people::rules::PersonAction;
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};
use crate::auth::sessions::end_all;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::team::{ActingAs, Team, member_of};

/// Event kinds of a change in the account's history and in the user's security events.
#[derive(Clone, Copy)]
struct EventKinds {
    of_partner: PartnerEventKind,
    of_person: SecurityEventKind,
}

const ROLE_CHANGED: EventKinds =
    EventKinds { of_partner: PartnerEventKind::MemberRoleChanged, of_person: SecurityEventKind::MemberRoleChanged };
const REMOVED: EventKinds =
    EventKinds { of_partner: PartnerEventKind::MemberRemoved, of_person: SecurityEventKind::MemberRemoved };
const LEFT: EventKinds =
    EventKinds { of_partner: PartnerEventKind::MemberLeft, of_person: SecurityEventKind::MemberLeft };
const SUSPENDED: EventKinds =
    EventKinds { of_partner: PartnerEventKind::MemberSuspended, of_person: SecurityEventKind::MemberSuspended };
const REINSTATED: EventKinds =
    EventKinds { of_partner: PartnerEventKind::MemberReinstated, of_person: SecurityEventKind::MemberReinstated };

/// Changes the role of a team member. The same role changes nothing. Their sent invitations stay open only if they may
/// still grant the invited role.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the user is not in the team; [`labs_core::Code::ValidationFailed`] or
/// [`labs_core::Code::ScopeMissing`] for a role above the caller's own; [`labs_core::Code::Conflict`] for the last
/// administrator.
pub async fn change_role(
    cx: &RequestContext,
    team: Team,
    user_uuid: Uuid,
    to: Role,
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let (locked, acting) = lock_changeable(cx, team, user_uuid, acting).await?;
    let from = locked.role;
    rules::ensure_covered(from, acting.own)?;
    rules::ensure_grantable(to, acting.own)?;
    if from == to {
        return Ok(());
    }
    ensure_administrator_remains(cx, team, &locked).await?;
    store::set_role(&cx.db, team, user_uuid, to).await?;
    revoke_sent_by(cx, team, user_uuid, Some(to), acting).await?;
    let detail = json!({ "from": from, "to": to });
    record_event(cx, team, &locked, (ROLE_CHANGED, detail), acting).await?;
    notify_member(cx, &locked, MembershipChange::Role { role: to.name().to_owned() }).await
}

/// Removes a team member permanently: their sessions end, their mailed tokens become void, their invitations are
/// revoked, and their address becomes free.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the user is not in the team; [`labs_core::Code::ScopeMissing`] for a member with
/// more rights than the caller; [`labs_core::Code::IllegalTransition`] for a member whom staff locked, unless the
/// caller is staff; [`labs_core::Code::Conflict`] for the caller, and for the last administrator.
pub async fn remove(cx: &RequestContext, team: Team, user_uuid: Uuid, acting: ActingAs<'_>) -> Result<(), Fault> {
    rules::ensure_not_oneself(cx.principal()?.uuid, user_uuid)?;
    let (locked, acting) = lock_changeable(cx, team, user_uuid, acting).await?;
    rules::ensure_covered(locked.role, acting.own)?;
    remove_member(cx, team, &locked, (REMOVED, MembershipChange::Removed), acting).await
}

/// Removes the caller from the team. Returns the user.
///
/// # Errors
/// [`labs_core::Code::Conflict`] for a machine client, and for the last administrator.
pub(super) async fn leave(cx: &RequestContext, team: Team) -> Result<Uuid, Fault> {
    let user_uuid = member_of(cx.principal()?).ok_or_else(rules::err_no_person)?;
    let locked = lock_member(cx, team, user_uuid).await?;
    remove_member(cx, team, &locked, (LEFT, MembershipChange::Left), ActingAs::own(cx)?).await?;
    Ok(user_uuid)
}

/// Suspends a team member, by the team: their sessions end, and their invitations are revoked.
pub(super) async fn suspend(cx: &RequestContext, team: Team, user_uuid: Uuid) -> Result<(), Fault> {
    rules::ensure_not_oneself(cx.principal()?.uuid, user_uuid)?;
    let (locked, acting) = lock_changeable(cx, team, user_uuid, ActingAs::own(cx)?).await?;
    rules::ensure_covered(locked.role, acting.own)?;
    let state = rules::next_state(&locked.state, PersonAction::Suspend, locked.was_suspended, acting)?;
    ensure_administrator_remains(cx, team, &locked).await?;
    store::set_state(&cx.db, team, user_uuid, state.name()).await?;
    end_all(&cx.db, user_uuid, None, SUSPENDED.of_person.name()).await?;
    revoke_sent_by(cx, team, user_uuid, None, acting).await?;
    record_event(cx, team, &locked, (SUSPENDED, json!({})), acting).await?;
    notify_member(cx, &locked, MembershipChange::Suspended).await
}

/// Reinstates a suspended team member, by the team.
pub(super) async fn reinstate(cx: &RequestContext, team: Team, user_uuid: Uuid) -> Result<(), Fault> {
    let (locked, acting) = lock_changeable(cx, team, user_uuid, ActingAs::own(cx)?).await?;
    rules::ensure_covered(locked.role, acting.own)?;
    let state = rules::next_state(&locked.state, PersonAction::Reinstate, locked.was_suspended, acting)?;
    store::set_state(&cx.db, team, user_uuid, state.name()).await?;
    record_event(cx, team, &locked, (REINSTATED, json!({})), acting).await?;
    notify_member(cx, &locked, MembershipChange::Reinstated).await
}

/// The service notifies the removed member first, because their address is deleted afterwards.
async fn remove_member(
    cx: &RequestContext,
    team: Team,
    locked: &LockedMemberRow,
    (kinds, change): (EventKinds, MembershipChange),
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let state = rules::next_state(&locked.state, PersonAction::Remove, locked.was_suspended, acting)?;
    ensure_administrator_remains(cx, team, locked).await?;
    notify_member(cx, locked, change).await?;
    store::set_tokens_void(&cx.db, locked.person_uuid).await?;
    end_all(&cx.db, locked.person_uuid, None, kinds.of_person.name()).await?;
    revoke_sent_by(cx, team, locked.person_uuid, None, acting).await?;
    store::set_state(&cx.db, team, locked.person_uuid, state.name()).await?;
    record_event(cx, team, locked, (kinds, json!({ "role": locked.role })), acting).await
}

/// Locks a team member for a change, and re-reads the rights of the caller.
async fn lock_changeable<'a>(
    cx: &RequestContext,
    team: Team,
    user_uuid: Uuid,
    acting: ActingAs<'a>,
) -> Result<(LockedMemberRow, ActingAs<'a>), Fault> {
    let locked = lock_member(cx, team, user_uuid).await?;
    Ok((locked, acting.now(cx, team).await?))
}

/// Locks a team member while changes of the whole team wait, and names them in the audit record.
async fn lock_member(cx: &RequestContext, team: Team, user_uuid: Uuid) -> Result<LockedMemberRow, Fault> {
    store::lock_all(&cx.db, team).await?;
    let locked = store::lock(&cx.db, team, user_uuid).await?.ok_or_else(err_not_found)?;
    let (kind, label) = (Some(AuditTargetKind::User), Some(locked.name.clone()));
    cx.note_target(Target { kind, uuid: Some(user_uuid), label, partner_uuid: Some(team.uuid()) });
    Ok(locked)
}

async fn ensure_administrator_remains(cx: &RequestContext, team: Team, locked: &LockedMemberRow) -> Result<(), Fault> {
    let others = store::other_administrators(&cx.db, team, locked.person_uuid).await?;
    rules::ensure_administrator_remains(locked.role, &locked.state, others)
}

/// Writes the change to the account's history and to the user's security events.
async fn record_event(
    cx: &RequestContext,
    team: Team,
    locked: &LockedMemberRow,
    (kinds, detail): (EventKinds, Value),
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let principal = cx.principal()?;
    let happened =
        PartnerEvent::new(team.uuid(), kinds.of_partner, Actor::of(principal)).with_subject(locked.person_uuid);
    events::insert(&cx.db, &happened.with_reason(acting.reason).with_detail(detail)).await?;
    let event = NewSecurityEvent::new(kinds.of_person, true).with_subject(locked.person_uuid, Some(team.uuid()));
    let event = match (acting.is_staff(), principal.uuid == locked.person_uuid) {
        (true, _) => event.by_staff(),
        (false, true) => event,
        (false, false) => event.by_colleague(),
    };
    event.write(cx).await
}

async fn notify_member(cx: &RequestContext, locked: &LockedMemberRow, change: MembershipChange) -> Result<(), Fault> {
    let company = locked.company_name.clone();
    outbox::queue_to_person(cx, locked.person_uuid, |name| {
        MailContent::Telling(Notice::Membership(Membership { name, company, change }))
    })
    .await
}
