//! Offered tiers, as shown on a pricing page and in the registration form.
//!
//! ```text
//!   DRAFT ──offer──▶ OFFERED ──retire──▶ RETIRED
//!                       ▲ ◀────offer──────┘
//! ```
//!
//! This module contains only offered tiers; staff change the state in [`crate::tiers`]. Tiers are data,
//! so no code here names a tier (docs/decisions/partners.md#tiers-are-data).

mod list;
mod resolvers;

pub use list::STATEMENTS;
pub use resolvers::BillingPeriod;
pub use resolvers::OPERATIONS;
