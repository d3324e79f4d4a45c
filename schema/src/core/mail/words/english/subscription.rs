//! What is told of a subscription, in English.

use super::super::{Draft, moment, tame, tame_reason};
use super::greet;
use crate::core::mail::subscription::{SubscriptionNews, SubscriptionNotice};

pub(super) fn telling(notice: &SubscriptionNotice, platform: &str) -> Draft {
    let (company, tier) = (tame(&notice.company), tame(&notice.tier));
    let when = notice.at.map(moment).unwrap_or_default();
    let (subject, what) = match notice.news {
        SubscriptionNews::Changed => (
            format!("You are on {tier} at {platform} now"),
            format!(
                "the subscription of {company} at {platform} is on {tier} now. What your team and your programs may \
                 do, and how much of it, follows at once."
            ),
        ),
        SubscriptionNews::WillChange => (
            format!("You change to {tier} at {platform}"),
            format!("the subscription of {company} at {platform} changes to {tier} at {when}."),
        ),
        SubscriptionNews::WillEnd => (
            format!("Your subscription at {platform} is cancelled"),
            format!(
                "the subscription of {company} at {platform} is cancelled. It stays as it is until {when} and falls \
                 back to {tier} then. Until that moment you can take the cancellation back."
            ),
        ),
        SubscriptionNews::Resumed => (
            format!("Your subscription at {platform} goes on"),
            format!(
                "the subscription of {company} at {platform} goes on with {tier}: what was to come was taken back."
            ),
        ),
        SubscriptionNews::Ended => (
            format!("Your subscription at {platform} has ended"),
            format!(
                "the subscription of {company} at {platform} has fallen back to {tier}. Everything that you have stays. \
                 Where you have more than {tier} allows, you can add more only after removing some."
            ),
        ),
        SubscriptionNews::Extended => (
            format!("Your period at {platform} lasts longer"),
            format!(
                "the present period of the subscription of {company} at {platform} ({tier}) lasts until {when} now."
            ),
        ),
        SubscriptionNews::RequestRejected => (
            format!("{tier} at {platform}: not approved"),
            format!(
                "you asked for {tier} for {company} at {platform}. Our staff did not approve it, and nothing changes."
            ),
        ),
    };
    let draft = greet(subject, &notice.name).say(what);
    match &notice.reason {
        Some(reason) => draft.say(format!("The reason given: {}", tame_reason(reason))),
        None => draft,
    }
}
