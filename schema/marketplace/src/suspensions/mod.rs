//! Suspension of a listing by staff, with a reason, and its reinstatement to the former state.
//!
//! The state machine is in the app ([`crate::apps`]). The owner can still edit the draft, but no edit is published
//! during the suspension.

mod resolvers;
mod store;

pub(crate) use resolvers::OPERATIONS;
