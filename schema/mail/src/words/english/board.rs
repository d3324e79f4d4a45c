//! English texts about the board.

use super::greet;
use crate::message::{BoardNews, BoardNotice};
use crate::words::{Draft, sanitize, sanitize_reason};

pub(super) fn render_email(BoardNotice { name, title, news }: &BoardNotice) -> Draft {
    let title = sanitize(title);
    match news {
        BoardNews::RequestSuspended { reason } => {
            greet(format!("Your feature request was removed from the board: {title}"), name)
                .push_paragraph(format!("we have removed your feature request from the board: {title}"))
                .push_paragraph("The reason given:")
                .push_paragraph(format!("    {}", sanitize_reason(reason)))
                .push_paragraph(
                    "Its votes and comments are kept. Contact support if you think that this decision is wrong.",
                )
        }
        BoardNews::RequestReinstated => greet(format!("Your feature request is on the board again: {title}"), name)
            .push_paragraph(format!(
                "your feature request is on the board again, with its votes and comments: {title}"
            )),
        BoardNews::CommentSuspended { reason } => greet(format!("Your comment is not shown any more: {title}"), name)
            .push_paragraph(format!("we do not show your comment on this feature request any more: {title}"))
            .push_paragraph("The reason given:")
            .push_paragraph(format!("    {}", sanitize_reason(reason)))
            .push_paragraph("Contact support if you think that this decision is wrong."),
        BoardNews::CommentReinstated => greet(format!("Your comment is shown again: {title}"), name)
            .push_paragraph(format!("your comment on this feature request is shown again: {title}")),
    }
}
