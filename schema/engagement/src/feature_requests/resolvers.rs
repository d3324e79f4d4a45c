//! Resolvers of feature requests for partners.

use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType, MaybeUndefined};
use labs_core::fault::{Code, Fault, FieldError};
use labs_core::list::{PageRequest, Rows};
use labs_core::markdown::{FEATURE_REQUEST, RenderError};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use serde::Deserialize;
use uuid::Uuid;

use super::list::{
    BOARD, Board, DUPLICATES, FeatureRequestChange, FeatureRequestDuplicate, FeatureRequestFilter, FeatureRequestSort,
    STATUS_CHANGES,
};
use super::rules;
use super::similar::{self, SimilarFeatureRequests};
use super::store::{self, LockedFeatureRequest, NewFeatureRequest};
use super::types::{FeatureRequest, FeatureRequestSummary, ensure_on_board, into_view, load_shown};
use crate::board_texts;
use crate::people::{self, BoardDaily, Person};

/// Default number of similar feature requests in a response.
const NEAR: i32 = 5;

/// A new feature request.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestPropose {
    /// Title of the feature request, in one line.
    title: String,
    /// Reason and description, in Markdown.
    body: String,
    /// UUID of the topic, one of `GET /v1/engagement/topics`.
    topic_uuid: Option<Uuid>,
}

/// Changes to a feature request. Omitted fields stay unchanged.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestEdit {
    /// Title of the feature request, in one line.
    title: Option<String>,
    /// Reason and description, in Markdown.
    body: Option<String>,
    /// UUID of the topic. Null removes the topic.
    #[serde(default)]
    topic_uuid: MaybeUndefined<Uuid>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    engagement_feature_requests_list,
    engagement_feature_requests_find_similar,
    engagement_feature_requests_get,
    engagement_feature_requests_list_status_changes,
    engagement_feature_requests_list_duplicates,
    engagement_feature_requests_propose,
    engagement_feature_requests_edit,
];

/// List feature requests.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_feature_requests_list(
    cx: &RequestContext,
    filter: Option<FeatureRequestFilter>,
    sort: Option<FeatureRequestSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<FeatureRequestSummary>, Fault> {
    let board = board(cx, filter.unwrap_or_default()).await?;
    let Rows { rows, page } = BOARD.page(cx, &board, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(List { data: into_view(cx, rows).await?, page })
}

/// List similar feature requests.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_feature_requests_find_similar(
    cx: &RequestContext,
    title: String,
    limit: Option<i32>,
) -> Result<SimilarFeatureRequests, Fault> {
    similar::find(cx, &title, limit.unwrap_or(NEAR)).await
}

/// Get a feature request.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_feature_requests_get(cx: &RequestContext, request_uuid: Uuid) -> Result<FeatureRequest, Fault> {
    load_shown(cx, Person::of_caller(cx).as_ref(), request_uuid).await
}

