//! The steps of a subscription: each decides, writes, enters into the history and tells the administrators.

use serde_json::{Value, json};
use uuid::Uuid;

use super::rules::{self, Due, SubscriptionAction, SubscriptionState};
use super::store::events::NewEvent;
use super::store::{self, HeldRow, TierRow};
use crate::core::actor::Actor;
use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::mail::message::{Letter, Notice};
use crate::core::mail::subscription::{SubscriptionNews, SubscriptionNotice};
use crate::core::outbox;
use crate::core::principal::PrincipalType;
use crate::core::services::Services;
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// When a cancelled subscription falls back to the free tier.
    pub(crate) enum SubscriptionEnd {
        /// At once.
        Now = "NOW",
        /// When its period ends; at once where there are no periods.
        PeriodEnd = "PERIOD_END",
    }
}

/// A change in the making: who makes it, and why.
pub(crate) struct SubscriptionChange<'a> {
    db: &'a Db,
    services: &'a Services,
    actor: Actor,
    reason: Option<&'a str>,
    is_staff: bool,
}

impl<'a> SubscriptionChange<'a> {
    /// A change that the caller makes. The partner reads the reason.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] without a caller.
    pub(crate) fn asked(cx: &'a RequestContext, reason: Option<&'a str>) -> Result<Self, Fault> {
        let principal = cx.principal()?;
        let is_staff = principal.kind == PrincipalType::StaffUser || principal.partner_uuid.is_none();
        Ok(Self { db: &cx.db, services: &cx.services, actor: Actor::of(principal), reason, is_staff })
    }

    /// A change that time makes.
    pub(super) fn by_time(db: &'a Db, services: &'a Services) -> Self {
        Self { db, services, actor: Actor::SYSTEM, reason: None, is_staff: false }
    }

