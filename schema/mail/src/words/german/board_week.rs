//! German text of the weekly mail about the board.

use super::greet;
use crate::message::BoardWeek;
use crate::words::{Draft, MailLinks};

pub(super) fn render_email(week: &BoardWeek, places: &MailLinks<'_>) -> Draft {
    let (platform, base_url) = (places.platform, places.base_url);
    let changes =
        number(week.status_changes, "Vorschlag hat den Status gewechselt", "Vorschläge haben den Status gewechselt");
    let answers = number(week.answers, "Antwort wurde geschrieben", "Antworten wurden geschrieben");
    greet(format!("Das Board von {platform} in der letzten Woche"), &week.name)
        .push_paragraph(format!("in der Vorwoche gab es auf dem Board von {platform} Neues: {changes}, und {answers}."))
        .push_paragraph("Die Änderungen, die neuesten zuerst:")
        .push_paragraph(format!("    GET {base_url}/v1/engagement/feature-requests?sort=-active_at"))
        .push_paragraph("Alle Abonnenten erhalten dieselbe E-Mail. Unter diesem Link bestellen Sie sie ab:")
        .push_paragraph(format!("    {}", week.unsubscribe_at(base_url)))
}

fn number(number: i64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
