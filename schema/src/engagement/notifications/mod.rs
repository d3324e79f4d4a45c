//! News for a person: what happened to what they proposed, voted for or follow, within a year.
//!
//! None of it is kept for anybody. It is found whenever it is read, by the person's proposals, own votes and own follows,
//! and told with ids that are made for them. How much they have read is one sealed row (docs/decisions.md#board).

mod list;
mod reading;
mod resolvers;
mod store;

use crate::core::list::Statements;

pub(in crate::engagement) use resolvers::{NotificationsMutation, NotificationsQuery};

/// What is asked of news in words that the compiler has not checked.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 1] = [&list::NEWS];
