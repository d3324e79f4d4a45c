//! Feature requests as partners see them: the board, one of them, similar ones, and their history.

mod list;
mod resolvers;
pub(crate) mod rules;
mod similar;
pub(crate) mod store;
mod types;

use labs_core::list::Statements;

pub(crate) use resolvers::OPERATIONS;
pub(crate) use types::{
    BoardRow, ChangelogMention, FeatureRequest, FeatureRequestMention, FeatureRequestSummary, FeatureRequestTopic,
    SHORT, into_view, load_shown, topic_and_entry,
};

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 5] =
    [&list::BOARD, &types::ON_BOARD, &types::NEAR, &list::STATUS_CHANGES, &list::DUPLICATES];
