//! The list of a partner's timeline, newest first. Each source contributes at most one entry more than the largest
//! page. Data that an erasure removed from the histories is not shown from the audit log either.

use labs_core::describe::InputType;
use labs_core::list::{EdgeQuery, FixedOrder, Key, PlacedValue, Select, SqlValue, WrittenQuery};
use labs_core::time::Time;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::PartnerTimelineGroup;

/// An entry of the timeline.
#[derive(Clone, sqlx::FromRow)]
pub struct PartnerTimelineRow {
    pub(super) event_group: PartnerTimelineGroup,
    pub(super) event_uuid: Uuid,
    pub(super) occurred_at: Time,
    pub(super) kind: String,
    pub(super) outcome: String,
    pub(super) actor_kind: Option<String>,
    pub(super) actor_uuid: Option<Uuid>,
    pub(super) actor_name: Option<String>,
    pub(super) subject_kind: Option<String>,
    pub(super) subject_uuid: Option<Uuid>,
    pub(super) reason: Option<String>,
    pub(super) detail: Value,
}

/// Filter of the timeline. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(crate) struct PartnerTimelineFilter {
    group: Option<Vec<PartnerTimelineGroup>>,
    kind: Option<Vec<String>>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// The timeline of a partner.
#[derive(Debug, Serialize)]
pub(in super::super) struct TimelineOfPartner {
    pub(in super::super) partner_uuid: Uuid,
    pub(in super::super) filter: PartnerTimelineFilter,
}

/// Columns of an entry.
macro_rules! told {
    () => {
        "e.event_group, e.event_uuid, e.occurred_at, e.kind, e.outcome, e.actor_kind, e.actor_uuid,
         coalesce(case when p.state <> 'ERASED' then e.actor_label end,
             (select name from person where person_uuid = e.actor_uuid),
             (select name from machine_client where client_uuid = e.actor_uuid)) as actor_name,
         e.subject_kind, e.subject_uuid, case when p.state <> 'ERASED' then e.reason end as reason, e.detail"
    };
}

/// Newest timeline entries of several partners.
pub static TIMELINE_OF_EACH: EdgeQuery<PartnerTimelineRow> = EdgeQuery {
    operation: "admin_partners_list_timeline",
    argument: "partner_uuid",
    select: &Select::new(
        told!(),
        "partner as p
         cross join partner_timeline(above.uuid, null, null, '-infinity', 'infinity', 'infinity',
               'ffffffff-ffff-ffff-ffff-ffffffffffff', 101) as e",
    ),
    condition: "p.partner_uuid = above.uuid",
    order: &[OCCURRED.descending(), ID.descending()],
};

/// List query of a partner's timeline.
pub(in super::super) static TIMELINE: WrittenQuery<TimelineOfPartner, PartnerTimelineRow, FixedOrder> = WrittenQuery {
    operation: "admin_partners_list_timeline",
    rows: concat!(
        "select ",
        told!(),
        "
             from partner as p
            cross join partner_timeline({partner}, {group: null}, {kind: null}, {from: '-infinity'},
                  {until: 'infinity'}, {key 1: 'infinity'}, {key 2: 'ffffffff-ffff-ffff-ffff-ffffffffffff'}, 101) as e
            where p.partner_uuid = {partner}"
    ),
    count: "select count(*)
              from partner_timeline({partner}, {group: null}, {kind: null}, {from: '-infinity'}, {until: 'infinity'},
                   'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', null)",
    values: &[
        PlacedValue { name: "partner", value: |of| Some(of.partner_uuid.into()) },
        PlacedValue { name: "group", value: |of| SqlValue::words(of.filter.group.as_ref()) },
        PlacedValue { name: "kind", value: |of| SqlValue::texts(of.filter.kind.as_ref()) },
        PlacedValue { name: "from", value: |of| of.filter.occurred_at_from.map(SqlValue::from) },
        PlacedValue { name: "until", value: |of| of.filter.occurred_at_until.map(SqlValue::from) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[OCCURRED.descending(), ID.descending()] },
};

const ID: Key<PartnerTimelineRow> = Key::id("e.event_uuid", |row| json!(row.event_uuid));
const OCCURRED: Key<PartnerTimelineRow> = Key::moment("e.occurred_at", |row| json!(row.occurred_at));
