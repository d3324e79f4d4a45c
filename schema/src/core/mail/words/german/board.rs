//! German texts about the board.

use super::greet;
use crate::core::mail::message::{BoardNews, BoardNotice};
use crate::core::mail::words::{Draft, tame, tame_reason};

pub(super) fn telling(BoardNotice { name, title, news }: &BoardNotice) -> Draft {
    let title = tame(title);
    match news {
        BoardNews::RequestSuspended { reason } => greet(
            format!("Ihr Vorschlag steht nicht mehr auf dem Board: {title}"),
            name,
        )
        .say(format!("wir haben Ihren Vorschlag vom Board genommen: {title}"))
        .say("Die Begründung:")
        .say(format!("    {}", tame_reason(reason)))
        .say("Stimmen und Kommentare bleiben erhalten. Schreiben Sie dem Support, wenn Sie das für falsch halten."),
        BoardNews::RequestReinstated => greet(format!("Ihr Vorschlag steht wieder auf dem Board: {title}"), name)
            .say(format!("Ihr Vorschlag steht mit seinen Stimmen und Kommentaren wieder auf dem Board: {title}")),
        BoardNews::CommentSuspended { reason } => {
            greet(format!("Ihr Kommentar wird nicht mehr gezeigt: {title}"), name)
                .say(format!("wir zeigen Ihren Kommentar zu diesem Vorschlag nicht mehr: {title}"))
                .say("Die Begründung:")
                .say(format!("    {}", tame_reason(reason)))
                .say("Schreiben Sie dem Support, wenn Sie das für falsch halten.")
        }
        BoardNews::CommentReinstated => greet(format!("Ihr Kommentar wird wieder gezeigt: {title}"), name)
            .say(format!("Ihr Kommentar zu diesem Vorschlag wird wieder gezeigt: {title}")),
    }
}
