//! German texts about customer reviews.

use super::greet;
use crate::message::{ReviewNews, ReviewNotice};
use crate::words::{Draft, sanitize};

pub(super) fn render_email(ReviewNotice { name, app, news }: &ReviewNotice) -> Draft {
    let app = sanitize(app);
    match news {
        ReviewNews::Shown => greet(format!("Eine neue Bewertung von {app}"), name)
            .push_paragraph(format!(
                "im Marktplatz steht eine neue Bewertung von {app} oder ein neuer Text einer Bewertung. Sie können \
                 öffentlich antworten."
            ))
            .push_paragraph("Sie erhalten diese Mail höchstens einmal am Tag. Auch andere Apps von Ihnen können neue Bewertungen haben."),
        ReviewNews::FlagUpheld => greet(format!("Eine Bewertung von {app} wurde entfernt"), name).push_paragraph(format!(
            "wir haben die Bewertung von {app} geprüft, die Sie gemeldet haben. Sie verstößt gegen unsere Regeln und \
             wurde aus dem Marktplatz entfernt."
        )),
        ReviewNews::FlagDismissed => greet(format!("Eine Bewertung von {app} wird nicht entfernt"), name).push_paragraph(format!(
            "wir haben die Bewertung von {app} geprüft, die Sie gemeldet haben. Sie hält unsere Regeln ein und \
             bleibt im Marktplatz. Sie können öffentlich antworten."
        )),
    }
}
