//! A subscription as its partner and staff see it.

use async_graphql::SimpleObject;
use uuid::Uuid;

use super::list::SubscriptionRow;
use super::rules::{SubscriptionState, allowed_actions};
use crate::core::context::RequestContext;
use crate::core::money::Money;
use crate::core::time::Time;
use crate::core::words::words;
use crate::subscription::public_tiers::BillingPeriod;

/// Which tier a partner is on, and until when. GraphQL itself has another use for the word `Subscription`.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerSubscription {
    /// The partner.
    partner_uuid: Uuid,
    /// Its name.
    company_name: String,
    /// The tier that it is on.
    tier_code: String,
    /// That tier's name for people.
    tier_name: String,
    /// Price of one billing period, without tax.
    price: Money,
    /// What the price pays for.
    billing_period: BillingPeriod,
    /// Where it stands.
    state: SubscriptionState,
    /// Time since which the partner is on the tier.
    started_at: Time,
    /// Start of the current period.
    period_start: Time,
    /// When the present period ends; null where there are no periods.
    period_end: Option<Time>,
    /// What is to come; null when nothing is.
    pending_change: Option<PendingChange>,
    /// What the caller can do with it now.
    allowed_actions: Vec<String>,
}

/// A pending change of a subscription.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PendingChange {
    /// What it is.
    kind: PendingChangeKind,
    /// Code of the tier after the change.
    tier_code: String,
    /// That tier's name for people.
    tier_name: String,
    /// Time when the change takes effect.
    at: Time,
}

words! {
    /// What can be to come.
    pub(crate) enum PendingChangeKind {
        /// Another tier from a date on.
        TierChange = "TIER_CHANGE",
        /// The end of a cancelled period.
        Cancellation = "CANCELLATION",
    }
}

impl PartnerSubscription {
    /// A row as its partner is shown it.
    pub(crate) fn for_partner(row: SubscriptionRow, cx: &RequestContext) -> Self {
        Self::shown(row, false, cx.may("subscription:write"))
    }

    /// A row as staff are shown it.
    pub(crate) fn for_staff(row: SubscriptionRow, cx: &RequestContext) -> Self {
        Self::shown(row, true, cx.may("labs.admin.subscriptions:write"))
    }

    fn shown(row: SubscriptionRow, is_staff: bool, acts: bool) -> Self {
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
