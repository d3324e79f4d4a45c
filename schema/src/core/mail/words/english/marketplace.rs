//! English: what a partner has in the marketplace.

use super::greet;
use crate::core::mail::message::{Decision, ListingEvent, ListingNotice, VersionReview, VersionReviewEvent};
use crate::core::mail::words::{Draft, Places, tame, tame_reason};

pub(super) fn decided(name: &str, app: &str, version: &str, decision: Decision) -> Draft {
    let (subject, what) = match decision {
        Decision::Approved => (
            "approved",
            "is approved. It is not public yet: publish it when you like, and what was reviewed goes live.",
        ),
        Decision::ChangesRequested => (
            "changes requested",
            "needs changes before it can be approved. The submission's findings say which; mend them and submit again.",
        ),
        Decision::Rejected => (
            "rejected",
            "is rejected. The submission's findings say why. You may appeal once: submit it again with an appeal.",
        ),
        Decision::AppealUpheld => (
            "appeal upheld",
            "is approved: another reviewer agreed with your appeal, and the findings are withdrawn. It is not public yet: \
             publish it when you like.",
        ),
        Decision::AppealDenied => (
            "appeal denied",
            "stays rejected: another reviewer looked at your appeal and agreed with the findings. This is final for this \
             version. Begin a new one once the findings are mended.",
        ),
    };
    greet(format!("{app} {version}: {subject}"), name).say(format!("version {version} of {app} {what}"))
}

pub(super) fn version_review(review: &VersionReview, places: &Places<'_>) -> Draft {
    let (app, version) = (tame(&review.app), tame(&review.version));
    let (title, what) = match review.event {
        VersionReviewEvent::Written => {
            ("a message from the reviewers", format!("the reviewers of {app} {version} wrote to you."))
        }
        VersionReviewEvent::Asked => (
            "the reviewers ask",
            format!(
                "the reviewers of {app} {version} asked you something and wait for your answer. Until then its review \
                 stands still; its place in the queue is kept."
            ),
        ),
        VersionReviewEvent::Answered => {
            ("a message from the partner", format!("the partner wrote about {app} {version}, which you review."))
        }
        VersionReviewEvent::Reminded => (
            "the reviewers still wait for you",
            format!(
                "{app} {version} waits for you: for an answer, or for the changes that were asked for. After 90 days \
                 without a word it is withdrawn."
            ),
        ),
        VersionReviewEvent::Lapsed => (
            "withdrawn",
            format!(
                "{app} {version} waited for you for 90 days and is withdrawn now. Nothing was judged by that; begin a new \
                 version whenever you like."
            ),
        ),
    };
    greet(format!("{app} {version}: {title}"), &review.name)
        .say(what)
        .say("It can be read at:")
        .say(format!("    GET {}{}", places.base_url, review.path))
}

pub(super) fn listing(notice: &ListingNotice, platform: &str) -> Draft {
    let app = tame(&notice.app);
    let (title, what) = match notice.event {
        ListingEvent::Suspended => (
            format!("{app} is suspended at {platform}"),
            format!("{app} is off the storefront of {platform} until further notice."),
        ),
        ListingEvent::Reinstated => (
            format!("{app} is no longer suspended at {platform}"),
            format!("the suspension of {app} at {platform} is over. It is where it was before: listed, or unlisted."),
        ),
        ListingEvent::GivenAway => (
            format!("{app} is another partner's at {platform}"),
            format!(
                "{app} was given to another partner of {platform}, with its versions, reviews and history. Your programs and \
                 people reach it no longer."
            ),
        ),
        ListingEvent::Received => (
            format!("{app} is yours at {platform}"),
            format!(
                "{app} was given to you at {platform}, with its versions, reviews and history. Check its links first."
            ),
        ),
    };
    let draft = greet(title, &notice.name).say(what);
    let draft = match &notice.reason {
        Some(reason) => draft.say("The reason given:").say(format!("    {}", tame_reason(reason))),
        None => draft,
    };
    draft.say(format!("The support of {platform} can help."))
}
