//! Resolvers of feature requests for staff: view, change the status, and suspend.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::InputType;
use labs_core::fault::{Fault, FieldError};
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_mail::message::{BoardNews, BoardNotice, MailContent, Notice};
use labs_mail::outbox;
use serde::Deserialize;
use uuid::Uuid;

use super::list::{
    MODERATED, ModeratedFeatureRequest, ModeratedFeatureRequestDetails, ModeratedFeatureRequestFilter,
    ModeratedFeatureRequestSort, ONE,
};
use super::store;
use crate::board_texts;
use crate::feature_requests::rules::{self, BoardAction, FeatureRequestStatus};
use crate::feature_requests::store::{
    LockedFeatureRequest, are_common_topics, are_common_words, lock, topic_is_active,
};

/// New status of a feature request.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestStatusChange {
    /// New status.
    status: FeatureRequestStatus,
    /// Public note on the change, visible to all partners. Required for `DECLINED`.
    note: Option<String>,
    /// For `SHIPPED`, which requires it: id of the released changelog entry that describes the change.
    changelog_entry_uuid: Option<Uuid>,
}

/// Reason for suspending a feature request.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestSuspend {
    /// Reason for the suspension. The service sends it to the author.
    reason: String,
}

/// Topic of a feature request.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestTopicAssign {
    /// UUID of an active topic. Null for no topic.
    topic_uuid: Option<Uuid>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    engagement_moderation_list_feature_requests,
    engagement_moderation_get_feature_request,
    engagement_moderation_change_status,
    engagement_moderation_suspend_feature_request,
    engagement_moderation_reinstate_feature_request,
    engagement_moderation_assign_topic,
];

/// List feature requests for moderation.
#[operation(query, access = "labs.admin.engagement", audit_partner = "partner_uuid")]
async fn engagement_moderation_list_feature_requests(
    cx: &RequestContext,
    filter: Option<ModeratedFeatureRequestFilter>,
    sort: Option<ModeratedFeatureRequestSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<ModeratedFeatureRequest>, Fault> {
    let mut filter = filter.unwrap_or_default();
    if let Some(q) = &filter.q {
        filter.has_common_words = are_common_words(&cx.db, q).await?;
    }
    if let Some(topics) = &filter.topic_uuid {
        filter.has_common_topics = are_common_topics(&cx.db, topics).await?;
    }
    let rows = MODERATED.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = MODERATED.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(row.for_caller(cx)))?.counted_list(total))
}

/// Get a feature request for moderation.
#[operation(query, access = "labs.admin.engagement", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_get_feature_request(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    load(cx, request_uuid).await
}

/// Change a feature request's status.
#[operation(
    mutation,
    access = "labs.admin.engagement:write",
    audit_target(FeatureRequest, "request_uuid"),
    partner_reads = "note"
)]
async fn engagement_moderation_change_status(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: FeatureRequestStatusChange,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    let locked = lock_for(cx, request_uuid, BoardAction::ChangeStatus).await?;
    let note = body.note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
    if locked.status == body.status {
        let status = body.status.name();
        return Err(Fault::conflict(format!("This feature request is already {status}. To say more, answer it.")));
    }
    check_status(cx, body.status, note.as_deref(), body.changelog_entry_uuid).await?;
    if let Some(note) = &note {
        cx.note_reason(note);
    }
    let change = store::StatusChange { to: body.status, note: note.as_deref(), entry_uuid: body.changelog_entry_uuid };
    store::set_status(cx, &locked, &change).await?;
    load(cx, request_uuid).await
}

/// Suspend a feature request.
#[operation(
    mutation,
    access = "labs.admin.engagement:write",
    audit_target(FeatureRequest, "request_uuid"),
    partner_reads = "reason"
)]
async fn engagement_moderation_suspend_feature_request(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: FeatureRequestSuspend,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    let locked = lock_for(cx, request_uuid, BoardAction::Suspend).await?;
    let reason = body.reason.trim();
    if reason.is_empty() {
        return Err(Fault::field("/reason", "BLANK", "Send a reason. The author receives it."));
    }
    cx.note_reason(reason);
    store::suspend(cx, request_uuid, reason).await?;
    notify_author(cx, &locked, BoardNews::RequestSuspended { reason: reason.to_owned() }).await?;
    load(cx, request_uuid).await
}

