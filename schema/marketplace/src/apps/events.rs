//! History of an app for its owner.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::event_positions::{EventList, EventSort};
use labs_core::fault::Fault;
use labs_core::list::{Condition, FixedOrder, FollowQuery, Key, ListQuery, PageRequest, Select, SqlValue};
use labs_core::of_positions;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::resolvers::load_app;

words! {
    /// Kinds of actors in an app's history.
    pub enum AppActorKind {
        /// A member of the partner's team.
        PartnerUser = "PARTNER_USER",
        /// A machine client.
        MachineClient = "MACHINE_CLIENT",
        /// A staff member of the platform.
        StaffUser = "STAFF_USER",
        /// The service itself, at a scheduled time.
        System = "SYSTEM",
    }
}

words! {
    /// Staff office that acted on an app.
    pub(crate) enum AppActorOffice {
        /// Staff who review app versions.
        AppReview = "APP_REVIEW",
        /// Staff who administer the marketplace.
        Marketplace = "MARKETPLACE",
    }
}

/// Actor of an app event.
#[derive(Serialize, OutputType, sqlx::FromRow)]
pub(super) struct AppActor {
    /// Kind of actor.
    #[sqlx(rename = "actor_kind")]
    kind: AppActorKind,
    /// Office of the staff member. Null for other actors.
    #[sqlx(rename = "actor_office")]
    office: Option<AppActorOffice>,
    /// UUID of the user or machine client, if it belongs to the partner. Staff members see the id of every actor. Null
    /// for others, including users and machine clients of a former owner.
    #[sqlx(rename = "shown_uuid")]
    uuid: Option<Uuid>,
    /// Current name of the actor. Null if `uuid` is null, or if the actor no longer exists.
    #[sqlx(rename = "actor_name")]
    name: Option<String>,
}

/// An entry in the history of an app.
#[derive(Serialize, OutputType, sqlx::FromRow)]
pub(super) struct AppEvent {
    /// UUID of the event.
    uuid: Uuid,
    /// Time of the event.
    occurred_at: Time,
    /// Kind of event, for example `VERSION_PUBLISHED` or `UNLISTED`.
    kind: String,
    /// Actor that caused the event.
    #[sqlx(flatten)]
    actor: AppActor,
    /// UUID of the version that the event concerns. Null if the event concerns no version.
    version_uuid: Option<Uuid>,
    /// Number of that version.
    version_number: Option<String>,
    /// For `VERSION_SCHEDULED`: the scheduled publication time. Null for other kinds.
    publish_at: Option<Time>,
    /// For `UPDATED`, `MEDIA_UPDATED` and `VERSION_UPDATED`: the fields that changed. A text in a locale other than the
    /// default is named by its path, for example `translations/de/tagline`, or `translations/de` after deletion of the
    /// locale. Empty for other kinds.
    fields: Vec<String>,
    /// For `SUSPENDED`, `REINSTATED` and `TRANSFERRED`: the reason that staff gave. Null for other kinds.
    reason: Option<String>,
}

/// Filter of a history. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct AppEventFilter {
    kind: Option<Vec<String>>,
    version_uuid: Option<Uuid>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// Parameters of an app's history. The caller has already checked the ownership.
#[derive(Debug, Serialize)]
pub(super) struct AppHistory {
    pub(super) app_uuid: Uuid,
    pub(super) filter: AppEventFilter,
}

/// Columns of a history entry `event`; the relation `actor` decides which actor is shown.
macro_rules! columns {
    () => {
        "event.event_uuid as uuid, event.occurred_at, event.kind,
     case when event.actor_kind = 'ANONYMOUS' then 'SYSTEM' else event.actor_kind end as actor_kind,
     case when event.actor_kind = 'STAFF_USER'
          then case when event.kind like 'VERSION%' or event.kind in ('SUSPENDED', 'REINSTATED')
                    then 'APP_REVIEW' else 'MARKETPLACE' end end as actor_office,
     actor.shown_uuid, actor_name(event.actor_kind, actor.shown_uuid) as actor_name,
     (event.detail ->> 'version_uuid')::uuid as version_uuid, event.detail ->> 'number' as version_number,
     (event.detail ->> 'publish_at')::timestamptz as publish_at,
     array(select jsonb_array_elements_text(case when jsonb_typeof(event.detail -> 'fields') = 'array'
                                                 then event.detail -> 'fields' else '[]' end)) as fields,
     case when event.kind in ('SUSPENDED', 'REINSTATED', 'TRANSFERRED') then event.detail ->> 'reason' end as reason"
    };
}

