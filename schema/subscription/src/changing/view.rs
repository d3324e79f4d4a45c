//! A subscription as its partner and staff see it.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::money::Money;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

use super::list::SubscriptionRow;
use super::rules::{SubscriptionState, allowed_actions};
use crate::public_tiers::BillingPeriod;

/// A partner's tier, its current period and the pending change.
#[derive(serde::Serialize, OutputType)]
pub struct PartnerSubscription {
    /// UUID of the partner.
    partner_uuid: Uuid,
    /// Company name of the partner.
    company_name: String,
    /// Code of the current tier.
    tier_code: String,
    /// Display name of the current tier.
    tier_name: String,
    /// Price of one billing period, without tax. Zero for a free tier.
    price: Money,
    /// Billing period of the price.
    billing_period: BillingPeriod,
    /// State of the subscription.
    state: SubscriptionState,
    /// Time since which the partner is on the tier.
    started_at: Time,
    /// Start of the current period.
    period_start: Time,
    /// End of the current period and start of the next. Null without periods.
    period_end: Option<Time>,
    /// Pending change, one at a time. Null if no change is pending.
    pending_change: Option<PendingChange>,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// A pending change of a subscription.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PendingChange {
    /// Kind of the change.
    kind: PendingChangeKind,
    /// Code of the tier after the change.
    tier_code: String,
    /// Display name of the tier after the change.
    tier_name: String,
    /// Time when the change takes effect.
    at: Time,
}

words! {
    /// Kind of a pending change.
    pub enum PendingChangeKind {
        /// Another tier from a date on.
        TierChange = "TIER_CHANGE",
        /// The end of a cancelled period. The free tier applies afterwards.
        Cancellation = "CANCELLATION",
    }
}

impl PartnerSubscription {
    /// Converts a row for its partner.
    pub fn for_partner(row: SubscriptionRow, cx: &RequestContext) -> Self {
        Self::from_row(row, false, cx.may("subscription:write"))
    }

    /// Converts a row for staff.
    pub fn for_staff(row: SubscriptionRow, cx: &RequestContext) -> Self {
        Self::from_row(row, true, cx.may("labs.admin.subscriptions:write"))
    }

    fn from_row(row: SubscriptionRow, is_staff: bool, acts: bool) -> Self {
        let (has_end, is_free) = (row.period_end.is_some(), row.price_amount_minor == 0);
        let allowed_actions = if acts { allowed_actions(row.state, has_end, is_free, is_staff) } else { Vec::new() };
        let kind = match row.state {
            SubscriptionState::Active => PendingChangeKind::TierChange,
            SubscriptionState::Cancelling => PendingChangeKind::Cancellation,
        };
        let to_come = row.to_come_tier_code.zip(row.to_come_tier_name).zip(row.to_come_at);
        Self {
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            tier_code: row.tier_code,
            tier_name: row.tier_name,
            price: Money { amount_minor: row.price_amount_minor, currency: row.currency },
            billing_period: row.billing_period,
            state: row.state,
            started_at: row.started_at,
            period_start: row.period_start,
            period_end: row.period_end,
            pending_change: to_come.map(|((tier_code, tier_name), at)| PendingChange {
                kind,
                tier_code,
                tier_name,
                at,
            }),
            allowed_actions,
        }
    }
}
