//! What one partner may do and how much of it, resolved: an override in force, else the tier's value, else the
//! feature's default.
//!
//! It is answered by the very function that the guards ask (`partner_entitlement`), so that what is shown here is what
//! is allowed (docs/decisions.md#tiers).

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::EntitlementSource;
pub(in crate::subscription) use resolvers::EntitlementsQuery;