/// Relations joined to `event` that name only the partner's own users and machine clients. Staff and a former owner's
/// actors have no name.
macro_rules! for_owner {
    () => {
        "join app using (app_uuid)
     cross join lateral (
          select case when (event.actor_kind = 'PARTNER_USER'
                       or exists (select from machine_client as client
                                   where client.client_uuid = event.actor_uuid
                                     and client.partner_uuid = app.partner_uuid))
                      and event.occurred_at >= app_owned_since(event.app_uuid)
                      then event.actor_uuid end as shown_uuid) as actor"
    };
}

static EVENT: Select<AppEvent> = Select::new(columns!(), concat!("app_event as event ", for_owner!()));

static EVENT_BY_POSITION: Select<AppEvent> =
    Select::new(columns!(), concat!(of_positions!("app_event", "event"), for_owner!()));

/// Names every actor, for staff.
static EVENT_FOR_STAFF: Select<AppEvent> =
    Select::new(columns!(), "app_event as event cross join lateral (select event.actor_uuid as shown_uuid) as actor");

const OF_APP: &[Condition<AppHistory>] =
    &[Condition { sql: "event.app_uuid = {}", value: |of| Some(of.app_uuid.into()) }];

const NARROWED: &[Condition<AppHistory>] = &[
    Condition { sql: "event.kind = any({})", value: |of| SqlValue::texts(of.filter.kind.as_ref()) },
    Condition {
        sql: "(event.detail ->> 'version_uuid')::uuid = {}",
        value: |of| of.filter.version_uuid.map(SqlValue::from),
    },
    Condition { sql: "event.occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(SqlValue::from) },
    Condition { sql: "event.occurred_at < {}", value: |of| of.filter.occurred_at_until.map(SqlValue::from) },
];

/// History of an app, newest first.
pub(super) static HISTORY: ListQuery<AppHistory, AppEvent, FixedOrder> = ListQuery {
    operation: "marketplace_apps_list_events",
    select: &EVENT,
    within: OF_APP,
    conditions: NARROWED,
    order: |FixedOrder| LATEST_FIRST,
};

/// History of an app by position, oldest first.
pub(super) static FOLLOWED: FollowQuery<AppHistory, AppEvent> = FollowQuery {
    operation: "marketplace_apps_list_events",
    list: EventList::App,
    select: &EVENT_BY_POSITION,
    about: |of| of.app_uuid,
    within: &[],
    conditions: NARROWED,
};

/// History of an app for staff, newest first.
pub(super) static HISTORY_FOR_STAFF: ListQuery<AppHistory, AppEvent, FixedOrder> = ListQuery {
    operation: "admin_apps_list_events",
    select: &EVENT_FOR_STAFF,
    within: OF_APP,
    conditions: NARROWED,
    order: |FixedOrder| LATEST_FIRST,
};

const LATEST_FIRST: &[Key<AppEvent>] = &[OCCURRED.descending(), ID.descending()];
const OCCURRED: Key<AppEvent> = Key::moment("event.occurred_at", |event| json!(event.occurred_at));
const ID: Key<AppEvent> = Key::id("event.event_uuid", |event| json!(event.uuid));

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![marketplace_apps_list_events];

/// List an app's events.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_apps_list_events(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<AppEventFilter>,
    sort: Option<EventSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<AppEvent>, Fault> {
    let history = AppHistory { app_uuid, filter: filter.unwrap_or_default() };
    if sort == Some(EventSort::Position) {
        let is_own = async { load_app(cx, app_uuid).await.map(drop) };
        return Ok(FOLLOWED.page(cx, &history, &PageRequest::new(sort, limit, cursor), is_own).await?.list());
    }
    load_app(cx, app_uuid).await?;
    Ok(HISTORY.page(cx, &history, &PageRequest::new(None, limit, cursor)).await?.list())
}
