//! Entitlement overrides of staff: single values for one partner that replace the tier's values until an end date.
//!
//! ```text
//!   tier's value ◀──────── delete, or the end date ──────── override
//!        └───────────────────────── put ─────────────────────────▲
//! ```
//!
//! Entitlements are resolved by the same function that the guards call. A change takes effect on every replica within
//! one second (docs/decisions/partners.md#tiers-are-data).

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::OPERATIONS;
