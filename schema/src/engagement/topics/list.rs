//! Topics: one, and the list of those that proposals can be given.

use async_graphql::{Json, SimpleObject};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::core::list::{Bound, Condition, FixedOrder, Key, ListQuery, Lookup, Select};
use crate::core::texts::Texts;
use crate::core::time::Time;

/// What proposals are about.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardTopic {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// Its name by locale; English is always there.
    #[sqlx(json)]
    pub(super) names: Json<Texts>,
    /// Position among all topics, from 1.
    pub(super) position: i32,
    /// Whether proposals can still be given it.
    pub(super) active: bool,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
}

static WHOLE: Select<BoardTopic> =
    Select::new("t.topic_uuid as uuid, t.names, t.position, t.active, t.created_at, t.updated_at", "board_topic as t");

/// One topic.
pub(super) static BY_ID: Lookup<BoardTopic> = Lookup::new(&WHOLE, &["t.topic_uuid = {}"]);

/// The list of topics that proposals can be given.
pub(super) static OFFERED: ListQuery<(), BoardTopic, FixedOrder> = ListQuery {
    operation: "engagement_topics_list",
    select: &WHOLE,
    within: &[Condition { sql: "t.active", value: |()| Some(Bound::Nothing) }],
    conditions: &[],
    order: |FixedOrder| const { &[POSITION, ID] },
};

const POSITION: Key<BoardTopic> = Key::whole("t.position", |topic| json!(topic.position));
const ID: Key<BoardTopic> = Key::id("t.topic_uuid", |topic| json!(topic.uuid));
