//! Suspension of a listing by staff: off the storefront with a reason, and back to where it was.
//!
//! The machine is the app's ([`crate::marketplace::apps`]). Its owner goes on writing meanwhile; nothing of it goes live.

mod resolvers;
mod store;

pub(in crate::marketplace) use resolvers::SuspensionsMutation;
