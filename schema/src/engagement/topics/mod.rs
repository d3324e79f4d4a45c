//! What proposals are about: names by locale in an order of their own. One that is not active stays on what has it and is
//! offered no more.

mod list;
mod resolvers;
mod store;

use crate::core::list::Statements;

pub(in crate::engagement) use resolvers::{TopicsMutation, TopicsQuery};

/// What is asked of topics in words that the compiler has not checked.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 2] = [&list::OFFERED, &list::BY_ID];
