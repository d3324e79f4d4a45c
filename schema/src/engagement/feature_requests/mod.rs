//! Feature requests as partners see them: the board, one of them, similar ones, and their history.

mod list;
mod resolvers;
pub(in crate::engagement) mod rules;
mod similar;
pub(in crate::engagement) mod store;
mod types;

use labs_core::list::Statements;

pub(in crate::engagement) use resolvers::OPERATIONS;
pub(in crate::engagement) use types::{
    BoardRow, ChangelogMention, FeatureRequest, FeatureRequestMention, FeatureRequestSummary, FeatureRequestTopic,
    SHORT, into_view, load_shown, topic_and_entry,
};

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 5] =
    [&list::BOARD, &types::ON_BOARD, &types::NEAR, &list::STATUS_CHANGES, &list::DUPLICATES];
