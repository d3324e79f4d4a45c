//! Resolved entitlements of a partner: an active override, else the tier's value, else the default of the feature.
//!
//! The values come from the same database function that the guards call (`partner_entitlement`), so the response always
//! equals the enforced value (docs/decisions/partners.md#tiers-are-data).

mod resolvers;
mod rules;
mod store;

pub use resolvers::EntitlementSource;
pub use resolvers::OPERATIONS;
