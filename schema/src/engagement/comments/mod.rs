//! Comments beneath proposals: what people of partners say to them, and what staff answer. Each stays where it was written,
//! also when its proposal is merged into another, which shows it with its origin.

mod list;
mod resolvers;
mod rules;
pub(in crate::engagement) mod store;

use crate::core::list::Statements;

pub(in crate::engagement) use resolvers::{BoardCommentsMutation, BoardCommentsQuery};

/// What is asked of comments in words that the compiler has not checked.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 3] = [&list::OWN, &list::TOGETHER, &list::ON_BOARD];
