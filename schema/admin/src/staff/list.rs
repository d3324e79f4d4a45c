//! Staff members for other staff: the lookup of one and the list with its filters and orders.

use jiff::Timestamp;
use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::scope::opening_scopes;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::StaffState;

/// A staff member, for other staff.
#[derive(Clone, sqlx::FromRow)]
pub struct MemberRow {
    pub(super) uuid: Uuid,
    pub(super) name: String,
    /// Sort key of the order by name.
    name_sorted: String,
    pub(super) email: String,
    pub(super) state: StaffState,
    pub(super) roles: Json<Vec<RoleRow>>,
    pub(super) second_factor_confirmed_at: Option<Time>,
    pub(super) sessions_count: i64,
    pub(super) invitation_expires_at: Option<Time>,
    pub(super) last_sign_in_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// A role of a staff member.
#[derive(Clone, Deserialize)]
pub struct RoleRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) scopes: Vec<String>,
}

static MEMBERS: Select<MemberRow> = Select::new(
    "person_uuid as uuid, name, name_order(name) as name_sorted, email,
     case state when 'LOCKED' then 'DISABLED' else state end as state, roles, second_factor_confirmed_at, sessions_count,
     invitation_expires_at, last_sign_in_at, created_at, updated_at",
    "staff_member_shown as member",
);

/// Lookup of one staff member.
pub(super) static MEMBER: Lookup<MemberRow> = Lookup::new(&MEMBERS, &["person_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct StaffFilter {
    state: Option<Vec<StaffState>>,
    role: Option<Vec<String>>,
    scope: Option<Vec<String>>,
    second_factor: Option<bool>,
    q: Option<String>,
    last_sign_in_at_from: Option<Time>,
    last_sign_in_at_until: Option<Time>,
}

words! {
    /// Orders of staff members.
    pub enum StaffSort {
        /// Newest account first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest account first.
        CreatedAt = "CREATED_AT",
        /// By name, ignoring case.
        Name = "NAME",
        /// Latest sign-in first; staff members who never signed in last.
        LastSignInAtDesc = "LAST_SIGN_IN_AT_DESC",
    }
}

/// List query of staff members.
pub(super) static STAFF: ListQuery<StaffFilter, MemberRow, StaffSort> = ListQuery {
    operation: "admin_staff_list",
    select: &MEMBERS,
    within: &[],
    conditions: &[
        Condition { sql: "state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        Condition {
            sql: "exists (select from staff_role_grant as g
                   where g.person_uuid = member.person_uuid and g.role_code = any({}))",
            value: |of| SqlValue::texts(of.role.as_ref()),
        },
        Condition {
            sql: "exists (select from staff_role_grant as g join staff_role as r using (role_code)
                   where g.person_uuid = member.person_uuid and r.scopes && {})",
            value: |of| {
                of.scope.as_ref().filter(|named| !named.is_empty()).map(|named| SqlValue::Texts(opening_scopes(named)))
            },
        },
        Condition {
            sql: "(second_factor_confirmed_at is not null) = {}",
            value: |of| of.second_factor.map(SqlValue::from),
        },
        Condition { sql: matches_words!("name", "email"), value: |of| of.q.as_deref().map(SqlValue::from) },
        Condition { sql: "last_sign_in_at >= {}", value: |of| of.last_sign_in_at_from.map(SqlValue::from) },
        Condition { sql: "last_sign_in_at < {}", value: |of| of.last_sign_in_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        StaffSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        StaffSort::CreatedAt => const { &[CREATED, ID] },
        StaffSort::Name => const { &[NAME, ID] },
        StaffSort::LastSignInAtDesc => const { &[SEEN.descending(), ID.descending()] },
    },
};

const ID: Key<MemberRow> = Key::id("person_uuid", |member| json!(member.uuid));
const CREATED: Key<MemberRow> = Key::moment("created_at", |member| json!(member.created_at));
const NAME: Key<MemberRow> = Key::text("name_order(name) collate \"C\"", |member| json!(member.name_sorted));
const SEEN: Key<MemberRow> =
    Key::moment("coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz)", |member| {
        json!(member.last_sign_in_at.unwrap_or(Time(Timestamp::UNIX_EPOCH)))
    });

/// Edge to the staff member who performed an action.
pub static COLLEAGUE: EdgeQuery<MemberRow> = EdgeQuery {
    operation: "admin_staff_get",
    argument: "staff_uuid",
    select: &MEMBERS,
    condition: "person_uuid = above.uuid",
    order: &[],
};

/// Run-time SQL statements of staff members, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 3] = [&STAFF, &MEMBER, &COLLEAGUE];
