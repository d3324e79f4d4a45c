//! The roadmap: what is planned, being made and lately shipped, and how fast the service answers.

mod pace;
mod resolvers;

use crate::core::list::Statements;

pub(in crate::engagement) use resolvers::RoadmapQuery;

/// What is asked of the roadmap in words that the compiler has not checked.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 1] = [&resolvers::COLUMNS];
