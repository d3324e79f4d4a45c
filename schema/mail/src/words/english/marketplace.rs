//! English texts about a partner's apps and listings.

use super::greet;
use crate::message::{Decision, ListingEvent, ListingNotice, VersionReview, VersionReviewEvent};
use crate::words::{Draft, MailLinks, sanitize, sanitize_reason};

pub(super) fn render_decision(name: &str, app: &str, version: &str, decision: Decision) -> Draft {
    let (subject, what) = match decision {
        Decision::Approved => (
            "approved",
            "is approved. It is not public yet. Publish it when you like: the storefront then shows the reviewed \
             content.",
        ),
        Decision::ChangesRequested => (
            "changes requested",
            "needs changes before it can be approved. The submission's findings list them. Fix them and submit again.",
        ),
        Decision::Rejected => (
            "rejected",
            "is rejected. The submission's findings state the reasons. You may appeal once: submit it again with an \
             appeal.",
        ),
        Decision::AppealUpheld => (
            "appeal upheld",
            "is approved: another reviewer accepted your appeal, and the findings are withdrawn. It is not public \
             yet: publish it when you like.",
        ),
        Decision::AppealDenied => (
            "appeal denied",
            "stays rejected: another reviewer examined your appeal and confirmed the findings. This is final for \
             this version. Create a new version after you have fixed the findings.",
        ),
    };
    greet(format!("{app} {version}: {subject}"), name).push_paragraph(format!("version {version} of {app} {what}"))
}

pub(super) fn render_version_review(review: &VersionReview, places: &MailLinks<'_>) -> Draft {
    let (app, version) = (sanitize(&review.app), sanitize(&review.version));
    let (title, what) = match review.event {
        VersionReviewEvent::Written => {
            ("a message from the reviewers", format!("the reviewers of {app} {version} wrote to you."))
        }
        VersionReviewEvent::Asked => (
            "a question from the reviewers",
            format!(
                "the reviewers of {app} {version} asked you a question and wait for your answer. Until then the \
                 review is paused; its place in the queue is kept."
            ),
        ),
        VersionReviewEvent::Answered => {
            ("a message from the partner", format!("the partner wrote about {app} {version}, which you review."))
        }
        VersionReviewEvent::Reminded => (
            "the reviewers are waiting for you",
            format!(
                "{app} {version} is waiting for your answer or for the requested changes. After 90 days without a \
                 response it is withdrawn."
            ),
        ),
        VersionReviewEvent::Lapsed => (
            "withdrawn",
            format!(
                "{app} {version} waited for you for 90 days and has been withdrawn. This was not a decision about \
                 the app: you can create a new version at any time."
            ),
        ),
    };
    greet(format!("{app} {version}: {title}"), &review.name)
        .push_paragraph(what)
        .push_paragraph("You can read it at:")
        .push_paragraph(format!("    GET {}{}", places.base_url, review.path))
}

pub(super) fn render_listing(notice: &ListingNotice, platform: &str) -> Draft {
    let app = sanitize(&notice.app);
    let (title, what) = match notice.event {
        ListingEvent::Suspended => (
            format!("{app} is suspended at {platform}"),
            format!("{app} is off the storefront of {platform} until further notice."),
        ),
        ListingEvent::Reinstated => (
            format!("{app} is not suspended any more at {platform}"),
            format!(
                "the suspension of {app} at {platform} has ended. The app is listed or unlisted again, as before the \
                 suspension."
            ),
        ),
        ListingEvent::GivenAway => (
            format!("{app} was transferred to another partner at {platform}"),
            format!(
                "{app} was transferred to another partner of {platform}, with its versions, customer reviews and \
                 history. Your users and machine clients cannot access it any more."
            ),
        ),
        ListingEvent::Received => (
            format!("{app} was transferred to you at {platform}"),
            format!(
                "{app} was transferred to you at {platform}, with its versions, customer reviews and history. Check \
                 its links first."
            ),
        ),
    };
    let draft = greet(title, &notice.name).push_paragraph(what);
    let draft = match &notice.reason {
        Some(reason) => {
            draft.push_paragraph("The reason given:").push_paragraph(format!("    {}", sanitize_reason(reason)))
        }
        None => draft,
    };
    draft.push_paragraph(format!("Contact the support of {platform} for help."))
}
