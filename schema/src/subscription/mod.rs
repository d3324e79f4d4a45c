//! Tiers, what they hold, and what one partner's subscription resolves to. The subscription record, never a payment
//! provider, decides access.
//!
//! Specification: platform, What the service does; decisions, Tiers.

mod entitlements;
mod public_tiers;

use crate::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct SubscriptionQuery(entitlements::EntitlementsQuery, public_tiers::PublicTiersQuery);
}
