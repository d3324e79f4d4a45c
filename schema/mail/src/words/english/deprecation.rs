//! English text about deprecated elements that a partner still calls.

use super::greet;
use crate::message::{DeprecatedCall, DeprecationNotice};
use crate::words::{Draft, MailLinks, moment, sanitize};

pub(super) fn render_email(DeprecationNotice { name, calls }: &DeprecationNotice, places: &MailLinks<'_>) -> Draft {
    let platform = places.platform;
    let mut draft = greet(format!("Your machine clients use deprecated parts of {platform}"), name).push_paragraph(
        "in the last 14 days your company used the following deprecated elements of the API. They stop working at \
         the given times:",
    );
    for call in calls {
        draft = draft.push_paragraph(line(call));
    }
    draft
        .push_paragraph("Read how to replace each of them:")
        .push_paragraph(format!("    GET {}/v1/subscription/usage", places.base_url))
        .push_paragraph("The Link header of every affected response names the changelog entry.")
}

fn line(DeprecatedCall { what, requests, program, sunset_at }: &DeprecatedCall) -> String {
    let by = program.as_ref().map(|program| format!(" by {}", sanitize(program))).unwrap_or_default();
    format!("{what}: {requests} requests{by}, removed at {}", moment(*sunset_at))
}
