//! Changing who is in a team, and as what: the same for the team and for operators.

use serde_json::{Value, json};
use uuid::Uuid;

use super::rules;
use super::store::{self, HeldRow};
use super::types::not_found;
use crate::actor::Actor;
use crate::ask::{Ask, Target};
use crate::auth::invitations::revoke_sent_by;
use crate::auth::people::rules::Action;
use crate::auth::security_events::SecurityEvent;
use crate::auth::sessions::all_set_ended;
use crate::fault::Fault;
use crate::mail::message::{Letter, Membership, MembershipChange, Notice};
use crate::outbox;
use crate::partner::events::{self, PartnerEvent};
use crate::partner::team::{Hand, Team, member_of};
use crate::principal::Role;

/// Gives somebody of a team another role; the same again changes nothing. Invitations that they sent wait on only where
/// they may still give their role.
///
/// # Errors
/// [`crate::Code::NotFound`]; [`crate::Code::ValidationFailed`] or [`crate::Code::ScopeMissing`] for a role above the
/// caller's own; [`crate::Code::Conflict`] for the last administrator.
pub(crate) async fn change_role(ask: &Ask, team: Team, user_uuid: Uuid, to: Role, hand: Hand<'_>) -> Result<(), Fault> {
    let (held, hand) = held(ask, team, user_uuid, hand).await?;
    let from = held.role;
    rules::covered(from, hand.own)?;
    rules::granted(to, hand.own)?;
    if from == to {
        return Ok(());
    }
    stays(ask, team, &held).await?;
    store::set_role(&ask.db, team, user_uuid, to).await?;
    revoke_sent_by(ask, team, user_uuid, Some(to), hand).await?;
    let detail = json!({ "from": from, "to": to });
    noted(ask, team, &held, ("MEMBER_ROLE_CHANGED", detail), hand).await?;
    told(ask, &held, MembershipChange::Role { role: to.name().to_owned() }).await
}

/// Takes somebody out of a team for good: their sessions end, nothing that was mailed to them opens anything, their
/// invitations are taken back, and their address is free.
///
/// # Errors
/// [`crate::Code::NotFound`]; [`crate::Code::ScopeMissing`] for whoever stands above the caller;
/// [`crate::Code::IllegalTransition`] for whom staff locked, but to staff; [`crate::Code::Conflict`] for the caller, and
/// for the last administrator.
pub(crate) async fn remove(ask: &Ask, team: Team, user_uuid: Uuid, hand: Hand<'_>) -> Result<(), Fault> {
    rules::not_oneself(ask.principal()?.uuid, user_uuid)?;
    let (held, hand) = held(ask, team, user_uuid, hand).await?;
    rules::covered(held.role, hand.own)?;
    take_out(ask, team, &held, ("MEMBER_REMOVED", MembershipChange::Removed), hand).await
}

/// The caller leaves the team. Answers who that was.
///
/// # Errors
/// [`crate::Code::Conflict`] for a program, and for the last administrator.
pub(super) async fn leave(ask: &Ask, team: Team) -> Result<Uuid, Fault> {
    let user_uuid = member_of(ask.principal()?).ok_or_else(rules::no_person)?;
    let held = locked(ask, team, user_uuid).await?;
    take_out(ask, team, &held, ("MEMBER_LEFT", MembershipChange::Left), Hand::own(ask)?).await?;
    Ok(user_uuid)
}

/// The team holds somebody back: their sessions end, and their invitations are taken back.
pub(super) async fn suspend(ask: &Ask, team: Team, user_uuid: Uuid) -> Result<(), Fault> {
    rules::not_oneself(ask.principal()?.uuid, user_uuid)?;
    let (held, hand) = held(ask, team, user_uuid, Hand::own(ask)?).await?;
    rules::covered(held.role, hand.own)?;
    let state = rules::moved(&held.state, Action::Suspend, held.was_suspended, hand)?;
    stays(ask, team, &held).await?;
    store::set_state(&ask.db, team, user_uuid, state.name()).await?;
    all_set_ended(&ask.db, user_uuid, None, "MEMBER_SUSPENDED").await?;
    revoke_sent_by(ask, team, user_uuid, None, hand).await?;
    noted(ask, team, &held, ("MEMBER_SUSPENDED", json!({})), hand).await?;
    told(ask, &held, MembershipChange::Suspended).await
}

