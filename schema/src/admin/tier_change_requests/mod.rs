//! Requests for another tier, as operators decide them. The requests themselves stand in
//! [`crate::subscription::change_requests`].

mod list;
mod resolvers;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{TierChangeRequestsMutation, TierChangeRequestsQuery};
