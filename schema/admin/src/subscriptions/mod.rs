//! Actions of staff on subscriptions: another tier now or at a date, a later end of the period, and cancellation.
//!
//! [`labs_subscription::changing`] performs the transitions, notifies the partner and writes the history that the
//! partner reads.

mod list;
mod resolvers;
mod rules;

pub use list::STATEMENTS;
pub use list::SUBSCRIPTION_OF_EACH;
pub use resolvers::OPERATIONS;
