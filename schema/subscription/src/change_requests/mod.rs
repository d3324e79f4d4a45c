//! Tier change requests. A tier with self-service is applied at once. A request for any other tier waits for staff; a
//! partner has at most one pending request. A cancellation of the subscription, or a later self-service tier change,
//! withdraws it: the latest decision counts.
//!
//! ```text
//!   (created) ─▶ PENDING ──approve──▶ APPLIED ◀── (created for a self-service tier)
//!                  │ └──reject─────▶ REJECTED
//!                  └──withdraw─────▶ WITHDRAWN ◀── (cancelled, or another tier chosen since)
//! ```

mod list;
mod resolvers;
mod rules;
mod store;

pub use list::REQUEST;
pub use list::STATEMENTS;
pub use resolvers::OPERATIONS;
pub use resolvers::{TierChangeRequest, settle_request};
pub use rules::{TierChangeRequestAction, TierChangeRequestState, draw_states};
