//! Changing who is in a team, and as what: the same for the team and for operators.

use serde_json::{Value, json};
use uuid::Uuid;

use super::rules;
use super::store::{self, HeldRow};
use super::types::not_found;
use crate::auth::invitations::revoke_sent_by;
use crate::auth::people::rules::PersonAction;
use crate::auth::security_events::{LedgerEntry, SecurityEventKind};
use crate::auth::sessions::all_set_ended;
use crate::core::actor::Actor;
use crate::core::audit_target::AuditTargetKind;
use crate::core::context::{RequestContext, Target};
use crate::core::fault::Fault;
use crate::core::mail::message::{Letter, Membership, MembershipChange, Notice};
use crate::core::outbox;
use crate::core::principal::Role;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::team::{ActingAs, Team, member_of};

/// What a change is called in the account's history and in the person's ledger.
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

/// Gives somebody of a team another role; the same again changes nothing. Invitations that they sent wait on only where
/// they may still give their role.
///
/// # Errors
/// [`crate::Code::NotFound`]; [`crate::Code::ValidationFailed`] or [`crate::Code::ScopeMissing`] for a role above the
/// caller's own; [`crate::Code::Conflict`] for the last administrator.
pub(crate) async fn change_role(
    cx: &RequestContext,
    team: Team,
    user_uuid: Uuid,
    to: Role,
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let (held, acting) = lock_changeable(cx, team, user_uuid, acting).await?;
    let from = held.role;
    rules::ensure_covered(from, acting.own)?;
    rules::ensure_grantable(to, acting.own)?;
    if from == to {
        return Ok(());
    }
    stays(cx, team, &held).await?;
    store::set_role(&cx.db, team, user_uuid, to).await?;
    revoke_sent_by(cx, team, user_uuid, Some(to), acting).await?;
    let detail = json!({ "from": from, "to": to });
    record_event(cx, team, &held, (ROLE_CHANGED, detail), acting).await?;
    notify_member(cx, &held, MembershipChange::Role { role: to.name().to_owned() }).await
}

/// Takes somebody out of a team for good: their sessions end, nothing that was mailed to them opens anything, their
/// invitations are taken back, and their address is free.
///
/// # Errors
/// [`crate::Code::NotFound`]; [`crate::Code::ScopeMissing`] for whoever stands above the caller;
/// [`crate::Code::IllegalTransition`] for whom staff locked, but to staff; [`crate::Code::Conflict`] for the caller, and
/// for the last administrator.
pub(crate) async fn remove(
    cx: &RequestContext,
    team: Team,
    user_uuid: Uuid,
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    rules::not_oneself(cx.principal()?.uuid, user_uuid)?;
    let (held, acting) = lock_changeable(cx, team, user_uuid, acting).await?;
    rules::ensure_covered(held.role, acting.own)?;
    take_out(cx, team, &held, (REMOVED, MembershipChange::Removed), acting).await
}

/// The caller leaves the team. Answers who that was.
///
/// # Errors
/// [`crate::Code::Conflict`] for a program, and for the last administrator.
pub(super) async fn leave(cx: &RequestContext, team: Team) -> Result<Uuid, Fault> {
    let user_uuid = member_of(cx.principal()?).ok_or_else(rules::no_person)?;
    let held = lock_member(cx, team, user_uuid).await?;
    take_out(cx, team, &held, (LEFT, MembershipChange::Left), ActingAs::own(cx)?).await?;
    Ok(user_uuid)
}

/// The team holds somebody back: their sessions end, and their invitations are taken back.
pub(super) async fn suspend(cx: &RequestContext, team: Team, user_uuid: Uuid) -> Result<(), Fault> {
    rules::not_oneself(cx.principal()?.uuid, user_uuid)?;
    let (held, acting) = lock_changeable(cx, team, user_uuid, ActingAs::own(cx)?).await?;
    rules::ensure_covered(held.role, acting.own)?;
    let state = rules::next_state(&held.state, PersonAction::Suspend, held.was_suspended, acting)?;
    stays(cx, team, &held).await?;
    store::set_state(&cx.db, team, user_uuid, state.name()).await?;
    all_set_ended(&cx.db, user_uuid, None, SUSPENDED.of_person.name()).await?;
    revoke_sent_by(cx, team, user_uuid, None, acting).await?;
    record_event(cx, team, &held, (SUSPENDED, json!({})), acting).await?;
    notify_member(cx, &held, MembershipChange::Suspended).await
}

