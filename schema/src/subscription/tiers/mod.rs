//! Tiers under staff's hands: a price, two budgets and a value for each feature, all of them data.
//!
//! ```text
//!   DRAFT ──offer──▶ OFFERED ──retire──▶ RETIRED
//!                       ▲ ◀────offer──────┘
//! ```
//!
//! Subscribers of a retired tier keep it. What is changed here is in force for the subscribers of the tier within a
//! second. There is always a tier on offer that costs nothing and that anybody may choose: cancelled subscriptions fall
//! back to it (specification: decisions, Tiers and States).

mod resolvers;
pub(crate) mod rules;
mod simulation;
mod store;

pub(in crate::subscription) use resolvers::{TiersMutation, TiersQuery};
