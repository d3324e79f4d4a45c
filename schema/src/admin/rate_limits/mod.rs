//! Budgets under operators' hands: what a partner may spend, where that comes from, what is used of it, and who was
//! refused because it was spent.
//!
//! ```text
//!   tier's limits ◀──────── delete, or the end date ──────── override
//!        └───────────────────────── put ─────────────────────────▲
//! ```
//!
//! The budgets themselves are spent in [`crate::core::budget`] and at the edge. A change here reaches every replica within a
//! second (docs/decisions.md#budgets).

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{RateLimitsMutation, RateLimitsQuery};