/// The team lets somebody sign in again.
pub(super) async fn reinstate(cx: &RequestContext, team: Team, user_uuid: Uuid) -> Result<(), Fault> {
    let (held, acting) = lock_changeable(cx, team, user_uuid, ActingAs::own(cx)?).await?;
    rules::ensure_covered(held.role, acting.own)?;
    let state = rules::next_state(&held.state, PersonAction::Reinstate, held.was_suspended, acting)?;
    store::set_state(&cx.db, team, user_uuid, state.name()).await?;
    record_event(cx, team, &held, (REINSTATED, json!({})), acting).await?;
    notify_member(cx, &held, MembershipChange::Reinstated).await
}

/// Whoever goes is told first, for afterwards there is nobody of that address any more.
async fn take_out(
    cx: &RequestContext,
    team: Team,
    held: &HeldRow,
    (kinds, change): (EventKinds, MembershipChange),
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let state = rules::next_state(&held.state, PersonAction::Remove, held.was_suspended, acting)?;
    stays(cx, team, held).await?;
    notify_member(cx, held, change).await?;
    store::tokens_set_void(&cx.db, held.person_uuid).await?;
    all_set_ended(&cx.db, held.person_uuid, None, kinds.of_person.name()).await?;
    revoke_sent_by(cx, team, held.person_uuid, None, acting).await?;
    store::set_state(&cx.db, team, held.person_uuid, state.name()).await?;
    record_event(cx, team, held, (kinds, json!({ "role": held.role })), acting).await
}

/// Somebody of the team, held for a change, with how far whoever changes them may go by now.
async fn lock_changeable<'a>(
    cx: &RequestContext,
    team: Team,
    user_uuid: Uuid,
    acting: ActingAs<'a>,
) -> Result<(HeldRow, ActingAs<'a>), Fault> {
    let held = lock_member(cx, team, user_uuid).await?;
    Ok((held, acting.now(cx, team).await?))
}

/// Somebody of the team, held while changes of the whole team wait; named to the audit record.
async fn lock_member(cx: &RequestContext, team: Team, user_uuid: Uuid) -> Result<HeldRow, Fault> {
    store::lock_all(&cx.db, team).await?;
    let held = store::lock(&cx.db, team, user_uuid).await?.ok_or_else(not_found)?;
    let (kind, label) = (Some(AuditTargetKind::User), Some(held.name.clone()));
    cx.note_target(Target { kind, uuid: Some(user_uuid), label, partner_uuid: Some(team.uuid()) });
    Ok(held)
}

async fn stays(cx: &RequestContext, team: Team, held: &HeldRow) -> Result<(), Fault> {
    let others = store::other_administrators(&cx.db, team, held.person_uuid).await?;
    rules::administrator_stays(held.role, &held.state, others)
}

/// Writes what happened into the account's history and into the person's ledger.
async fn record_event(
    cx: &RequestContext,
    team: Team,
    held: &HeldRow,
    (kinds, detail): (EventKinds, Value),
    acting: ActingAs<'_>,
) -> Result<(), Fault> {
    let principal = cx.principal()?;
    let happened = PartnerEvent::new(team.uuid(), kinds.of_partner, Actor::of(principal)).about(held.person_uuid);
    events::insert(&cx.db, &happened.because(acting.reason).telling(detail)).await?;
    let event = LedgerEntry::new(kinds.of_person, true).about(held.person_uuid, Some(team.uuid()));
    let event = match (acting.is_staff(), principal.uuid == held.person_uuid) {
        (true, _) => event.by_staff(),
        (false, true) => event,
        (false, false) => event.by_colleague(),
    };
    event.write(cx).await
}

async fn notify_member(cx: &RequestContext, held: &HeldRow, change: MembershipChange) -> Result<(), Fault> {
    let company = held.company_name.clone();
    outbox::queue_to_person(cx, held.person_uuid, |name| {
        Letter::Telling(Notice::Membership(Membership { name, company, change }))
    })
    .await
}
