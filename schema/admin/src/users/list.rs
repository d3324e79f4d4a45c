//! Users for staff: the lookup of one, the list across partners with its filters and orders, and the lists of one user.

use jiff::Timestamp;
use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::principal::Role;
use labs_core::time::Time;
use labs_core::words::words;
use labs_core::{matches_longest_word, matches_words};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::resolvers::User;
use super::rules::UserState;
use labs_identity::auth::account::PersonType;
use labs_identity::auth::security_events::{PersonEvents, SecurityEvent, person_events};
use labs_identity::auth::sessions::{OpenSession, open_sessions};

/// Columns of team members and staff members.
static PEOPLE: Select<User> = Select::new(
    "person_uuid as uuid, kind, name, name_order(name) as name_sorted, email, email_verified_at, pending_email, partner_uuid,
     company_name, role, state, locale, second_factor_confirmed_at, sessions_count, sign_in_held_until, last_sign_in_at,
     created_at, updated_at",
    "user_shown",
);

/// Lookup of one member of a partner's team.
pub(super) static OF_A_TEAM: Lookup<User> = Lookup::new(&PEOPLE, &["person_uuid = {}", "kind <> 'STAFF_USER'"]);

/// Lookup of one user of either kind.
pub(super) static ANYBODY: Lookup<User> = Lookup::new(&PEOPLE, &["person_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct UserFilter {
    kind: Option<Vec<PersonType>>,
    partner_uuid: Option<Vec<Uuid>>,
    state: Option<Vec<UserState>>,
    role: Option<Vec<Role>>,
    second_factor: Option<bool>,
    pub(super) q: Option<String>,
    last_sign_in_at_from: Option<Time>,
    last_sign_in_at_until: Option<Time>,
}

/// Users to list for a caller.
#[derive(Debug, Serialize)]
pub(super) struct VisibleUsers {
    /// Whether staff members are included.
    pub(super) with_staff: bool,
    /// Requested filter.
    pub(super) filter: UserFilter,
    /// Whether many users match `q`. The statement then tests each in the order of the list.
    #[serde(skip)]
    pub(super) is_common_text: bool,
}

words! {
    /// Orders of users.
    pub enum UserSort {
        /// Newest account first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest account first.
        CreatedAt = "CREATED_AT",
        /// By name, ignoring case.
        Name = "NAME",
        /// Latest sign-in first; users who never signed in last.
        LastSignInAtDesc = "LAST_SIGN_IN_AT_DESC",
    }
}

/// List query of users.
pub(super) static USERS: ListQuery<VisibleUsers, User, UserSort> = ListQuery {
    operation: "admin_users_list",
    select: &PEOPLE,
    within: &[],
    conditions: &[
        Condition { sql: "kind <> 'STAFF_USER'", value: |of| (!of.with_staff).then_some(SqlValue::Nothing) },
        Condition { sql: "kind = any({})", value: |of| SqlValue::words(of.filter.kind.as_ref()) },
        Condition { sql: "partner_uuid = any({})", value: |of| SqlValue::ids(of.filter.partner_uuid.as_ref()) },
        Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
        Condition { sql: "role = any({})", value: |of| SqlValue::words(of.filter.role.as_ref()) },
        Condition {
            sql: "(second_factor_confirmed_at is not null) = {}",
            value: |of| of.filter.second_factor.map(SqlValue::from),
        },
        Condition {
            sql: concat!(
                "person_uuid = any(array(select p.person_uuid from person as p where ",
                matches_longest_word!("p.name || E'\\n' || p.email"),
                ")) and ",
                matches_words!("name", "email")
            ),
            value: |of| of.filter.q.as_deref().filter(|_| !of.is_common_text).map(SqlValue::from),
        },
        Condition {
            sql: matches_words!("name", "email"),
            value: |of| of.filter.q.as_deref().filter(|_| of.is_common_text).map(SqlValue::from),
        },
        Condition { sql: "last_sign_in_at >= {}", value: |of| of.filter.last_sign_in_at_from.map(SqlValue::from) },
        Condition { sql: "last_sign_in_at < {}", value: |of| of.filter.last_sign_in_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        UserSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        UserSort::CreatedAt => const { &[CREATED, ID] },
        UserSort::Name => const { &[NAME, ID] },
        UserSort::LastSignInAtDesc => const { &[SEEN.descending(), ID.descending()] },
    },
};

const ID: Key<User> = Key::id("person_uuid", |user| json!(user.uuid));
const CREATED: Key<User> = Key::moment("created_at", |user| json!(user.created_at));
const NAME: Key<User> = Key::text("name_order(name) collate \"C\"", |user| json!(user.name_sorted));
const SEEN: Key<User> = Key::moment("coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz)", |user| {
    json!(user.last_sign_in_at.unwrap_or(Time(Timestamp::UNIX_EPOCH)))
});

/// List query of a user's open sessions.
pub(super) static SESSIONS: ListQuery<Uuid, OpenSession, FixedOrder> = open_sessions("admin_users_list_sessions");

/// List query of a user's security events.
pub(super) static SECURITY_EVENTS: ListQuery<PersonEvents, SecurityEvent, FixedOrder> =
    person_events("admin_users_list_security_events");

/// Edge to a member of a partner's team.
pub static PERSON: EdgeQuery<User> = EdgeQuery {
    operation: "admin_users_get",
    argument: "user_uuid",
    select: &PEOPLE,
    condition: "person_uuid = above.uuid and kind <> 'STAFF_USER'",
    order: &[],
};

/// Edge to the members of a partner's team, by name.
pub static TEAM: EdgeQuery<User> = EdgeQuery {
    operation: "admin_users_list",
    argument: "partner_uuid",
    select: &PEOPLE,
    condition: "partner_uuid = above.uuid and kind <> 'STAFF_USER'",
    order: &[NAME, ID],
};

/// Run-time SQL statements of users, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 7] =
    [&USERS, &OF_A_TEAM, &ANYBODY, &PERSON, &TEAM, &SESSIONS, &SECURITY_EVENTS];
