//! The tiers on offer, as a pricing page and the registration form show them.
//!
//! ```text
//!   DRAFT ──offer──▶ OFFERED ──retire──▶ RETIRED
//! ```
//!
//! Only what is offered is here. Tiers are data, so nothing below names one (specification: decisions, Tiers).

mod resolvers;
mod store;

pub(in crate::subscription) use resolvers::{FeatureKind, PublicTiersQuery};
