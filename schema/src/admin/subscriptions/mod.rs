//! Subscriptions under operators' hands: another tier now or at a date, a later end of the period, and the end.
//!
//! The steps themselves, which tell the partner and enter into the history that it reads, stand in
//! [`crate::subscription::changing`].

mod list;
mod resolvers;
mod rules;

pub(in crate::admin) use list::STATEMENTS;
pub(crate) use list::SUBSCRIPTION_OF_EACH;
pub(in crate::admin) use resolvers::{SubscriptionsMutation, SubscriptionsQuery};