/// The team lets somebody sign in again.
pub(super) async fn reinstate(ask: &Ask, team: Team, user_uuid: Uuid) -> Result<(), Fault> {
    let (held, hand) = held(ask, team, user_uuid, Hand::own(ask)?).await?;
    rules::covered(held.role, hand.own)?;
    let state = rules::moved(&held.state, Action::Reinstate, held.was_suspended, hand)?;
    store::set_state(&ask.db, team, user_uuid, state.name()).await?;
    noted(ask, team, &held, ("MEMBER_REINSTATED", json!({})), hand).await?;
    told(ask, &held, MembershipChange::Reinstated).await
}

/// Whoever goes is told first, for afterwards there is nobody of that address any more.
async fn take_out(
    ask: &Ask,
    team: Team,
    held: &HeldRow,
    (kind, change): (&'static str, MembershipChange),
    hand: Hand<'_>,
) -> Result<(), Fault> {
    let state = rules::moved(&held.state, Action::Remove, held.was_suspended, hand)?;
    stays(ask, team, held).await?;
    told(ask, held, change).await?;
    store::tokens_set_void(&ask.db, held.person_uuid).await?;
    all_set_ended(&ask.db, held.person_uuid, None, kind).await?;
    revoke_sent_by(ask, team, held.person_uuid, None, hand).await?;
    store::set_state(&ask.db, team, held.person_uuid, state.name()).await?;
    noted(ask, team, held, (kind, json!({ "role": held.role })), hand).await
}

/// Somebody of the team, held for a change, with how far whoever changes them may go by now.
async fn held<'a>(ask: &Ask, team: Team, user_uuid: Uuid, hand: Hand<'a>) -> Result<(HeldRow, Hand<'a>), Fault> {
    let held = locked(ask, team, user_uuid).await?;
    Ok((held, hand.now(ask, team).await?))
}

/// Somebody of the team, held while changes of the whole team wait; named to the audit record.
async fn locked(ask: &Ask, team: Team, user_uuid: Uuid) -> Result<HeldRow, Fault> {
    store::lock_all(&ask.db, team).await?;
    let held = store::lock(&ask.db, team, user_uuid).await?.ok_or_else(not_found)?;
    let (kind, label) = (Some("USER".to_owned()), Some(held.name.clone()));
    ask.note_target(Target { kind, uuid: Some(user_uuid), label, partner_uuid: Some(team.uuid()) });
    Ok(held)
}

async fn stays(ask: &Ask, team: Team, held: &HeldRow) -> Result<(), Fault> {
    let others = store::other_administrators(&ask.db, team, held.person_uuid).await?;
    rules::administrator_stays(held.role, &held.state, others)
}

/// Writes what happened into the account's history and into the person's ledger.
async fn noted(
    ask: &Ask,
    team: Team,
    held: &HeldRow,
    (kind, detail): (&'static str, Value),
    hand: Hand<'_>,
) -> Result<(), Fault> {
    let principal = ask.principal()?;
    let happened = PartnerEvent::new(team.uuid(), kind, Actor::of(principal)).about(held.person_uuid);
    events::insert(&ask.db, &happened.because(hand.reason).telling(detail)).await?;
    let event = SecurityEvent::new(kind, true).about(held.person_uuid, Some(team.uuid()));
    let event = match (hand.is_staff(), principal.uuid == held.person_uuid) {
        (true, _) => event.by_staff(),
        (false, true) => event,
        (false, false) => event.by_colleague(),
    };
    event.write(ask).await
}

async fn told(ask: &Ask, held: &HeldRow, change: MembershipChange) -> Result<(), Fault> {
    let company = held.company_name.clone();
    outbox::queue_to_person(ask, held.person_uuid, |name| {
        Letter::Telling(Notice::Membership(Membership { name, company, change }))
    })
    .await
}
