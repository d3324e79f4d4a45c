//! The board: what partners want of the service, and what the service answers.
//!
//! Partners read it with a token; nothing of it is public. Every entry names its company, and its person while they want to
//! be named. Who voted, followed or read is told nowhere (docs/decisions.md#board).

mod attribution;
mod author;
pub(crate) mod board_texts;
mod comments;
mod feature_requests;
pub(crate) mod moderation;
mod notifications;
mod people;
mod pseudonym;
mod reports;
mod roadmap;
mod standing;
mod topics;
mod votes;
pub(crate) mod weekly_mail;

use crate::core::engine::roots;
use crate::core::list::Statements;

pub(crate) use feature_requests::rules::drawing;

/// What is asked in the group in words that the compiler has not checked.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &comments::STATEMENTS,
        &feature_requests::STATEMENTS,
        &moderation::STATEMENTS,
        &notifications::STATEMENTS,
        &reports::STATEMENTS,
        &roadmap::STATEMENTS,
        &topics::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied()
}

roots! {
    /// What can be read in the group.
    pub(crate) struct EngagementQuery(
        attribution::AttributionQuery,
        comments::BoardCommentsQuery,
        feature_requests::FeatureRequestsQuery,
        moderation::BoardCommentModerationQuery,
        moderation::BoardModerationQuery,
        moderation::BoardOverviewQuery,
        notifications::NotificationsQuery,
        reports::BoardReportsQuery,
        roadmap::RoadmapQuery,
        topics::TopicsQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct EngagementMutation(
        attribution::AttributionMutation,
        comments::BoardCommentsMutation,
        feature_requests::FeatureRequestsMutation,
        moderation::BoardCommentModerationMutation,
        moderation::BoardMarksMutation,
        moderation::BoardModerationMutation,
        notifications::NotificationsMutation,
        reports::BoardReportsMutation,
        topics::TopicsMutation,
        votes::VotesMutation,
    );
}
