//! English text about deprecated elements that a partner still calls.

use super::greet;
use crate::core::mail::message::{DeprecatedCall, DeprecationNotice};
use crate::core::mail::words::{Draft, Places, moment, tame};

pub(super) fn telling(DeprecationNotice { name, calls }: &DeprecationNotice, places: &Places<'_>) -> Draft {
    let platform = places.platform;
    let mut draft = greet(format!("Your machine clients use deprecated parts of {platform}"), name).say(
        "in the last 14 days your company used the following deprecated elements of the API. They stop working at \
         the given times:",
    );
    for call in calls {
        draft = draft.say(line(call));
    }
    draft
        .say("Read how to replace each of them:")
        .say(format!("    GET {}/v1/subscription/usage", places.base_url))
        .say("The Link header of every affected response names the changelog entry.")
}

fn line(DeprecatedCall { what, requests, program, sunset_at }: &DeprecatedCall) -> String {
    let by = program.as_ref().map(|program| format!(" by {}", tame(program))).unwrap_or_default();
    format!("{what}: {requests} requests{by}, removed at {}", moment(*sunset_at))
}
