//! The tiers on offer, as a pricing page and the registration form show them.
//!
//! ```text
//!   DRAFT ──offer──▶ OFFERED ──retire──▶ RETIRED
//!                       ▲ ◀────offer──────┘
//! ```
//!
//! Only what is offered is here; staff move it in [`crate::subscription::tiers`]. Tiers are data, so nothing below names one (docs/decisions.md#tiers).

mod list;
mod resolvers;

pub(in crate::subscription) use list::STATEMENTS;
pub(crate) use resolvers::BillingPeriod;
pub(in crate::subscription) use resolvers::PublicTiersQuery;
