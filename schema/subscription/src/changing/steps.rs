//! Actions on a subscription: each checks the state, writes the change and its event, and notifies the administrators.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::PrincipalType;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_core::words::words;
use labs_mail::message::{MailContent, Notice};
use labs_mail::outbox;
use labs_mail::subscription::{SubscriptionNews, SubscriptionNotice};
use serde_json::{Value, json};
use uuid::Uuid;

use super::rules::{self, Due, SubscriptionAction, SubscriptionState};
use super::store::events::NewEvent;
use super::store::{self, LockedSubscriptionRow, TierRow};

words! {
    /// Time when a cancelled subscription falls back to the free tier.
    pub enum SubscriptionEnd {
        /// At once.
        Now = "NOW",
        /// At the end of the current period, or at once if there are no periods.
        PeriodEnd = "PERIOD_END",
    }
}

/// A change with its actor and reason.
pub struct SubscriptionChange<'a> {
    db: &'a Db,
    services: &'a Services,
    actor: Actor,
    reason: Option<&'a str>,
    is_staff: bool,
}

impl<'a> SubscriptionChange<'a> {
    /// Creates a change by the caller. The partner can read the reason.
    ///
    /// # Errors
    /// [`labs_core::Code::Unauthenticated`] without a caller.
    pub fn by_caller(cx: &'a RequestContext, reason: Option<&'a str>) -> Result<Self, Fault> {
        let principal = cx.principal()?;
        let is_staff = principal.kind == PrincipalType::StaffUser || principal.partner_uuid.is_none();
        Ok(Self { db: &cx.db, services: &cx.services, actor: Actor::of(principal), reason, is_staff })
    }

    /// Creates a change by the service at the due time.
    pub(super) fn by_time(db: &'a Db, services: &'a Services) -> Self {
        Self { db, services, actor: Actor::SYSTEM, reason: None, is_staff: false }
    }

