//! The mails about customers' reviews.

use super::greet;
use crate::core::mail::message::{ReviewNews, ReviewNotice};
use crate::core::mail::words::{Draft, tame};

pub(super) fn telling(ReviewNotice { name, app, news }: &ReviewNotice) -> Draft {
    let app = tame(app);
    match news {
        ReviewNews::Shown => greet(format!("A new review of {app}"), name)
            .say(format!("the storefront shows a new review of {app}, or a new text of one. You can answer it in public."))
            .say("You get this mail once a day at most. There may be reviews of other apps of yours as well."),
        ReviewNews::FlagUpheld => greet(format!("A review of {app} was taken off"), name).say(format!(
            "we have looked at the review of {app} that you flagged. It breaks our rules, and is off the storefront."
        )),
        ReviewNews::FlagDismissed => greet(format!("A review of {app} stays"), name).say(format!(
            "we have looked at the review of {app} that you flagged. It keeps to our rules, so it stays. You can answer it \
             in public."
        )),
    }
}
