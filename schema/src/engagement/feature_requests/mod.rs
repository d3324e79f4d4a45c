//! Proposals as partners see them: the board, one of them, what is near, and what happened to it.

mod list;
mod resolvers;
pub(in crate::engagement) mod rules;
mod similar;
pub(in crate::engagement) mod store;
mod types;

use crate::core::list::Statements;

pub(in crate::engagement) use resolvers::{FeatureRequestsMutation, FeatureRequestsQuery};
pub(in crate::engagement) use types::{
    BoardRow, ChangelogMention, FeatureRequest, FeatureRequestMention, FeatureRequestSummary, FeatureRequestTopic,
    SHORT, load_shown, shown, topic_and_entry,
};

/// What is asked of proposals in words that the compiler has not checked.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 5] =
    [&list::BOARD, &types::ON_BOARD, &types::NEAR, &list::STATUS_CHANGES, &list::DUPLICATES];
