//! Requests for another tier, as operators decide them. The requests themselves stand in
//! [`crate::subscription::change_requests`].

mod resolvers;

pub(in crate::admin) use resolvers::{TierChangeRequestsMutation, TierChangeRequestsQuery};