    /// Changes the tier now. A change to the current tier undoes the pending change.
    ///
    /// # Errors
    /// [`labs_core::Code::Conflict`] if the tier is current and no change is pending.
    pub async fn to_tier(&self, partner_uuid: Uuid, tier: &TierRow) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        let state = rules::next_state(locked.state, SubscriptionAction::ChangeTier, self.is_staff)?;
        if locked.tier_uuid == tier.tier_uuid {
            rules::ensure_other_tier(!locked.has_to_come(), &tier.code)?;
            return self.keep(&locked, state, tier).await;
        }
        store::set_tier(self.db, partner_uuid, tier.tier_uuid, state.name(), None).await?;
        self.record(&locked, "CHANGED", Some(tier.tier_uuid), json!({})).await?;
        self.notify_administrators(&locked, SubscriptionNews::Changed, &tier.name, None).await
    }

    /// Schedules a tier change.
    ///
    /// # Errors
    /// [`labs_core::Code::Conflict`] if the tier is current, [`labs_core::Code::ValidationFailed`] for a time in the
    /// past.
    pub async fn to_tier_at(&self, partner_uuid: Uuid, tier: &TierRow, at: Time) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        rules::to_come(at, locked.read_at, "/at")?;
        rules::ensure_other_tier(locked.tier_uuid == tier.tier_uuid, &tier.code)?;
        let state = rules::next_state(locked.state, SubscriptionAction::ChangeTier, self.is_staff)?;
        store::set_pending(self.db, partner_uuid, tier.tier_uuid, state.name(), at).await?;
        let detail = json!({ "effective_at": at });
        self.record(&locked, "CHANGE_SCHEDULED", Some(tier.tier_uuid), detail).await?;
        self.notify_administrators(&locked, SubscriptionNews::WillChange, &tier.name, Some(at)).await
    }

    /// Cancels a subscription, which then falls back to the free tier. Withdraws a pending tier change request, because
    /// the latest decision counts.
    ///
    /// # Errors
    /// [`labs_core::Code::Conflict`] on the free tier, [`labs_core::Code::IllegalTransition`] if it is already
    /// cancelled.
    pub async fn cancel(&self, partner_uuid: Uuid, end: SubscriptionEnd) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        rules::ensure_cancellable(locked.is_fallback, &locked.tier_code)?;
        let fallback = self.fallback().await?;
        self.withdraw_pending(&locked).await?;
        let Some(period_end) = locked.period_end.filter(|_| end == SubscriptionEnd::PeriodEnd) else {
            return self.end(&locked, &fallback, None).await;
        };
        let state = rules::next_state(locked.state, SubscriptionAction::Cancel, self.is_staff)?;
        store::set_state(self.db, partner_uuid, state.name()).await?;
        let detail = json!({ "effective_at": period_end });
        self.record(&locked, "CANCELLED", Some(fallback.tier_uuid), detail).await?;
        self.notify_administrators(&locked, SubscriptionNews::WillEnd, &fallback.name, Some(period_end)).await
    }

    /// Undoes a cancellation before it takes effect.
    ///
    /// # Errors
    /// [`labs_core::Code::IllegalTransition`] without a cancellation.
    pub async fn resume(&self, partner_uuid: Uuid) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        let state = rules::next_state(locked.state, SubscriptionAction::Resume, self.is_staff)?;
        let tier = self.tier(locked.tier_uuid).await?;
        self.keep(&locked, state, &tier).await
    }

    /// Extends a partner's period.
    ///
    /// # Errors
    /// [`labs_core::Code::Conflict`] without a period, [`labs_core::Code::ValidationFailed`] for an end that is not
    /// later.
    pub async fn extend(&self, partner_uuid: Uuid, period_end: Time) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        rules::next_state(locked.state, SubscriptionAction::Extend, self.is_staff)?;
        rules::later_end(locked.period_end, period_end, locked.read_at)?;
        store::set_period_end(self.db, partner_uuid, period_end).await?;
        let tier = self.tier(locked.tier_uuid).await?;
        self.record(&locked, "EXTENDED", None, json!({ "effective_at": period_end })).await?;
        self.notify_administrators(&locked, SubscriptionNews::Extended, &tier.name, Some(period_end)).await
    }

    /// Rejects the partner's current tier, unless choosing it undoes the pending change.
    ///
    /// # Errors
    /// [`labs_core::Code::Conflict`].
    pub async fn other_than(&self, partner_uuid: Uuid, tier: &TierRow) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        rules::ensure_other_tier(locked.tier_uuid == tier.tier_uuid && !locked.has_to_come(), &tier.code)
    }

    /// Locks a subscription until the transaction ends and executes its due changes.
    ///
    /// # Errors
    /// [`labs_core::Code::NotFound`] if the partner does not exist or was erased.
    pub async fn lock_first(&self, partner_uuid: Uuid) -> Result<(), Fault> {
        self.lock_current(partner_uuid).await.map(drop)
    }

    /// Withdraws the pending tier change request, if one exists.
    pub async fn withdraw_request(&self, partner_uuid: Uuid) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        self.withdraw_pending(&locked).await
    }

    /// Executes the first due change; false if nothing is due, or another replica has locked it.
    pub(super) async fn apply_due(&self, partner_uuid: Uuid) -> Result<bool, Fault> {
        let Some(locked) = store::lock_due(self.db, partner_uuid).await? else { return Ok(false) };
        let Some(due) = locked.due() else { return Ok(false) };
        self.apply(&locked, due).await?;
        Ok(true)
    }

    /// Executes a due change, as of its due time.
    async fn apply(&self, locked: &LockedSubscriptionRow, due: Due) -> Result<(), Fault> {
        match due {
            Due::Renew => {
                store::set_renewed(self.db, locked.partner_uuid).await?;
                self.record_since(locked.period_end, locked, "RENEWED", None, json!({})).await
            }
            Due::End => self.end(locked, &self.fallback().await?, locked.period_end).await,
            Due::Change => {
                let waits =
                    locked.pending_tier_uuid.ok_or_else(|| Fault::internal("a scheduled change has no tier"))?;
                let state = rules::next_state(locked.state, SubscriptionAction::ChangeTier, false)?;
                let tier = self.tier(waits).await?;
                store::set_tier(self.db, locked.partner_uuid, tier.tier_uuid, state.name(), locked.pending_at).await?;
                self.record_since(locked.pending_at, locked, "CHANGED", Some(tier.tier_uuid), json!({})).await?;
                self.notify_administrators(locked, SubscriptionNews::Changed, &tier.name, None).await
            }
        }
    }

    /// Adds another event to the history that the partner reads.
    pub async fn note(
        &self,
        partner_uuid: Uuid,
        kind: &'static str,
        to_tier_uuid: Option<Uuid>,
        detail: Value,
    ) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        self.record(&locked, kind, to_tier_uuid, detail).await
    }

    /// Notifies the partner's administrators that another tier was rejected.
    pub async fn notify_rejected(&self, partner_uuid: Uuid, tier_name: &str) -> Result<(), Fault> {
        let locked = self.lock_current(partner_uuid).await?;
        self.notify_administrators(&locked, SubscriptionNews::RequestRejected, tier_name, None).await
    }

    /// Moves the subscription to the free tier, now or as of the given time.
    async fn end(&self, locked: &LockedSubscriptionRow, fallback: &TierRow, since: Option<Time>) -> Result<(), Fault> {
        let state = rules::next_state(locked.state, SubscriptionAction::End, self.is_staff)?;
        store::set_tier(self.db, locked.partner_uuid, fallback.tier_uuid, state.name(), since).await?;
        self.record_since(since, locked, "ENDED", Some(fallback.tier_uuid), json!({})).await?;
        self.notify_administrators(locked, SubscriptionNews::Ended, &fallback.name, None).await
    }

    /// Drops the pending change and keeps the current tier.
    async fn keep(
        &self,
        locked: &LockedSubscriptionRow,
        state: SubscriptionState,
        tier: &TierRow,
    ) -> Result<(), Fault> {
        store::set_state(self.db, locked.partner_uuid, state.name()).await?;
        self.record(locked, "RESUMED", Some(tier.tier_uuid), json!({})).await?;
        self.notify_administrators(locked, SubscriptionNews::Resumed, &tier.name, None).await
    }

    /// Withdraws the pending tier change request because of a later decision of its partner or of staff.
    async fn withdraw_pending(&self, locked: &LockedSubscriptionRow) -> Result<(), Fault> {
        let waited = store::request_withdraw(self.db, locked.partner_uuid, self.reason).await?;
        let Some((request_uuid, to_tier_uuid)) = waited else { return Ok(()) };
        let detail = json!({ "request_uuid": request_uuid });
        self.record(locked, "CHANGE_WITHDRAWN", Some(to_tier_uuid), detail).await
    }

    /// Locks a subscription. Executes its due changes before any action, so that no action starts from an outdated
    /// state if the job is late.
    async fn lock_current(&self, partner_uuid: Uuid) -> Result<LockedSubscriptionRow, Fault> {
        let mut locked = self.lock(partner_uuid).await?;
        while let Some(due) = locked.due() {
            Self::by_time(self.db, self.services).apply(&locked, due).await?;
            locked = self.lock(partner_uuid).await?;
        }
        Ok(locked)
    }

    /// Locks a subscription. An erasure locks the subscription after the partner, so it also anonymises all events
    /// written before.
    async fn lock(&self, partner_uuid: Uuid) -> Result<LockedSubscriptionRow, Fault> {
        let locked = store::lock(self.db, partner_uuid).await?.filter(|locked| locked.partner_state != "ERASED");
        locked.ok_or_else(|| Fault::not_found("partner"))
    }

    async fn tier(&self, tier_uuid: Uuid) -> Result<TierRow, Fault> {
        store::tier_by_uuid(self.db, tier_uuid).await?.ok_or_else(|| Fault::internal("a subscription has no tier"))
    }

    async fn fallback(&self) -> Result<TierRow, Fault> {
        store::get_fallback(self.db).await?.ok_or_else(|| Fault::internal("no free tier is offered"))
    }

    async fn record(
        &self,
        locked: &LockedSubscriptionRow,
        kind: &'static str,
        to_tier_uuid: Option<Uuid>,
        detail: Value,
    ) -> Result<(), Fault> {
        self.record_since(None, locked, kind, to_tier_uuid, detail).await
    }

    async fn record_since(
        &self,
        since: Option<Time>,
        locked: &LockedSubscriptionRow,
        kind: &'static str,
        to_tier_uuid: Option<Uuid>,
        detail: Value,
    ) -> Result<(), Fault> {
        let event = NewEvent {
            partner_uuid: locked.partner_uuid,
            kind,
            since,
            from_tier_uuid: Some(locked.tier_uuid),
            to_tier_uuid,
            actor: self.actor,
            reason: self.reason,
            detail,
        };
        store::events::insert(self.db, &event).await
    }

    async fn notify_administrators(
        &self,
        locked: &LockedSubscriptionRow,
        news: SubscriptionNews,
        tier_name: &str,
        at: Option<Time>,
    ) -> Result<(), Fault> {
        outbox::queue_to_administrators(self.db, self.services, locked.partner_uuid, |name| {
            MailContent::Telling(Notice::Subscription(SubscriptionNotice {
                name,
                company: locked.company_name.clone(),
                news,
                tier: tier_name.to_owned(),
                at: at.map(|at| at.0),
                reason: self.reason.map(str::to_owned),
            }))
        })
        .await
    }
}

impl LockedSubscriptionRow {
    /// Whether a tier change is scheduled, or the subscription is cancelled for the end of its period.
    fn has_to_come(&self) -> bool {
        self.pending_at.is_some() || self.state == SubscriptionState::Cancelling
    }

    /// Returns the first due change, if any. A subscription pauses while its partner is closed, and stops permanently
    /// if the partner is erased.
    fn due(&self) -> Option<Due> {
        if matches!(self.partner_state.as_str(), "CLOSED" | "ERASED") {
            return None;
        }
        rules::due(self.state, self.period_end, self.pending_at, self.read_at)
    }
}
