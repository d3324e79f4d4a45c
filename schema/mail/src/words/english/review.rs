//! English texts about customer reviews.

use super::greet;
use crate::message::{ReviewNews, ReviewNotice};
use crate::words::{Draft, sanitize};

pub(super) fn render_email(ReviewNotice { name, app, news }: &ReviewNotice) -> Draft {
    let app = sanitize(app);
    match news {
        ReviewNews::Shown => greet(format!("A new customer review of {app}"), name)
            .push_paragraph(format!(
                "the storefront shows a new customer review of {app}, or a new text of an existing one. You can reply \
                 in public."
            ))
            .push_paragraph("You receive this e-mail at most once a day. Your other apps may have new customer reviews as well."),
        ReviewNews::FlagUpheld => greet(format!("A customer review of {app} was removed"), name).push_paragraph(format!(
            "we have checked the customer review of {app} that you flagged. It breaks our rules and was removed from \
             the storefront."
        )),
        ReviewNews::FlagDismissed => greet(format!("A customer review of {app} stays"), name).push_paragraph(format!(
            "we have checked the customer review of {app} that you flagged. It follows our rules, so it stays. You \
             can reply in public."
        )),
    }
}
