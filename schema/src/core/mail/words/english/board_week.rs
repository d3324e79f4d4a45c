//! The weekly mail about the board.

use super::greet;
use crate::core::mail::message::BoardWeek;
use crate::core::mail::words::{Draft, Places};

pub(super) fn telling(week: &BoardWeek, places: &Places<'_>) -> Draft {
    let (platform, base_url) = (places.platform, places.base_url);
    let changes = number(week.status_changes, "feature request was moved on", "feature requests were moved on");
    let answers = number(week.answers, "answer was written", "answers were written");
    greet(format!("The board of {platform} last week"), &week.name)
        .say(format!("in the week before this one, {changes} on the board of {platform}, and {answers}."))
        .say("What it was, the latest first:")
        .say(format!("    GET {base_url}/v1/engagement/feature-requests?sort=-active_at"))
        .say("Everybody who wants this mail gets the same one. If you want it no more, this ends it:")
        .say(format!("    {}", week.unsubscribe_at(base_url)))
}

fn number(number: i64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
