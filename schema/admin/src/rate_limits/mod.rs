//! Budgets of partners for staff: limits and their sources, current use, and refused requests.
//!
//! ```text
//!   tier's limits ◀──────── delete, or the end date ──────── override
//!        └───────────────────────── put ─────────────────────────▲
//! ```
//!
//! [`labs_core::budget`] and the REST layer enforce the budgets. A change here reaches every replica within a second
//! (docs/decisions/edge.md#request-budgets).

mod list;
mod resolvers;
mod rules;
mod store;

pub use list::REFUSALS_OF_EACH;
pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
pub use resolvers::RateLimitRefusal;
