//! Sample publication items, and who released them.

use labs_core::time::Time;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::data::{Data, ItemData, ResourceData};
use super::past::{Past, id, shift_hours};
use super::rows::Rows;
use super::teams::STAFF_DOMAIN;

/// Days since the release of all resources.
const RELEASED_DAYS: u32 = 18;
/// Hours between the creation and the release.
const WRITING: f64 = 26.0;
/// Hours from a release to its withdrawal.
const ON_SHOW: f64 = 260.0;
/// The user who writes posts and releases all items, and the machine client that writes entries.
const EDITOR: &str = "leonie.kraft";
const RELEASE_TOOL: &str = "labs-client-release-tool";

/// A publication item.
#[derive(Serialize)]
pub(super) struct ItemRow {
    pub(super) item_uuid: Uuid,
    pub(super) kind: &'static str,
    pub(super) state: &'static str,
    pub(super) slug: &'static str,
    pub(super) title: &'static str,
    pub(super) summary: &'static str,
    pub(super) body: &'static str,
    pub(super) tags: &'static [String],
    pub(super) version: Option<&'static str>,
    pub(super) change: Option<&'static str>,
    pub(super) operations: &'static [String],
    pub(super) action_required: bool,
    pub(super) migration: Option<&'static str>,
    pub(super) generated: Option<&'static str>,
    pub(super) author_uuid: Option<Uuid>,
    pub(super) show_author: bool,
    pub(super) release_key: Option<String>,
    pub(super) created_by_kind: &'static str,
    pub(super) created_by_uuid: Option<Uuid>,
    pub(super) released_at: Option<Time>,
    pub(super) withdrawn_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// A transition of an item, by staff.
#[derive(Serialize)]
pub(super) struct StepRow {
    pub(super) transition_uuid: Uuid,
    pub(super) item_uuid: Uuid,
    pub(super) actor_uuid: Option<Uuid>,
    pub(super) from_state: &'static str,
    pub(super) to_state: &'static str,
    pub(super) occurred_at: Time,
}

/// Adds the items, with the transitions to their current state.
pub(super) fn add(data: &'static Data, past: Past, rows: &mut Rows) {
    let address = format!("{EDITOR}@{STAFF_DOMAIN}");
    let editor = rows.people.iter().find(|person| person.email == address).map(|person| person.person_uuid);
    let tool = rows.clients.iter().find(|client| client.client_id == RELEASE_TOOL).map(|client| client.client_uuid);
    let items = data.items.iter().map(|item| row(past, item, editor, tool));
    let resources = data.resources.iter().map(|resource| resource_row(past, resource, editor));
    for row in items.chain(resources) {
        let mut step = |from_state, to_state, occurred_at| {
            let transition_uuid = id(occurred_at, &format!("{} {to_state}", row.slug));
            let item_uuid = row.item_uuid;
            rows.steps.push(StepRow {
                transition_uuid,
                item_uuid,
                actor_uuid: editor,
                from_state,
                to_state,
                occurred_at,
            });
        };
        if let Some(released_at) = row.released_at {
            step("DRAFT", "RELEASED", released_at);
        }
        if let Some(withdrawn_at) = row.withdrawn_at {
            step("RELEASED", "WITHDRAWN", withdrawn_at);
        }
        rows.items.push(row);
    }
}

fn row(past: Past, item: &'static ItemData, editor: Option<Uuid>, tool: Option<Uuid>) -> ItemRow {
    let last = past.days(item.days, &item.slug);
    let is_released = item.state != "DRAFT";
    let created_at = if is_released { shift_hours(last, -WRITING, &item.slug) } else { last };
    let withdrawn_at = (item.state == "WITHDRAWN").then(|| shift_hours(last, ON_SHOW, &item.slug));
    let change = item.change.as_ref();
    let version = change.map(|change| change.version.as_str());
    let is_entry = change.is_some();
    ItemRow {
        item_uuid: id(created_at, &item.slug),
        kind: if is_entry { "CHANGELOG_ENTRY" } else { "BLOG_POST" },
        state: &item.state,
        slug: &item.slug,
        title: &item.title,
        summary: &item.summary,
        body: &item.body,
        tags: &item.tags,
        version,
        change: change.map(|change| change.kind.as_str()),
        operations: change.map(|change| change.operations.as_slice()).unwrap_or_default(),
        action_required: item.migration.is_some(),
        migration: item.migration.as_deref(),
        generated: None,
        author_uuid: editor.filter(|_| !is_entry),
        show_author: !is_entry && is_released,
        release_key: version.map(|version| Value::to_string(&json!([version, item.title]))),
        created_by_kind: if is_entry { "MACHINE_CLIENT" } else { "STAFF_USER" },
        created_by_uuid: if is_entry { tool } else { editor },
        released_at: is_released.then_some(last),
        withdrawn_at,
        created_at,
        updated_at: withdrawn_at.unwrap_or(last),
    }
}

fn resource_row(past: Past, resource: &'static ResourceData, editor: Option<Uuid>) -> ItemRow {
    let released_at = past.days(RELEASED_DAYS, &resource.slug);
    let created_at = shift_hours(released_at, -WRITING, &resource.slug);
    ItemRow {
        item_uuid: id(created_at, &resource.slug),
        kind: "DEVELOPER_RESOURCE",
        state: "RELEASED",
        slug: &resource.slug,
        title: &resource.title,
        summary: &resource.summary,
        body: &resource.body,
        tags: &resource.tags,
        version: None,
        change: None,
        operations: &[],
        action_required: false,
        migration: None,
        generated: Some(&resource.generated),
        author_uuid: None,
        show_author: false,
        release_key: None,
        created_by_kind: "STAFF_USER",
        created_by_uuid: editor,
        released_at: Some(released_at),
        withdrawn_at: None,
        created_at,
        updated_at: released_at,
    }
}
