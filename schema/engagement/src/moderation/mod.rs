//! Moderation of the board by staff: reports, suspensions, merges and decisions.

mod comments;
mod comments_list;
mod list;
mod marks;
mod merging;
mod overview;
mod resolvers;
mod store;

use labs_core::list::Statements;

pub(crate) use comments::OPERATIONS as COMMENTS_OPERATIONS;
pub use comments_list::{COMMENTS_OF_EACH, ModeratedFeatureComment};
pub use list::{ModeratedFeatureRequest, PROPOSAL};
pub(crate) use marks::OPERATIONS as MARKS_OPERATIONS;
pub(crate) use overview::OPERATIONS as OVERVIEW_OPERATIONS;
pub(crate) use resolvers::OPERATIONS;

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 6] =
    [&comments_list::MODERATED, &comments_list::ONE, &COMMENTS_OF_EACH, &list::MODERATED, &list::ONE, &PROPOSAL];
