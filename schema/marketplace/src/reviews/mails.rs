//! Mails about customer reviews, to the members of the app's team who may reply. Their number is limited: at most one
//! mail per recipient and day about new customer reviews, and one about each flag of the team.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_mail::message::{CUSTOMER_REVIEW, MailContent, Notice, ReviewNews, ReviewNotice};
use labs_mail::outbox;
use uuid::Uuid;

use super::rules::ReviewMarkOutcome;
use super::store;

/// Queues a mail about a newly published customer review, unless the recipient already received one today.
pub(super) async fn notify_review(cx: &RequestContext, app_uuid: Uuid) -> Result<(), Fault> {
    let (app, people) = store::answerers(&cx.db, app_uuid).await?;
    for person_uuid in people {
        let letter = |name| compose_mail(name, &app, ReviewNews::Shown);
        outbox::queue_daily(cx, person_uuid, CUSTOMER_REVIEW, letter).await?;
    }
    Ok(())
}

/// Queues a mail about the decision on a flag.
pub(super) async fn notify_flag(cx: &RequestContext, app_uuid: Uuid, outcome: ReviewMarkOutcome) -> Result<(), Fault> {
    let news = match outcome {
        ReviewMarkOutcome::Open => return Ok(()),
        ReviewMarkOutcome::Upheld => ReviewNews::FlagUpheld,
        ReviewMarkOutcome::Dismissed => ReviewNews::FlagDismissed,
    };
    let (app, people) = store::answerers(&cx.db, app_uuid).await?;
    for person_uuid in people {
        outbox::queue_to_person(cx, person_uuid, |name| compose_mail(name, &app, news)).await?;
    }
    Ok(())
}

fn compose_mail(name: String, app: &str, news: ReviewNews) -> MailContent {
    MailContent::Telling(Notice::Review(ReviewNotice { name, app: app.to_owned(), news }))
}
