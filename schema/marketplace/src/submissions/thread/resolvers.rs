//! Resolvers of the conversation about a version, for both sides.

use labs_core::actor::Actor;
use labs_core::business_time;
use labs_core::context::RequestContext;
use labs_core::describe::Created;
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, Rows};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use labs_mail::message::{MailContent, Notice, VersionReview, VersionReviewEvent};
use labs_mail::outbox;
use uuid::Uuid;

use super::list::{MESSAGES, MessageRow, MessageThread, ReviewMessageSort};
use super::rules;
use super::store::{self, NewMessage};
use super::types::{ReviewMessage, ReviewMessagePost, SubmissionMessage, SubmissionMessageKind, SubmissionMessagePost};
use crate::submissions::resolvers::{lock, reviewer, seconds_left};
use crate::submissions::rules::WaitingOn;
use crate::submissions::store::{LockedSubmission, addressees_page};
use crate::submissions::thread_path;
use crate::versions::AppVersionState;

/// Number of entries that a submission includes.
const SHOWN: i32 = 100;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_versions_list_messages,
    marketplace_versions_post_message,
    marketplace_submissions_post_message,
];

/// List an app version's review messages.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_versions_list_messages(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    sort: Option<ReviewMessageSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<ReviewMessage>, Fault> {
    let owner = cx.owner()?;
    store::get_last(&cx.db, owner, app_uuid, version_uuid).await?.ok_or_else(|| Fault::not_found("version"))?;
    let reader_uuid = cx.principal()?.uuid;
    let thread = MessageThread { reader_uuid, version_uuid, with_notes: false, message_uuid: None };
    let Rows { rows, page } = MESSAGES.page(cx, &thread, &PageRequest::new(sort, limit, cursor)).await?;
    let read = rows.iter().filter(|row| row.unread).map(|row| row.created_at).max();
    let data: Vec<ReviewMessage> = rows.into_iter().filter_map(ReviewMessage::of).collect();
    if let Some(until) = read.filter(|_| data.iter().any(ReviewMessage::is_unread)) {
        set_read(cx, version_uuid, until).await?;
    }
    Ok(List { data, page })
}

/// Post a review message on an app version.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_versions_post_message(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    body: ReviewMessagePost,
) -> Result<Created<ReviewMessage>, Fault> {
    let last = store::get_last(&cx.db, cx.owner()?, app_uuid, version_uuid).await?;
    let last = last.ok_or_else(|| Fault::not_found("version"))?.submission_uuid.ok_or_else(|| {
        Fault::conflict(
            "This version was not submitted yet, so it has no reviewers. Submit it; `note` can contain a message \
             to the reviewers.",
        )
    })?;
    let locked = lock(cx, last).await?;
    rules::ensure_open(locked.version_state)?;
    let text = rules::body(&body.body)?;
    let written = store::get_counts(&cx.db, version_uuid, false).await?;
    rules::ensure_room(written.count)?;
    let message_uuid = insert_message(cx, &locked, SubmissionMessageKind::Message, &text).await?;
    resume_clock(cx, &locked).await?;
    if !written.spoke_last
        && let Some(reviewer_uuid) = locked.reviewer_uuid
    {
        let path = format!("/v1/marketplace/internal/submissions/{}", locked.submission_uuid);
        notify_person(cx, &locked, reviewer_uuid, path, VersionReviewEvent::Answered).await?;
    }
    let row = load(cx, &locked, message_uuid, false).await?;
    let message = ReviewMessage::of(row).ok_or_else(|| Fault::internal("a message was stored as a note"))?;
    Ok(Created::new(message_uuid, message))
}

/// Post a message on a submission.
#[operation(
    mutation,
    access = "labs.admin.submissions:write",
    audit_target(Submission, "submission_uuid"),
    hidden_from_partner
)]
async fn marketplace_submissions_post_message(
    cx: &RequestContext,
    submission_uuid: Uuid,
    body: SubmissionMessagePost,
) -> Result<Created<SubmissionMessage>, Fault> {
    reviewer(cx)?;
    let locked = lock(cx, submission_uuid).await?;
    let text = rules::body(&body.body)?;
    let is_internal = body.internal.unwrap_or_default();
    if is_internal && body.awaits_answer.unwrap_or_default() {
        let message = "The partner never sees a note, so it cannot answer. Omit `awaits_answer`.";
        return Err(Fault::field("/awaits_answer", "NOT_SEEN", message));
    }
    rules::ensure_room(store::get_counts(&cx.db, locked.version_uuid, true).await?.count)?;
    let kind = if is_internal { SubmissionMessageKind::Note } else { SubmissionMessageKind::Message };
    if !is_internal {
        rules::ensure_open(locked.version_state)?;
    }
    let message_uuid = insert_message(cx, &locked, kind, &text).await?;
    if !is_internal {
        pause_clock(cx, &locked, body.awaits_answer.unwrap_or(true)).await?;
    }
    Ok(Created::new(message_uuid, SubmissionMessage::from(load(cx, &locked, message_uuid, true).await?)))
}

