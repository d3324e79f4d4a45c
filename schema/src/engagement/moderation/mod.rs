//! The board as staff moderate it: what is reported, what is suspended or merged, and what is done about it.

mod comments;
mod comments_list;
mod comments_store;
mod list;
mod marks;
mod merging;
mod overview;
mod resolvers;
mod store;

use crate::core::list::Statements;

pub(in crate::engagement) use comments::{BoardCommentModerationMutation, BoardCommentModerationQuery};
pub(crate) use comments_list::{COMMENTS_OF_EACH, ModeratedFeatureComment};
pub(crate) use list::{ModeratedFeatureRequest, PROPOSAL};
pub(in crate::engagement) use marks::BoardMarksMutation;
pub(in crate::engagement) use overview::BoardOverviewQuery;
pub(in crate::engagement) use resolvers::{BoardModerationMutation, BoardModerationQuery};

/// What is asked in words that the compiler has not checked.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 6] =
    [&comments_list::MODERATED, &comments_list::ONE, &COMMENTS_OF_EACH, &list::MODERATED, &list::ONE, &PROPOSAL];
