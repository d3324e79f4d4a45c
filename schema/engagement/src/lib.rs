//! The board: feature requests of partners, and the answers by staff.
//!
//! Partners read it with a token; it is never public. Every entry names its company, and its author while their
//! attribution is on. Votes, follows and reads of a user are never disclosed
//! (docs/decisions/board.md#votes-are-pseudonymous).

mod attribution;
mod author;
pub mod board_texts;
mod comments;
mod feature_requests;
pub mod moderation;
mod notifications;
mod people;
mod pseudonym;
mod reports;
mod roadmap;
mod topics;
mod vote_status;
mod votes;
pub mod weekly_mail;

use labs_core::list::Statements;
use labs_core::operation::Operation;

pub use feature_requests::rules::draw_states;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
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

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[
    attribution::OPERATIONS,
    comments::OPERATIONS,
    feature_requests::OPERATIONS,
    moderation::COMMENTS_OPERATIONS,
    moderation::MARKS_OPERATIONS,
    moderation::OPERATIONS,
    moderation::OVERVIEW_OPERATIONS,
    notifications::OPERATIONS,
    reports::OPERATIONS,
    roadmap::OPERATIONS,
    topics::OPERATIONS,
    votes::OPERATIONS,
];
