//! Entitlements under operators' hands: single values for one partner, in place of its tier's, until a day named.
//!
//! ```text
//!   tier's value ◀──────── delete, or the end date ──────── override
//!        └───────────────────────── put ─────────────────────────▲
//! ```
//!
//! It is answered by the very function that the guards ask; a change is in force on every replica within a second
//! (docs/decisions.md#tiers).

mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use resolvers::{AdminEntitlementsMutation, AdminEntitlementsQuery};
