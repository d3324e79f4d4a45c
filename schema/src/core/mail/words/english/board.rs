//! English texts about the board.

use super::greet;
use crate::core::mail::message::{BoardNews, BoardNotice};
use crate::core::mail::words::{Draft, tame, tame_reason};

pub(super) fn telling(BoardNotice { name, title, news }: &BoardNotice) -> Draft {
    let title = tame(title);
    match news {
        BoardNews::RequestSuspended { reason } => {
            greet(format!("Your feature request was removed from the board: {title}"), name)
                .say(format!("we have removed your feature request from the board: {title}"))
                .say("The reason given:")
                .say(format!("    {}", tame_reason(reason)))
                .say("Its votes and comments are kept. Contact support if you think that this decision is wrong.")
        }
        BoardNews::RequestReinstated => greet(format!("Your feature request is on the board again: {title}"), name)
            .say(format!("your feature request is on the board again, with its votes and comments: {title}")),
        BoardNews::CommentSuspended { reason } => greet(format!("Your comment is not shown any more: {title}"), name)
            .say(format!("we do not show your comment on this feature request any more: {title}"))
            .say("The reason given:")
            .say(format!("    {}", tame_reason(reason)))
            .say("Contact support if you think that this decision is wrong."),
        BoardNews::CommentReinstated => greet(format!("Your comment is shown again: {title}"), name)
            .say(format!("your comment on this feature request is shown again: {title}")),
    }
}
