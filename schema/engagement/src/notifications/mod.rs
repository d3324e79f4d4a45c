//! Notifications of a user: events of the last year on feature requests that they proposed, voted for or follow.
//!
//! Notifications are not stored per user. Each read computes them from the user's own feature requests, votes and
//! follows, with ids specific to the user. The read state is one encrypted row (docs/decisions/board.md#notifications).

mod list;
mod read_state;
mod resolvers;
mod store;

use labs_core::list::Statements;

pub(crate) use resolvers::OPERATIONS;

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&list::NEWS];
