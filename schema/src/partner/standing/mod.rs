//! Where a partner stands, and everything that follows when that changes.
//!
//! ```text
//!            request-closure            close (its job, when the time has come, or staff)
//!   ACTIVE ─────────────────▶ CLOSING ───────────────────────────────▶ CLOSED ──erase──▶ ERASED
//!    │ ▲ ◀───────────────────  │ ▲                                      │  ▲
//!    │ │     cancel-closure    │ │                               reopen │  │ close
//!    ▼ │ suspend / reinstate   ▼ │ suspend / reinstate                  ▼  │
//!   SUSPENDED ◀────────────── SUSPENDED                  ACTIVE or SUSPENDED, as before
//! ```
//!
//! While ACTIVE and CLOSING a team works as usual and its listings are shown; in every other state nobody of it and none
//! of its programs is let in, and nothing of it is on the storefront. A trigger tells every replica of the change. What
//! an action took away, its counterpart gives back: a partner that was closing goes on closing when its suspension ends,
//! with the time that was left.

mod rules;
mod store;

pub(crate) use rules::{Action, PartnerState, Side, allowed_actions, drawing};
pub(crate) use store::due_page;

use serde_json::json;
use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::mail::message::{ClosingStep, Letter, Notice};
use crate::core::outbox;
use crate::core::services::Services;
use crate::core::time::Time;
use crate::core::words::Word as _;
use crate::partner::events::{self, PartnerEvent};
use store::HeldRow;

/// A step that somebody takes with a partner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    /// Whose.
    pub(crate) partner_uuid: Uuid,
    /// Which.
    pub(crate) action: Action,
    /// By whom.
    pub(crate) actor: Actor,
    /// Why.
    pub(crate) reason: Option<&'a str>,
    /// Whether the partner reads why. An operation of staff declares it with `@partner_reads`.
    pub(crate) shows_reason: bool,
}

/// Takes a step, with everything that follows from it: what is shown, who is let in, the history, and mails to the
/// partner's administrators. `None` when there is no such partner.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(crate) async fn take(
    db: &Db,
    services: &Services,
    now: Time,
    step: &Step<'_>,
) -> Result<Option<PartnerState>, Fault> {
    let Some(held) = store::lock(db, step.partner_uuid).await? else { return Ok(None) };
    settle(db, services, now, step, &held).await.map(Some)
}

/// Closes a partner whose time has come; false when somebody else does, or it is due no longer.
///
/// # Errors
/// What the database answered.
pub(crate) async fn close_due(db: &Db, services: &Services, now: Time, partner_uuid: Uuid) -> Result<bool, Fault> {
    let Some(held) = store::due_lock(db, partner_uuid).await? else { return Ok(false) };
    let step = Step { partner_uuid, action: Action::Close, actor: Actor::SYSTEM, reason: None, shows_reason: true };
    settle(db, services, now, &step, &held).await?;
    Ok(true)
}

async fn settle(
    db: &Db,
    services: &Services,
    now: Time,
    step: &Step<'_>,
    held: &HeldRow,
) -> Result<PartnerState, Fault> {
    let (before, former) = (held.state()?, held.former()?);
    if step.action == Action::Reopen {
        rules::in_time(before, held.closes_at, now)?;
    }
    let after = rules::after(before, step.action, former)?;
    let days = match rules::waiting(step.action) {
        Some(setting) => Some(store::days_get(db, setting.key, setting.days).await?),
        None => None,
    };
    let former = rules::state_to_remember(before, step.action, after).map(PartnerState::name);
    let change = store::Change { state: after.name(), former, reason: step.reason, days };
    let closes_at = store::set_state(db, step.partner_uuid, &change).await?;
    store::listings_follow(db, step.partner_uuid).await?;
    if after == PartnerState::Closed {
        store::sessions_end(db, step.partner_uuid).await?;
    }
    let event = PartnerEvent::new(step.partner_uuid, step.action.event(), step.actor);
    let event = event.because(step.reason.filter(|_| step.shows_reason));
    let detail = json!({ "from_state": before.name(), "to_state": after.name() });
    events::insert(db, &event.telling(detail)).await?;
    tell(db, services, now, step, (after, held, closes_at)).await?;
    Ok(after)
}

/// Mails the partner's administrators what was done.
async fn tell(
    db: &Db,
    services: &Services,
    now: Time,
    step: &Step<'_>,
    (after, held, closes_at): (PartnerState, &HeldRow, Option<Time>),
) -> Result<(), Fault> {
    if after == PartnerState::Erased {
        return Ok(());
    }
    let until = closes_at.unwrap_or(now).0;
    outbox::queue_to_administrators(db, services, step.partner_uuid, |name| {
        let (company, reason) = (held.company_name.clone(), step.reason.map(str::to_owned));
        Letter::Telling(match step.action {
            Action::Suspend => Notice::PartnerSuspended { name, company, reason: reason.unwrap_or_default() },
            Action::Reinstate | Action::Reopen => Notice::PartnerReinstated { name, company },
            Action::RequestClosure => {
                Notice::PartnerClosing { name, company, step: ClosingStep::Requested { closes_at: until } }
            }
            Action::CancelClosure => Notice::PartnerClosing { name, company, step: ClosingStep::Cancelled },
            Action::Close | Action::Erase => {
                Notice::PartnerClosing { name, company, step: ClosingStep::Closed { until, reason } }
            }
        })
    })
    .await
}

impl HeldRow {
    fn state(&self) -> Result<PartnerState, Fault> {
        PartnerState::parse(&self.state)
    }

    fn former(&self) -> Result<Option<PartnerState>, Fault> {
        self.former_state.as_deref().map(PartnerState::parse).transpose()
    }
}
