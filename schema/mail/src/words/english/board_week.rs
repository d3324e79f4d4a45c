//! English text of the weekly mail about the board.

use super::greet;
use crate::message::BoardWeek;
use crate::words::{Draft, MailLinks};

pub(super) fn render_email(week: &BoardWeek, places: &MailLinks<'_>) -> Draft {
    let (platform, base_url) = (places.platform, places.base_url);
    let changes =
        number(week.status_changes, "feature request changed its status", "feature requests changed their status");
    let answers = number(week.answers, "answer was written", "answers were written");
    greet(format!("The board of {platform} last week"), &week.name)
        .push_paragraph(format!("in the previous week, {changes} on the board of {platform}, and {answers}."))
        .push_paragraph("Read the changes, newest first:")
        .push_paragraph(format!("    GET {base_url}/v1/engagement/feature-requests?sort=-active_at"))
        .push_paragraph("All subscribers receive the same e-mail. To unsubscribe, open this link:")
        .push_paragraph(format!("    {}", week.unsubscribe_at(base_url)))
}

fn number(number: i64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
