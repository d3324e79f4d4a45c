//! Resolvers of topics.

use async_graphql::{Context, InputObject, Json, Object};
use labs_core::access::{access, audit_target};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::List;
use labs_core::texts::{self, Texts, TextsPatch};
use uuid::Uuid;

use super::list::{BY_ID, BoardTopic, OFFERED};
use super::store;

/// A new topic.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardTopicCreate {
    /// Names by locale; English is required.
    names: Json<Texts>,
    /// Position among all topics; later topics move down. By default, the topic comes last.
    position: Option<i32>,
}

/// A merge patch of a topic (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardTopicUpdate {
    /// Names by locale. Null removes a name, except English.
    names: Option<Json<TextsPatch>>,
    /// Position among all topics; later topics move down.
    position: Option<i32>,
    /// Whether it can be assigned to feature requests.
    active: Option<bool>,
}

/// Queries of topics.
#[derive(Default)]
pub(in crate::engagement) struct TopicsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TopicsQuery {
    /// List feature request topics.
    #[graphql(directive = access::apply("engagement.feature-requests".into()))]
    async fn engagement_topics_list(
        &self,
        ctx: &Context<'_>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<BoardTopic>>, Fault> {
        let cx = ctx.cx();
        cx.answer_list(OFFERED.page(cx, &(), &PageRequest::new(None, limit, cursor)).await?.list())
    }
}

/// Mutations of topics by staff. Each takes the lock on all topics, so that one caller at a time reads and changes
/// positions.
#[derive(Default)]
pub(in crate::engagement) struct TopicsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TopicsMutation {
    /// Create a feature request topic.
    #[graphql(directive = access::apply("labs.admin.engagement:write".into()))]
    async fn engagement_topics_create(
        &self,
        ctx: &Context<'_>,
        body: BoardTopicCreate,
    ) -> Result<Option<BoardTopic>, Fault> {
        let cx = ctx.cx();
        check(&body.names.0)?;
        store::lock(&cx.db).await?;
        let topic_uuid = cx.new_uuid();
        store::insert(&cx.db, topic_uuid, &body.names.0).await?;
        if let Some(position) = body.position {
            store::set_position(&cx.db, topic_uuid, position).await?;
        }
        cx.answer_created(topic_uuid, load(cx, topic_uuid).await?)
    }

    /// Update a feature request topic.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::BoardTopic, "topic_uuid".into())
    )]
    async fn engagement_topics_update(
        &self,
        ctx: &Context<'_>,
        topic_uuid: Uuid,
        body: BoardTopicUpdate,
    ) -> Result<Option<BoardTopic>, Fault> {
        let cx = ctx.cx();
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
        cx.answer(load(cx, topic_uuid).await?)
    }
}

/// Rejects blank names and too many names.
fn check(names: &Texts) -> Result<(), Fault> {
    let mut errors = Vec::new();
    texts::check("names", names, &mut errors);
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
