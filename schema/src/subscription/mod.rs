//! Tiers, their features, and the entitlements of each partner's subscription. The subscription record decides access,
//! never a payment provider.
//!
//! Rule: docs/decisions/partners.md#tiers-are-data.

pub(crate) mod change_requests;
pub(crate) mod changing;
mod current;
pub(crate) mod entitlements;
mod features;
mod public_features;
pub(crate) mod public_tiers;
pub(crate) mod tiers;
mod usage;
pub(crate) mod values;

use labs_core::engine::roots;
use labs_core::list::Statements;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &change_requests::STATEMENTS,
        &current::STATEMENTS,
        &features::STATEMENTS,
        &public_features::STATEMENTS,
        &public_tiers::STATEMENTS,
        &tiers::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied().chain(changing::statements())
}

roots! {
    /// Queries of the module.
    pub(crate) struct SubscriptionQuery(
        change_requests::ChangeRequestsQuery,
        current::CurrentQuery,
        entitlements::EntitlementsQuery,
        features::FeaturesQuery,
        public_features::PublicFeaturesQuery,
        public_tiers::PublicTiersQuery,
        tiers::TiersQuery,
        usage::UsageQuery,
    );
}

roots! {
    /// Mutations of the module.
    pub(crate) struct SubscriptionMutation(
        change_requests::ChangeRequestsMutation,
        current::CurrentMutation,
        features::FeaturesMutation,
        tiers::TiersMutation,
    );
}