/// Reinstate a feature request.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_reinstate_feature_request(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    let locked = lock_for(cx, request_uuid, BoardAction::Reinstate).await?;
    store::reinstate(&cx.db, request_uuid).await?;
    notify_author(cx, &locked, BoardNews::RequestReinstated).await?;
    load(cx, request_uuid).await
}

/// Assign a topic to a feature request.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_assign_topic(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: FeatureRequestTopicAssign,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    let locked = lock_for(cx, request_uuid, BoardAction::AssignTopic).await?;
    if let Some(topic_uuid) = body.topic_uuid.filter(|topic| Some(*topic) != locked.topic_uuid)
        && !topic_is_active(&cx.db, topic_uuid).await?
    {
        let message = "A feature request cannot have this topic: it does not exist, or it is not active.";
        return Err(Fault::field("/topic_uuid", "UNKNOWN", message));
    }
    store::set_topic(&cx.db, request_uuid, body.topic_uuid).await?;
    load(cx, request_uuid).await
}

/// Rejects a status without the fields that it requires.
async fn check_status(
    cx: &RequestContext,
    status: FeatureRequestStatus,
    note: Option<&str>,
    entry_uuid: Option<Uuid>,
) -> Result<(), Fault> {
    let mut errors = Vec::new();
    if status == FeatureRequestStatus::Declined && note.is_none() {
        errors.push(FieldError::at("/note", "REQUIRED", "Send the public reason why this will not be implemented."));
    }
    let entry = "/changelog_entry_uuid";
    match (status == FeatureRequestStatus::Shipped, entry_uuid) {
        (true, None) => {
            errors.push(FieldError::at(entry, "REQUIRED", "Name the changelog entry that describes the feature."));
        }
        (false, Some(_)) => errors.push(FieldError::at(
            entry,
            "UNEXPECTED",
            "Only a SHIPPED feature request names a changelog entry. Omit this field.",
        )),
        (true, Some(entry_uuid)) if !store::entry_is_released(&cx.db, entry_uuid).await? => {
            let message = "This is not a released changelog entry. Release it first.";
            errors.push(FieldError::at(entry, "UNKNOWN", message));
        }
        _ => {}
    }
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// Locks a feature request for an action and names it in the audit record.
pub(super) async fn lock_for(
    cx: &RequestContext,
    request_uuid: Uuid,
    action: BoardAction,
) -> Result<LockedFeatureRequest, Fault> {
    let locked = lock(&cx.db, request_uuid).await?.ok_or_else(|| Fault::not_found("feature request"))?;
    note_target(cx, request_uuid, &locked.title, locked.partner_uuid);
    rules::ensure(locked.marks(), action)?;
    Ok(locked)
}

/// Loads the current feature request.
pub(super) async fn load(cx: &RequestContext, request_uuid: Uuid) -> Result<ModeratedFeatureRequestDetails, Fault> {
    let found = ONE.fetch_one(&cx.db, [request_uuid.into()]).await?;
    let request = found.ok_or_else(|| Fault::not_found("feature request"))?.for_caller(cx);
    note_target(cx, request_uuid, &request.title, request.partner_uuid);
    let (texts, reports) = store::load_history(&cx.db, request_uuid).await?;
    let body_html = board_texts::load_request_html(cx, request_uuid, &request.body).await?;
    Ok(ModeratedFeatureRequestDetails::new(request, body_html, texts, reports))
}

fn note_target(cx: &RequestContext, request_uuid: Uuid, title: &str, partner_uuid: Uuid) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::FeatureRequest),
        uuid: Some(request_uuid),
        label: Some(title.to_owned()),
        partner_uuid: Some(partner_uuid),
    });
}

async fn notify_author(cx: &RequestContext, locked: &LockedFeatureRequest, news: BoardNews) -> Result<(), Fault> {
    let title = locked.title.clone();
    outbox::queue_to_person(cx, locked.author_uuid, |name| {
        MailContent::Telling(Notice::Board(BoardNotice { name, title, news }))
    })
    .await
}
