//! Resolvers of topics.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{Created, InputType, Json};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::texts::{self, Texts, TextsPatch};
use serde::Deserialize;
use uuid::Uuid;

use super::list::{BY_ID, BoardTopic, OFFERED};
use super::store;

/// A new topic.
#[derive(Deserialize, InputType)]
pub(super) struct BoardTopicCreate {
    /// Names by locale; English is required.
    names: Json<Texts>,
    /// Position among all topics. Topics from this position on move down. If omitted, or beyond the last position, the
    /// topic is added at the end.
    position: Option<i32>,
}

/// A merge patch of a topic (RFC 7396). Omitted fields stay unchanged.
#[derive(Deserialize, InputType)]
pub(super) struct BoardTopicUpdate {
    /// Names by locale, each up to 60 characters, as a merge patch: an omitted locale stays unchanged, null removes it.
    /// English can be changed but not removed. At most 40 locales may remain afterwards.
    names: Option<Json<TextsPatch>>,
    /// Position among all topics. Topics from this position on move down. If beyond the last position, the topic is
    /// moved to the end.
    position: Option<i32>,
    /// Whether the topic can still be assigned to feature requests.
    active: Option<bool>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![engagement_topics_list, engagement_topics_create, engagement_topics_update];

/// List feature request topics.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_topics_list(
    cx: &RequestContext,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<BoardTopic>, Fault> {
    Ok(OFFERED.page(cx, &(), &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Create a feature request topic.
#[operation(mutation, access = "labs.admin.engagement:write")]
async fn engagement_topics_create(cx: &RequestContext, body: BoardTopicCreate) -> Result<Created<BoardTopic>, Fault> {
    check(&body.names.0)?;
    store::lock(&cx.db).await?;
    let topic_uuid = cx.new_uuid();
    store::insert(&cx.db, topic_uuid, &body.names.0).await?;
    if let Some(position) = body.position {
        store::set_position(&cx.db, topic_uuid, position).await?;
    }
    Ok(Created::new(topic_uuid, load(cx, topic_uuid).await?))
}

/// Update a feature request topic.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(BoardTopic, "topic_uuid"))]
async fn engagement_topics_update(
    cx: &RequestContext,
    topic_uuid: Uuid,
    body: BoardTopicUpdate,
) -> Result<BoardTopic, Fault> {
    store::lock(&cx.db).await?;
    let present = load(cx, topic_uuid).await?;
    let mut names = present.names.0.clone();
    if let Some(patch) = body.names {
        texts::merge(&mut names, patch.0);
        check(&names)?;
    }
    let active = body.active.unwrap_or(present.active);
    if names != present.names.0 || active != present.active {
        store::set_content(&cx.db, topic_uuid, &names, active).await?;
    }
    if let Some(position) = body.position {
        store::set_position(&cx.db, topic_uuid, position).await?;
    }
    load(cx, topic_uuid).await
}

/// Rejects blank names and too many names.
fn check(names: &Texts) -> Result<(), Fault> {
    let mut errors = Vec::new();
    texts::check_with_english("names", names, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// Loads the current topic and names it in the audit record.
async fn load(cx: &RequestContext, topic_uuid: Uuid) -> Result<BoardTopic, Fault> {
    let found = BY_ID.fetch_one(&cx.db, [topic_uuid.into()]).await?;
    let topic = found.ok_or_else(|| Fault::not_found("topic"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::BoardTopic),
        uuid: Some(topic.uuid),
        label: topic.names.get("en").cloned(),
        partner_uuid: None,
    });
    Ok(topic)
}
