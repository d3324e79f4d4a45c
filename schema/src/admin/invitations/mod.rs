//! The invitations of any partner's team, under operators' hands.
//!
//! What an invitation is stands in [`crate::auth::invitations`]; this is the operators' door to it. What they send in a
//! team's name counts against its plan like any other.

mod resolvers;

pub(in crate::admin) use resolvers::{InvitationsMutation, InvitationsQuery};
