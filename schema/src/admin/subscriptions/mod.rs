//! Actions of staff on subscriptions: another tier now or at a date, a later end of the period, and cancellation.
//!
//! [`crate::subscription::changing`] performs the transitions, notifies the partner and writes the history that the
//! partner reads.

mod list;
mod resolvers;
mod rules;

pub(in crate::admin) use list::STATEMENTS;
pub(crate) use list::SUBSCRIPTION_OF_EACH;
pub(in crate::admin) use resolvers::OPERATIONS;
