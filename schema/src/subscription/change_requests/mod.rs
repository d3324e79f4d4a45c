//! Requests for another tier. A tier that partners may choose alone is applied in the moment in which it is asked for;
//! the others wait for staff, one at a time, and until the subscription is cancelled or its partner chooses another
//! tier alone: the later word holds.
//!
//! ```text
//!   (asked) ──▶ PENDING ──approve──▶ APPLIED ◀── (asked for a tier of self-service)
//!                  │ └──reject─────▶ REJECTED
//!                  └──withdraw─────▶ WITHDRAWN ◀── (cancelled, or another tier chosen meanwhile)
//! ```

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::REQUEST;
pub(in crate::subscription) use list::STATEMENTS;
pub(in crate::subscription) use resolvers::{ChangeRequestsMutation, ChangeRequestsQuery};
pub(crate) use resolvers::{TierChangeRequest, settle_request};
pub(crate) use rules::{TierChangeRequestAction, TierChangeRequestState, drawing};
