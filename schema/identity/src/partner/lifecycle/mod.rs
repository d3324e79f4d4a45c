//! State machine of a partner, and the effects of its transitions.
//!
//! ```text
//!            request-closure            close (its job, at the due time, or staff)
//!   ACTIVE ─────────────────▶ CLOSING ───────────────────────────────▶ CLOSED ──erase──▶ ERASED
//!    │ ▲ ◀───────────────────  │ ▲                                      │  ▲
//!    │ │     cancel-closure    │ │                               reopen │  │ close
//!    ▼ │ suspend / reinstate   ▼ │ suspend / reinstate                  ▼  │
//!   SUSPENDED ◀────────────── SUSPENDED                  ACTIVE or SUSPENDED, as before
//! ```
//!
//! In the states ACTIVE and CLOSING a team works as usual and its listings are visible. In every other state its users
//! and machine clients have no access, and the storefront shows none of its data. A trigger notifies every replica of a
//! change. Each action has a counterpart that reverses its effects: if the suspension of a closing partner ends, the
//! closure continues with the remaining time.

mod rules;
mod store;

pub use rules::{Action, PartnerActor, allowed_actions, draw_states};
pub use store::due_page;

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_core::words::Word as _;
use labs_mail::message::{ClosingStep, MailContent, Notice};
use labs_mail::outbox;
use labs_shared::states::PartnerState;
use serde_json::json;
use uuid::Uuid;

use crate::partner::events::{self, PartnerEvent};
use store::LockedPartnerRow;

/// A transition of a partner.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// UUID of the partner.
    pub partner_uuid: Uuid,
    /// Action that causes the transition.
    pub action: Action,
    /// Actor of the transition.
    pub actor: Actor,
    /// Reason for the transition.
    pub reason: Option<&'a str>,
    /// Whether the partner can read the reason. An operation of staff declares this with `@partner_reads`.
    pub shows_reason: bool,
}

/// Performs a transition with all its effects: visible listings, access, the history, and mails to the partner's
/// administrators. `None` if the partner does not exist.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub async fn take_step(
    db: &Db,
    services: &Services,
    now: Time,
    step: &Step<'_>,
) -> Result<Option<PartnerState>, Fault> {
    let Some(locked) = store::lock(db, step.partner_uuid).await? else { return Ok(None) };
    settle(db, services, now, step, &locked).await.map(Some)
}

/// Closes a partner whose closing time has come. Returns false if another transaction is closing it or the closure is
/// not due any more.
///
/// # Errors
/// If the database fails.
pub async fn close_due(db: &Db, services: &Services, now: Time, partner_uuid: Uuid) -> Result<bool, Fault> {
    let Some(locked) = store::lock_due(db, partner_uuid).await? else { return Ok(false) };
    let step = Step { partner_uuid, action: Action::Close, actor: Actor::SYSTEM, reason: None, shows_reason: true };
    settle(db, services, now, &step, &locked).await?;
    Ok(true)
}

async fn settle(
    db: &Db,
    services: &Services,
    now: Time,
    step: &Step<'_>,
    locked: &LockedPartnerRow,
) -> Result<PartnerState, Fault> {
    let (before, former) = (locked.state()?, locked.former()?);
    if step.action == Action::Reopen {
        rules::ensure_in_time(before, locked.closes_at, now)?;
    }
    let after = rules::next_state(before, step.action, former)?;
    let days = match rules::waiting_period(step.action) {
        Some(setting) => Some(store::get_days(db, setting.key, setting.days).await?),
        None => None,
    };
    let former = rules::state_to_remember(before, step.action, after).map(PartnerState::name);
    let change = store::Change { state: after.name(), former, reason: step.reason, days };
    let closes_at = store::set_state(db, step.partner_uuid, &change).await?;
    store::listings_follow(db, step.partner_uuid).await?;
    if after == PartnerState::Closed {
        store::end_sessions(db, step.partner_uuid).await?;
    }
    let event = PartnerEvent::new(step.partner_uuid, step.action.event(), step.actor);
    let event = event.with_reason(step.reason.filter(|_| step.shows_reason));
    let detail = json!({ "from_state": before.name(), "to_state": after.name() });
    events::insert(db, &event.with_detail(detail)).await?;
    notify_administrators(db, services, now, step, (after, locked, closes_at)).await?;
    Ok(after)
}

/// Notifies the partner's administrators of the transition by mail.
async fn notify_administrators(
    db: &Db,
    services: &Services,
    now: Time,
    step: &Step<'_>,
    (after, locked, closes_at): (PartnerState, &LockedPartnerRow, Option<Time>),
) -> Result<(), Fault> {
    if after == PartnerState::Erased {
        return Ok(());
    }
    let until = closes_at.unwrap_or(now).0;
    outbox::queue_to_administrators(db, services, step.partner_uuid, |name| {
        let (company, reason) = (locked.company_name.clone(), step.reason.map(str::to_owned));
        MailContent::Telling(match step.action {
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

impl LockedPartnerRow {
    fn state(&self) -> Result<PartnerState, Fault> {
        PartnerState::parse(&self.state)
    }

    fn former(&self) -> Result<Option<PartnerState>, Fault> {
        self.former_state.as_deref().map(PartnerState::parse).transpose()
    }
}