/// Returns the last entries about the version of a submission, for reviewers, oldest first.
pub(in crate::submissions) async fn of_submission(
    cx: &RequestContext,
    version_uuid: Uuid,
) -> Result<Vec<SubmissionMessage>, Fault> {
    let reader_uuid = cx.principal()?.uuid;
    let thread = MessageThread { reader_uuid, version_uuid, with_notes: true, message_uuid: None };
    let request = PageRequest::new(Some(ReviewMessageSort::CreatedAtDesc), Some(SHOWN), None);
    let Rows { rows, .. } = MESSAGES.page(cx, &thread, &request).await?;
    let read = rows.iter().filter(|row| row.unread).map(|row| row.created_at).max();
    let messages: Vec<SubmissionMessage> = rows.into_iter().rev().map(Into::into).collect();
    if let Some(until) = read.filter(|_| messages.iter().any(SubmissionMessage::is_unread)) {
        set_read(cx, version_uuid, until).await?;
    }
    Ok(messages)
}

/// Adds a note for other reviewers to a locked submission.
pub(in crate::submissions) async fn note(
    cx: &RequestContext,
    locked: &LockedSubmission,
    text: &str,
) -> Result<(), Fault> {
    insert_message(cx, locked, SubmissionMessageKind::Note, text.trim()).await.map(drop)
}

async fn insert_message(
    cx: &RequestContext,
    locked: &LockedSubmission,
    kind: SubmissionMessageKind,
    body: &str,
) -> Result<Uuid, Fault> {
    let message_uuid = cx.new_uuid();
    let (submission_uuid, version_uuid) = (locked.submission_uuid, locked.version_uuid);
    let new = NewMessage { message_uuid, submission_uuid, version_uuid, kind, body };
    store::insert(&cx.db, Actor::of(cx.principal()?), &new).await?;
    Ok(message_uuid)
}

/// Records the partner's answer: the clock of the due date runs again, or the days without an answer restart.
async fn resume_clock(cx: &RequestContext, locked: &LockedSubmission) -> Result<(), Fault> {
    if locked.waiting_on != Some(WaitingOn::Partner) {
        return Ok(());
    }
    if locked.state == AppVersionState::ChangesRequested {
        return store::set_heard(&cx.db, locked.submission_uuid).await;
    }
    let due_at = business_time::add_seconds(cx.now, locked.due_left_seconds.unwrap_or_default());
    store::set_waiting_on_reviewers(&cx.db, locked.submission_uuid, due_at).await
}

/// Records the reviewers' message: the clock of the due date stops while they wait for an answer.
async fn pause_clock(cx: &RequestContext, locked: &LockedSubmission, awaits_answer: bool) -> Result<(), Fault> {
    let is_waiting = matches!(locked.state, AppVersionState::Submitted | AppVersionState::InReview);
    let awaits_answer = awaits_answer && is_waiting;
    if awaits_answer && locked.waiting_on == Some(WaitingOn::Reviewers) {
        store::set_waiting_on_partner(&cx.db, locked.submission_uuid, seconds_left(cx, locked)).await?;
    }
    let event = if awaits_answer { VersionReviewEvent::Asked } else { VersionReviewEvent::Written };
    for person_uuid in addressees_page(&cx.db, locked.submission_uuid).await? {
        notify_person(cx, locked, person_uuid, thread_path(locked.app_uuid, locked.version_uuid), event).await?;
    }
    Ok(())
}

async fn notify_person(
    cx: &RequestContext,
    locked: &LockedSubmission,
    person_uuid: Uuid,
    path: String,
    event: VersionReviewEvent,
) -> Result<(), Fault> {
    let (app, version) = (locked.app_name.clone(), locked.version_number.clone());
    let write = |name| MailContent::Telling(Notice::VersionReview(VersionReview { name, app, version, path, event }));
    outbox::queue_to_person(cx, person_uuid, write).await
}

/// Loads the entry that was just written.
async fn load(
    cx: &RequestContext,
    locked: &LockedSubmission,
    message_uuid: Uuid,
    with_notes: bool,
) -> Result<MessageRow, Fault> {
    let reader_uuid = cx.principal()?.uuid;
    let (version_uuid, message_uuid) = (locked.version_uuid, Some(message_uuid));
    let thread = MessageThread { reader_uuid, version_uuid, with_notes, message_uuid };
    let mut rows = MESSAGES.page(cx, &thread, &PageRequest::new(None, Some(1), None)).await?.rows;
    rows.pop().ok_or_else(|| Fault::internal("a message cannot be found after it was written"))
}

/// Stores the time until which a user has read. Machine clients are ignored.
async fn set_read(cx: &RequestContext, version_uuid: Uuid, until: Time) -> Result<(), Fault> {
    let principal = cx.principal()?;
    if principal.kind == PrincipalType::MachineClient {
        return Ok(());
    }
    store::set_read(&cx.db, version_uuid, principal.uuid, until).await
}
