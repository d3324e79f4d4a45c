//! German text about deprecated elements that a partner still calls.

use super::greet;
use crate::message::{DeprecatedCall, DeprecationNotice};
use crate::words::{Draft, MailLinks, moment, sanitize};

pub(super) fn render_email(DeprecationNotice { name, calls }: &DeprecationNotice, places: &MailLinks<'_>) -> Draft {
    let platform = places.platform;
    let mut draft = greet(format!("Ihre Programme nutzen abgekündigte Teile von {platform}"), name).push_paragraph(
        "Ihr Unternehmen hat in den letzten 14 Tagen die folgenden abgekündigten Teile der API aufgerufen. Sie \
         funktionieren ab den genannten Zeitpunkten nicht mehr:",
    );
    for call in calls {
        draft = draft.push_paragraph(line(call));
    }
    draft
        .push_paragraph("Hier steht, wodurch Sie die Teile ersetzen können:")
        .push_paragraph(format!("    GET {}/v1/subscription/usage", places.base_url))
        .push_paragraph("Jede betroffene Antwort nennt in ihrem Link-Header den Eintrag im Changelog.")
}

fn line(DeprecatedCall { what, requests, program, sunset_at }: &DeprecatedCall) -> String {
    let by = program.as_ref().map(|program| format!(" durch {}", sanitize(program))).unwrap_or_default();
    format!("{what}: {requests} Aufrufe{by}, entfällt am {}", moment(*sunset_at))
}
