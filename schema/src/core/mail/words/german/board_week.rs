//! German text of the weekly mail about the board.

use super::greet;
use crate::core::mail::message::BoardWeek;
use crate::core::mail::words::{Draft, Places};

pub(super) fn telling(week: &BoardWeek, places: &Places<'_>) -> Draft {
    let (platform, base_url) = (places.platform, places.base_url);
    let changes =
        number(week.status_changes, "Vorschlag hat den Status gewechselt", "Vorschläge haben den Status gewechselt");
    let answers = number(week.answers, "Antwort wurde geschrieben", "Antworten wurden geschrieben");
    greet(format!("Das Board von {platform} in der letzten Woche"), &week.name)
        .say(format!("in der Vorwoche gab es auf dem Board von {platform} Neues: {changes}, und {answers}."))
        .say("Die Änderungen, die neuesten zuerst:")
        .say(format!("    GET {base_url}/v1/engagement/feature-requests?sort=-active_at"))
        .say("Alle Abonnenten erhalten dieselbe E-Mail. Unter diesem Link bestellen Sie sie ab:")
        .say(format!("    {}", week.unsubscribe_at(base_url)))
}

fn number(number: i64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