/// List a feature request's status changes.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_feature_requests_list_status_changes(
    cx: &RequestContext,
    request_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<FeatureRequestChange>, Fault> {
    ensure_on_board(cx, request_uuid).await?;
    Ok(STATUS_CHANGES.page(cx, &request_uuid, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// List a feature request's duplicates.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_feature_requests_list_duplicates(
    cx: &RequestContext,
    request_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<FeatureRequestDuplicate>, Fault> {
    ensure_on_board(cx, request_uuid).await?;
    Ok(DUPLICATES.page(cx, &request_uuid, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Create a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_feature_requests_propose(
    cx: &RequestContext,
    body: FeatureRequestPropose,
) -> Result<Created<FeatureRequest>, Fault> {
    let person = Person::require_caller(cx)?;
    let title = rules::normalize_title(&body.title);
    let text = board_texts::show(cx, &body.body, FEATURE_REQUEST).await?;
    let html = text.rendered.html.as_str();
    let feature_request = NewFeatureRequest { title: &title, body: &body.body, html, topic_uuid: body.topic_uuid };
    check(cx, &feature_request, text.error, None).await?;
    people::spend(cx, &person, BoardDaily::Proposals).await?;
    let request_uuid = store::insert(cx, &person, &feature_request).await?;
    Ok(Created::new(request_uuid, load_shown(cx, Some(&person), request_uuid).await?))
}

/// Update a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_feature_requests_edit(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: FeatureRequestEdit,
) -> Result<FeatureRequest, Fault> {
    let person = Person::require_caller(cx)?;
    let locked = lock_own(cx, &person, request_uuid).await?;
    rules::ensure_editable(locked.marks())?;
    let title = body.title.as_deref().map_or_else(|| locked.title.clone(), rules::normalize_title);
    let topic_uuid = match body.topic_uuid {
        MaybeUndefined::Undefined => locked.topic_uuid,
        MaybeUndefined::Null => None,
        MaybeUndefined::Value(topic_uuid) => Some(topic_uuid),
    };
    let body = body.body.unwrap_or_else(|| locked.body.clone());
    let text = board_texts::show(cx, &body, FEATURE_REQUEST).await?;
    let feature_request = NewFeatureRequest { title: &title, body: &body, html: &text.rendered.html, topic_uuid };
    // A text accepted before the limit existed stays valid; its title and topic can be changed.
    let error = text.error.filter(|_| body != locked.body);
    check(cx, &feature_request, error, locked.topic_uuid).await?;
    if (feature_request.title, feature_request.body, topic_uuid) != (&locked.title, &locked.body, locked.topic_uuid) {
        store::set_text(cx, &locked, &feature_request).await?;
    }
    load_shown(cx, Some(&person), request_uuid).await
}

/// Builds the board as the caller sees it.
async fn board(cx: &RequestContext, filter: FeatureRequestFilter) -> Result<Board, Fault> {
    let person = Person::of_caller(cx);
    let is_personal = filter.mine.is_some() || filter.voted.is_some() || filter.followed.is_some();
    if is_personal {
        Person::require_caller(cx)?;
    }
    let mut board = Board { person_uuid: person.map(|person| person.uuid), filter, ..Board::default() };
    if let Some(person) = &person {
        if board.filter.voted.is_some() {
            board.voted = store::list_voted(&cx.db, person).await?;
        }
        if board.filter.followed.is_some() {
            board.followed = store::list_followed(&cx.db, person).await?;
        }
    }
    if let Some(q) = &board.filter.q {
        board.has_common_words = store::are_common_words(&cx.db, q).await?;
    }
    if let Some(topics) = &board.filter.topic_uuid {
        board.has_common_topics = store::are_common_topics(&cx.db, topics).await?;
    }
    Ok(board)
}

/// Rejects a feature request that breaks a rule. It may keep a topic that was deactivated.
async fn check(
    cx: &RequestContext,
    feature_request: &NewFeatureRequest<'_>,
    error: Option<RenderError>,
    present_topic: Option<Uuid>,
) -> Result<(), Fault> {
    let mut errors = Vec::new();
    rules::check_said("/title", feature_request.title, &mut errors);
    rules::check_text(("/body", feature_request.body), (FEATURE_REQUEST, error), &mut errors);
    if let Some(topic_uuid) = feature_request.topic_uuid.filter(|topic| Some(*topic) != present_topic)
        && !store::topic_is_active(&cx.db, topic_uuid).await?
    {
        let message = "This topic is not available for feature requests. GET /v1/engagement/topics lists the \
                       available topics.";
        errors.push(FieldError::at("/topic_uuid", "UNKNOWN", message));
    }
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// Locks a feature request on the board that the caller wrote.
async fn lock_own(cx: &RequestContext, person: &Person, request_uuid: Uuid) -> Result<LockedFeatureRequest, Fault> {
    let found = store::lock(&cx.db, request_uuid).await?.filter(|locked| !locked.marks().is_suspended);
    let locked = found.ok_or_else(|| Fault::not_found("feature request"))?;
    if locked.author_uuid == person.uuid {
        return Ok(locked);
    }
    let detail = "Only the user who proposed this feature request can change it. Add missing information as a comment.";
    Err(Fault::new(Code::AuthorRequired, detail))
}
