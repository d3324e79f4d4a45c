//! English texts about customer reviews.

use super::greet;
use crate::core::mail::message::{ReviewNews, ReviewNotice};
use crate::core::mail::words::{Draft, tame};

pub(super) fn telling(ReviewNotice { name, app, news }: &ReviewNotice) -> Draft {
    let app = tame(app);
    match news {
        ReviewNews::Shown => greet(format!("A new customer review of {app}"), name)
            .say(format!(
                "the storefront shows a new customer review of {app}, or a new text of an existing one. You can reply \
                 in public."
            ))
            .say("You receive this e-mail at most once a day. Your other apps may have new customer reviews as well."),
        ReviewNews::FlagUpheld => greet(format!("A customer review of {app} was removed"), name).say(format!(
            "we have checked the customer review of {app} that you flagged. It breaks our rules and was removed from \
             the storefront."
        )),
        ReviewNews::FlagDismissed => greet(format!("A customer review of {app} stays"), name).say(format!(
            "we have checked the customer review of {app} that you flagged. It follows our rules, so it stays. You \
             can reply in public."
        )),
    }
}
