//! Moderation of customer reviews: reads of the queue, and decisions.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use serde::Deserialize;
use uuid::Uuid;

use super::mails;
use super::moderation_list::{CustomerReview, CustomerReviewFilter, MODERATED, ONE_MODERATED};
use super::rules::{ReviewAction, ReviewMarkOutcome, ReviewRejectionReason, TextSlot};
use super::store::{self, LockedReview};

/// Text that is shown from now on, or stays shown.
#[derive(Deserialize, InputType)]
pub(super) struct CustomerReviewApprove {
    /// UUID of the text that the moderator has read.
    text_uuid: Uuid,
    /// Note on the approval. Stored with the text and in the audit record. Only staff can read it.
    note: Option<String>,
}

/// Rejected text and the reason.
#[derive(Deserialize, InputType)]
pub(super) struct CustomerReviewReject {
    /// UUID of the text that the moderator has read.
    text_uuid: Uuid,
    /// Reason for rejecting the text. Only staff can read it.
    reason: ReviewRejectionReason,
    /// Note on the rejection. Stored with the text and in the audit record. Only staff can read it.
    note: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_moderation_list_reviews,
    marketplace_moderation_approve_review,
    marketplace_moderation_reject_review,
];

/// List customer reviews for moderation.
#[operation(
    query,
    access = "labs.admin.reviews",
    audit_target(CustomerReview, "review_uuid"),
    audit_partner = "partner_uuid"
)]
async fn marketplace_moderation_list_reviews(
    cx: &RequestContext,
    filter: Option<CustomerReviewFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<CustomerReview>, Fault> {
    let mut filter = filter.unwrap_or_default();
    if let Some(q) = &filter.q {
        filter.is_common_text = store::is_common_text(&cx.db, q).await?;
    }
    let rows = MODERATED.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
    let rows = rows.map(|review| Ok(review.for_caller(cx)))?;
    Ok(rows.counted_list(MODERATED.total(&cx.db, &filter, include_total).await?))
}

/// Approve a customer review.
#[operation(
    mutation,
    access = "labs.admin.reviews:write",
    audit_target(CustomerReview, "review_uuid"),
    hidden_from_partner
)]
async fn marketplace_moderation_approve_review(
    cx: &RequestContext,
    review_uuid: Uuid,
    body: CustomerReviewApprove,
) -> Result<CustomerReview, Fault> {
    let locked = lock(cx, review_uuid, body.note.as_deref()).await?;
    let place = locked.texts.find(body.text_uuid, ReviewAction::Approve)?;
    store::note_decision(&cx.db, body.text_uuid, None, body.note.as_deref()).await?;
    store::set_faces(&cx.db, &locked, locked.texts.after_approval(place), moderator(cx)?, true).await?;
    if place == TextSlot::Shown {
        if store::decide_marks(&cx.db, review_uuid, ReviewMarkOutcome::Dismissed).await? {
            mails::notify_flag(cx, locked.app_uuid, ReviewMarkOutcome::Dismissed).await?;
        }
    } else {
        store::move_marks(&cx.db, review_uuid, body.text_uuid).await?;
        mails::notify_review(cx, locked.app_uuid).await?;
    }
    load(cx, review_uuid).await
}

/// Reject a customer review.
#[operation(
    mutation,
    access = "labs.admin.reviews:write",
    audit_target(CustomerReview, "review_uuid"),
    hidden_from_partner
)]
async fn marketplace_moderation_reject_review(
    cx: &RequestContext,
    review_uuid: Uuid,
    body: CustomerReviewReject,
) -> Result<CustomerReview, Fault> {
    let locked = lock(cx, review_uuid, body.note.as_deref().or(Some(body.reason.name()))).await?;
    let place = locked.texts.find(body.text_uuid, ReviewAction::Reject)?;
    let is_erased = body.reason == ReviewRejectionReason::CustomerRequest;
    let is_upheld = (is_erased || place == TextSlot::Shown)
        && store::decide_marks(&cx.db, review_uuid, ReviewMarkOutcome::Upheld).await?;
    if is_erased {
        store::erase(&cx.db, &locked, moderator(cx)?).await?;
    } else {
        store::note_decision(&cx.db, body.text_uuid, Some(body.reason), body.note.as_deref()).await?;
        store::set_faces(&cx.db, &locked, locked.texts.after_rejection(place), moderator(cx)?, true).await?;
    }
    if is_upheld {
        mails::notify_flag(cx, locked.app_uuid, ReviewMarkOutcome::Upheld).await?;
    }
    load(cx, review_uuid).await
}

/// Locks a customer review for a decision, and passes the reason to the audit record.
async fn lock(cx: &RequestContext, review_uuid: Uuid, reason: Option<&str>) -> Result<LockedReview, Fault> {
    if let Some(reason) = reason {
        cx.note_reason(reason);
    }
    store::lock(&cx.db, review_uuid).await?.ok_or_else(|| Fault::not_found("customer review"))
}

/// Returns the deciding user, if the caller is a user.
fn moderator(cx: &RequestContext) -> Result<Option<Uuid>, Fault> {
    let principal = cx.principal()?;
    Ok((principal.kind == PrincipalType::StaffUser).then_some(principal.uuid))
}

/// Loads the current customer review and names it in the audit record by its app.
async fn load(cx: &RequestContext, review_uuid: Uuid) -> Result<CustomerReview, Fault> {
    let found = ONE_MODERATED.fetch_one(&cx.db, [review_uuid.into()]).await?;
    let review = found.ok_or_else(|| Fault::not_found("customer review"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::CustomerReview),
        uuid: Some(review.uuid),
        label: Some(review.app_name.clone()),
        partner_uuid: Some(review.partner_uuid),
    });
    Ok(review.for_caller(cx))
}
