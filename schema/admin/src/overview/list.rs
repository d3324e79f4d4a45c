//! The list of dormant partners: columns, filters and order.

use labs_core::day::Day;
use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_shared::states::PartnerState;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// Default number of days without a sign-in or a call after which a partner is dormant.
const USUAL_DAYS: i32 = 90;

/// A dormant partner.
#[derive(sqlx::FromRow)]
pub(super) struct DormantRow {
    partner_uuid: Uuid,
    slug: String,
    company_name: String,
    state: PartnerState,
    tier_code: String,
    created_at: Time,
    active_at: Time,
    last_sign_in_at: Option<Time>,
    last_call_on: Option<Day>,
    apps_count: i64,
    listings_count: i64,
}

/// A dormant partner.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct DormantPartner {
    /// UUID of the partner.
    uuid: Uuid,
    /// Slug of the partner.
    slug: String,
    /// Name of the partner.
    company_name: String,
    /// State of the partner.
    state: PartnerState,
    /// Code of the partner's tier.
    tier_code: String,
    /// Time when the partner registered.
    registered_at: Time,
    /// Last day with a sign-in or an API call. If there was neither, the day of the registration.
    last_active_on: Day,
    /// Number of days since the last active day.
    silent_days: i32,
    /// Time of the last sign-in of any user of the partner. Null if no user ever signed in.
    last_sign_in_at: Option<Time>,
    /// Last day with an API call, within the retention period of request counts (760 days). Null if there was no call.
    last_call_on: Option<Day>,
    /// Number of apps, except archived apps.
    apps_count: i64,
    /// Number of listings visible on the storefront.
    listings_count: i64,
}

impl DormantPartner {
    /// Converts a row to its representation on a given day.
    pub(super) fn of(row: DormantRow, today: Day) -> Self {
        let last_active_on = Day::of(row.active_at);
        Self {
            uuid: row.partner_uuid,
            slug: row.slug,
            company_name: row.company_name,
            state: row.state,
            tier_code: row.tier_code,
            registered_at: row.created_at,
            last_active_on,
            silent_days: i32::try_from(today.days_since(last_active_on)).unwrap_or(i32::MAX),
            last_sign_in_at: row.last_sign_in_at,
            last_call_on: row.last_call_on,
            apps_count: row.apps_count,
            listings_count: row.listings_count,
        }
    }
}

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct DormantPartnerFilter {
    days: Option<i32>,
    state: Option<Vec<PartnerState>>,
    tier_code: Option<Vec<String>>,
}

/// Filter of the list.
#[derive(Debug, Serialize)]
pub(super) struct DormantSince {
    filter: DormantPartnerFilter,
    /// Day before which the partners were last active.
    since: Day,
}

impl DormantSince {
    /// Resolves a filter on a given day.
    pub(super) fn requested_partners(filter: DormantPartnerFilter, today: Day) -> Self {
        let since = today.plus(-filter.days.unwrap_or(USUAL_DAYS));
        Self { filter, since }
    }
}

/// Columns of partners with their last active day.
static DORMANT: Select<DormantRow> = Select::new(
    "p.partner_uuid, p.slug, p.company_name, p.state, t.code as tier_code, p.created_at, a.active_at,
     (select max(h.last_sign_in_at) from person as h where h.partner_uuid = p.partner_uuid) as last_sign_in_at,
     (select u.day from request_usage as u where u.account = 'partner:' || p.partner_uuid
       order by u.day desc limit 1) as last_call_on,
     (select count(*) from app where app.partner_uuid = p.partner_uuid and app.state <> 'ARCHIVED') as apps_count,
     (select count(*) from listing as l where l.partner_uuid = p.partner_uuid and l.visible) as listings_count",
    "partner_activity as a join partner as p using (partner_uuid) join subscription as s using (partner_uuid)
     join tier as t using (tier_uuid)",
);

/// List query of dormant partners, longest silence first. Conditions without an index are inside a `coalesce`;
/// otherwise the planner would sort all partners instead of following the order.
pub(super) static DORMANT_PARTNERS: ListQuery<DormantSince, DormantRow, FixedOrder> = ListQuery {
    operation: "admin_overview_list_dormant_partners",
    select: &DORMANT,
    within: &[
        Condition {
            sql: "a.active_at < ({}::text)::date::timestamp at time zone 'UTC'",
            value: |of| Some(SqlValue::Text(of.since.to_string())),
        },
        Condition {
            sql: "coalesce(p.state in ('ACTIVE', 'SUSPENDED', 'CLOSING'), false)",
            value: |_| Some(SqlValue::Nothing),
        },
    ],
    conditions: &[
        Condition { sql: "coalesce(p.state = any({}), false)", value: |of| SqlValue::words(of.filter.state.as_ref()) },
        Condition {
            sql: "coalesce(t.code = any({}), false)",
            value: |of| SqlValue::texts(of.filter.tier_code.as_ref()),
        },
    ],
    order: |FixedOrder| const { &[ACTIVE, ID] },
};

const ACTIVE: Key<DormantRow> = Key::moment("a.active_at", |row| json!(row.active_at));
const ID: Key<DormantRow> = Key::id("a.partner_uuid", |row| json!(row.partner_uuid));

/// Run-time SQL statements of dormant partners, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&DORMANT_PARTNERS];
