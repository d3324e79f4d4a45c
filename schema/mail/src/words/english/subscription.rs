//! English texts about a subscription.

use super::super::{Draft, moment, sanitize, sanitize_reason};
use super::greet;
use crate::subscription::{SubscriptionNews, SubscriptionNotice};

pub(super) fn render_email(notice: &SubscriptionNotice, platform: &str) -> Draft {
    let (company, tier) = (sanitize(&notice.company), sanitize(&notice.tier));
    let when = notice.at.map(moment).unwrap_or_default();
    let (subject, what) = match notice.news {
        SubscriptionNews::Changed => (
            format!("Your tier at {platform} is now {tier}"),
            format!(
                "the subscription of {company} at {platform} is now on {tier}. The features and limits of your team \
                 and your machine clients change immediately."
            ),
        ),
        SubscriptionNews::WillChange => (
            format!("Your tier at {platform} changes to {tier}"),
            format!("the subscription of {company} at {platform} changes to {tier} at {when}."),
        ),
        SubscriptionNews::WillEnd => (
            format!("Your subscription at {platform} is cancelled"),
            format!(
                "the subscription of {company} at {platform} is cancelled. It does not change before {when}. Then it \
                 falls back to {tier}. Until then, you can undo the cancellation."
            ),
        ),
        SubscriptionNews::Resumed => (
            format!("Your subscription at {platform} continues"),
            format!(
                "the subscription of {company} at {platform} continues with {tier}: the scheduled change was \
                 cancelled."
            ),
        ),
        SubscriptionNews::Ended => (
            format!("Your subscription at {platform} has ended"),
            format!(
                "the subscription of {company} at {platform} has fallen back to {tier}. Your data is kept. If you \
                 exceed a limit of {tier}, you must remove something before you can add more."
            ),
        ),
        SubscriptionNews::Extended => (
            format!("Your billing period at {platform} was extended"),
            format!("the current period of the subscription of {company} at {platform} ({tier}) now ends at {when}."),
        ),
        SubscriptionNews::RequestRejected => (
            format!("Tier {tier} at {platform} not approved"),
            format!(
                "you requested {tier} for {company} at {platform}. Our staff did not approve the request, so nothing \
                 changes."
            ),
        ),
    };
    let draft = greet(subject, &notice.name).push_paragraph(what);
    match &notice.reason {
        Some(reason) => draft.push_paragraph(format!("The reason given: {}", sanitize_reason(reason))),
        None => draft,
    }
}