    /// Puts a partner on a tier now. To choose the tier that it is on takes back what is to come.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] when it is on that tier and nothing is to come.
    pub(crate) async fn to_tier(&self, partner_uuid: Uuid, tier: &TierRow) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        let state = rules::after(held.state, SubscriptionAction::ChangeTier, self.is_staff)?;
        if held.tier_uuid == tier.tier_uuid {
            rules::other_tier(!held.has_to_come(), &tier.code)?;
            return self.keep(&held, state, tier).await;
        }
        store::set_tier(self.db, partner_uuid, tier.tier_uuid, state.name(), None).await?;
        self.record(&held, "CHANGED", Some(tier.tier_uuid), json!({})).await?;
        self.tell(&held, SubscriptionNews::Changed, &tier.name, None).await
    }

    /// Puts a partner on a tier from a moment to come on.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] when it is on that tier, [`crate::Code::ValidationFailed`] for a moment that has passed.
    pub(crate) async fn to_tier_at(&self, partner_uuid: Uuid, tier: &TierRow, at: Time) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        rules::to_come(at, held.read_at, "/at")?;
        rules::other_tier(held.tier_uuid == tier.tier_uuid, &tier.code)?;
        let state = rules::after(held.state, SubscriptionAction::ChangeTier, self.is_staff)?;
        store::set_pending(self.db, partner_uuid, tier.tier_uuid, state.name(), at).await?;
        let detail = json!({ "effective_at": at });
        self.record(&held, "CHANGE_SCHEDULED", Some(tier.tier_uuid), detail).await?;
        self.tell(&held, SubscriptionNews::WillChange, &tier.name, Some(at)).await
    }

    /// Lets a partner fall back to the free tier. A request for another that waits is taken back: the later word holds.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] on the free tier, [`crate::Code::IllegalTransition`] when it was cancelled before.
    pub(crate) async fn cancel(&self, partner_uuid: Uuid, end: SubscriptionEnd) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        rules::cancellable(held.is_fallback, &held.tier_code)?;
        let fallback = self.fallback().await?;
        self.take_back(&held).await?;
        let Some(period_end) = held.period_end.filter(|_| end == SubscriptionEnd::PeriodEnd) else {
            return self.end(&held, &fallback, None).await;
        };
        let state = rules::after(held.state, SubscriptionAction::Cancel, self.is_staff)?;
        store::set_state(self.db, partner_uuid, state.name()).await?;
        let detail = json!({ "effective_at": period_end });
        self.record(&held, "CANCELLED", Some(fallback.tier_uuid), detail).await?;
        self.tell(&held, SubscriptionNews::WillEnd, &fallback.name, Some(period_end)).await
    }

    /// Takes a cancellation back before it takes effect.
    ///
    /// # Errors
    /// [`crate::Code::IllegalTransition`] when there is none.
    pub(crate) async fn resume(&self, partner_uuid: Uuid) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        let state = rules::after(held.state, SubscriptionAction::Resume, self.is_staff)?;
        let tier = self.tier(held.tier_uuid).await?;
        self.keep(&held, state, &tier).await
    }

    /// Gives a partner's period a later end.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] without a period, [`crate::Code::ValidationFailed`] for an end that is not later.
    pub(crate) async fn extend(&self, partner_uuid: Uuid, period_end: Time) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        rules::after(held.state, SubscriptionAction::Extend, self.is_staff)?;
        rules::later_end(held.period_end, period_end, held.read_at)?;
        store::set_period_end(self.db, partner_uuid, period_end).await?;
        let tier = self.tier(held.tier_uuid).await?;
        self.record(&held, "EXTENDED", None, json!({ "effective_at": period_end })).await?;
        self.tell(&held, SubscriptionNews::Extended, &tier.name, Some(period_end)).await
    }

    /// Refuses the tier that a partner is on, unless choosing it takes back what is to come.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`].
    pub(crate) async fn other_than(&self, partner_uuid: Uuid, tier: &TierRow) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        rules::other_tier(held.tier_uuid == tier.tier_uuid && !held.has_to_come(), &tier.code)
    }

    /// Holds a subscription until the transaction ends, with what is due to it done.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] for no partner, and for one that was erased.
    pub(crate) async fn hold_first(&self, partner_uuid: Uuid) -> Result<(), Fault> {
        self.hold(partner_uuid).await.map(drop)
    }

    /// Takes back the request for another tier that waits for staff, if one does.
    pub(crate) async fn take_back_request(&self, partner_uuid: Uuid) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        self.take_back(&held).await
    }

    /// Does what is due first; false when nothing is, or another replica does it.
    pub(super) async fn pass(&self, partner_uuid: Uuid) -> Result<bool, Fault> {
        let Some(held) = store::due_lock(self.db, partner_uuid).await? else { return Ok(false) };
        let Some(due) = held.due() else { return Ok(false) };
        self.follow(&held, due).await?;
        Ok(true)
    }

    /// Does what time does to a subscription, as of the moment for which it was due.
    async fn follow(&self, held: &HeldRow, due: Due) -> Result<(), Fault> {
        match due {
            Due::Renew => {
                store::set_renewed(self.db, held.partner_uuid).await?;
                self.record_since(held.period_end, held, "RENEWED", None, json!({})).await
            }
            Due::End => self.end(held, &self.fallback().await?, held.period_end).await,
            Due::Change => {
                let waits = held.pending_tier_uuid.ok_or_else(|| Fault::internal("a scheduled change has no tier"))?;
                let state = rules::after(held.state, SubscriptionAction::ChangeTier, false)?;
                let tier = self.tier(waits).await?;
                store::set_tier(self.db, held.partner_uuid, tier.tier_uuid, state.name(), held.pending_at).await?;
                self.record_since(held.pending_at, held, "CHANGED", Some(tier.tier_uuid), json!({})).await?;
                self.tell(held, SubscriptionNews::Changed, &tier.name, None).await
            }
        }
    }

    /// Enters something else into the history that a subscription's partner reads.
    pub(crate) async fn note(
        &self,
        partner_uuid: Uuid,
        kind: &'static str,
        to_tier_uuid: Option<Uuid>,
        detail: Value,
    ) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        self.record(&held, kind, to_tier_uuid, detail).await
    }

    /// Tells the partner's administrators that another tier was refused.
    pub(crate) async fn tell_rejected(&self, partner_uuid: Uuid, tier_name: &str) -> Result<(), Fault> {
        let held = self.hold(partner_uuid).await?;
        self.tell(&held, SubscriptionNews::RequestRejected, tier_name, None).await
    }

    /// The subscription is on the free tier from now on, or since the moment named.
    async fn end(&self, held: &HeldRow, fallback: &TierRow, since: Option<Time>) -> Result<(), Fault> {
        let state = rules::after(held.state, SubscriptionAction::End, self.is_staff)?;
        store::set_tier(self.db, held.partner_uuid, fallback.tier_uuid, state.name(), since).await?;
        self.record_since(since, held, "ENDED", Some(fallback.tier_uuid), json!({})).await?;
        self.tell(held, SubscriptionNews::Ended, &fallback.name, None).await
    }

    /// The subscription stays as it is, and what was to come does not.
    async fn keep(&self, held: &HeldRow, state: SubscriptionState, tier: &TierRow) -> Result<(), Fault> {
        store::set_state(self.db, held.partner_uuid, state.name()).await?;
        self.record(held, "RESUMED", Some(tier.tier_uuid), json!({})).await?;
        self.tell(held, SubscriptionNews::Resumed, &tier.name, None).await
    }

    /// The request for another tier that waits is settled by what its partner or staff did meanwhile.
    async fn take_back(&self, held: &HeldRow) -> Result<(), Fault> {
        let waited = store::request_withdraw(self.db, held.partner_uuid, self.reason).await?;
        let Some((request_uuid, to_tier_uuid)) = waited else { return Ok(()) };
        let detail = json!({ "request_uuid": request_uuid });
        self.record(held, "CHANGE_WITHDRAWN", Some(to_tier_uuid), detail).await
    }

    /// Holds a subscription. What is due to it is done before any step is taken, so that none begins where the
    /// subscription no longer is; the job may come later.
    async fn hold(&self, partner_uuid: Uuid) -> Result<HeldRow, Fault> {
        let mut held = self.lock(partner_uuid).await?;
        while let Some(due) = held.due() {
            Self::by_time(self.db, self.services).follow(&held, due).await?;
            held = self.lock(partner_uuid).await?;
        }
        Ok(held)
    }

    /// An erasure takes the subscription after the partner, so whatever is written before is made anonymous by it.
    async fn lock(&self, partner_uuid: Uuid) -> Result<HeldRow, Fault> {
        let held = store::lock(self.db, partner_uuid).await?.filter(|held| held.partner_state != "ERASED");
        held.ok_or_else(|| Fault::not_found("partner"))
    }

    async fn tier(&self, tier_uuid: Uuid) -> Result<TierRow, Fault> {
        store::tier_by_uuid(self.db, tier_uuid).await?.ok_or_else(|| Fault::internal("a subscription has no tier"))
    }

    async fn fallback(&self) -> Result<TierRow, Fault> {
        store::fallback_get(self.db).await?.ok_or_else(|| Fault::internal("no free tier is offered"))
    }

    async fn record(
        &self,
        held: &HeldRow,
        kind: &'static str,
        to_tier_uuid: Option<Uuid>,
        detail: Value,
    ) -> Result<(), Fault> {
        self.record_since(None, held, kind, to_tier_uuid, detail).await
    }

    async fn record_since(
        &self,
        since: Option<Time>,
        held: &HeldRow,
        kind: &'static str,
        to_tier_uuid: Option<Uuid>,
        detail: Value,
    ) -> Result<(), Fault> {
        let event = NewEvent {
            partner_uuid: held.partner_uuid,
            kind,
            since,
            from_tier_uuid: Some(held.tier_uuid),
            to_tier_uuid,
            actor: self.actor,
            reason: self.reason,
            detail,
        };
        store::events::insert(self.db, &event).await
    }

    async fn tell(
        &self,
        held: &HeldRow,
        news: SubscriptionNews,
        tier_name: &str,
        at: Option<Time>,
    ) -> Result<(), Fault> {
        outbox::queue_to_administrators(self.db, self.services, held.partner_uuid, |name| {
            Letter::Telling(Notice::Subscription(SubscriptionNotice {
                name,
                company: held.company_name.clone(),
                news,
                tier: tier_name.to_owned(),
                at: at.map(|at| at.0),
                reason: self.reason.map(str::to_owned),
            }))
        })
        .await
    }
}

impl HeldRow {
    /// Whether a change waits, or the end of a cancelled period.
    fn has_to_come(&self) -> bool {
        self.pending_at.is_some() || self.state == SubscriptionState::Cancelling
    }

    /// What time has to do to it first, if anything. It stands still while its partner is closed, and for good when that
    /// is erased.
    fn due(&self) -> Option<Due> {
        if matches!(self.partner_state.as_str(), "CLOSED" | "ERASED") {
            return None;
        }
        rules::due(self.state, self.period_end, self.pending_at, self.read_at)
    }
}
