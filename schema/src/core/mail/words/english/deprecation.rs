//! The mail about what a partner calls and what is to go.

use super::greet;
use crate::core::mail::message::{DeprecatedCall, DeprecationNotice};
use crate::core::mail::words::{Draft, Places, moment, tame};

pub(super) fn telling(DeprecationNotice { name, calls }: &DeprecationNotice, places: &Places<'_>) -> Draft {
    let platform = places.platform;
    let mut draft = greet(format!("Your programs call what {platform} will soon not have"), name).say(
        "in the last 14 days your company called the following, which is deprecated. After the moments given here it no \
         longer works:",
    );
    for call in calls {
        draft = draft.say(line(call));
    }
    draft
        .say("What to do instead, for each of them:")
        .say(format!("    GET {}/v1/subscription/usage", places.base_url))
        .say("Every answer that is concerned names the entry of the changelog in its Link header.")
}

fn line(DeprecatedCall { what, requests, program, sunset_at }: &DeprecatedCall) -> String {
    let by = program.as_ref().map(|program| format!(" by {}", tame(program))).unwrap_or_default();
    format!("{what}: {requests} calls{by}, gone at {}", moment(*sunset_at))
}
