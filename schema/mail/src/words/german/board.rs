//! German texts about the board.

use super::greet;
use crate::message::{BoardNews, BoardNotice};
use crate::words::{Draft, sanitize, sanitize_reason};

pub(super) fn render_email(BoardNotice { name, title, news }: &BoardNotice) -> Draft {
    let title = sanitize(title);
    match news {
        BoardNews::RequestSuspended { reason } => greet(
            format!("Ihr Vorschlag steht nicht mehr auf dem Board: {title}"),
            name,
        )
        .push_paragraph(format!("wir haben Ihren Vorschlag vom Board genommen: {title}"))
        .push_paragraph("Die Begründung:")
        .push_paragraph(format!("    {}", sanitize_reason(reason)))
        .push_paragraph(
            "Stimmen und Kommentare bleiben erhalten. Schreiben Sie dem Support, wenn Sie das für falsch halten.",
        ),
        BoardNews::RequestReinstated => greet(format!("Ihr Vorschlag steht wieder auf dem Board: {title}"), name)
            .push_paragraph(format!(
                "Ihr Vorschlag steht mit seinen Stimmen und Kommentaren wieder auf dem Board: {title}"
            )),
        BoardNews::CommentSuspended { reason } => {
            greet(format!("Ihr Kommentar wird nicht mehr gezeigt: {title}"), name)
                .push_paragraph(format!("wir zeigen Ihren Kommentar zu diesem Vorschlag nicht mehr: {title}"))
                .push_paragraph("Die Begründung:")
                .push_paragraph(format!("    {}", sanitize_reason(reason)))
                .push_paragraph("Schreiben Sie dem Support, wenn Sie das für falsch halten.")
        }
        BoardNews::CommentReinstated => greet(format!("Ihr Kommentar wird wieder gezeigt: {title}"), name)
            .push_paragraph(format!("Ihr Kommentar zu diesem Vorschlag wird wieder gezeigt: {title}")),
    }
}
