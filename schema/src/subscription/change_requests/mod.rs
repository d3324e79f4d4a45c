//! Requests for another tier. A tier that partners may choose alone is applied in the moment in which it is asked for;
//! the others wait for staff, one at a time.
//!
//! ```text
//!   (asked) ──▶ PENDING ──approve──▶ APPLIED ◀── (asked for a tier of self-service)
//!                  │ └──reject─────▶ REJECTED
//!                  └──withdraw─────▶ WITHDRAWN
//! ```

mod resolvers;
mod rules;
mod store;

pub(in crate::subscription) use resolvers::{ChangeRequestsMutation, ChangeRequestsQuery};
pub(crate) use resolvers::{TierChangeRequest, decided};
pub(crate) use rules::{Action, State, drawing};
pub(crate) use store::{Filter, RequestRow, any_page, count};
