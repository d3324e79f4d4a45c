//! The list of a team's members, for the team and for staff.

use jiff::Timestamp;
use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::principal::Role;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::types::{TeamMember, TeamMemberState};

/// Columns of team members.
static MEMBER: Select<TeamMember> = Select::new(
    "person_uuid as uuid, name, name_order(name) as name_sorted, email, role, state,
     second_factor_confirmed_at is not null as second_factor, last_sign_in_at, created_at, updated_at",
    "user_shown",
);

/// Lookup of one team member.
pub(super) static OF_A_TEAM: Lookup<TeamMember> = Lookup::new(&MEMBER, &["partner_uuid = {}", "person_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub struct TeamMemberFilter {
    state: Option<Vec<TeamMemberState>>,
    role: Option<Vec<Role>>,
    second_factor: Option<bool>,
    q: Option<String>,
}

/// Members of one team.
#[derive(Debug, Serialize)]
pub struct MembersOf {
    /// UUID of the partner.
    pub partner_uuid: Uuid,
    /// Filter of the members.
    pub filter: TeamMemberFilter,
}

words! {
    /// Orders of team members.
    pub enum TeamMemberSort {
        /// Newest account first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest account first.
        CreatedAt = "CREATED_AT",
        /// By name, ignoring case.
        Name = "NAME",
        /// Latest sign-in first; members who never signed in last.
        LastSignInAtDesc = "LAST_SIGN_IN_AT_DESC",
    }
}

/// A list query of a team's members.
pub(super) type MemberList = ListQuery<MembersOf, TeamMember, TeamMemberSort>;

/// List query of a team's members for the team.
pub(super) static MEMBERS: MemberList = list_for("partner_team_members_list");

/// List query of a team's members for staff.
pub static MEMBERS_FOR_STAFF: MemberList = list_for("admin_team_members_list");

const fn list_for(operation: &'static str) -> MemberList {
    ListQuery {
        operation,
        select: &MEMBER,
        within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
        conditions: &[
            Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
            Condition { sql: "role = any({})", value: |of| SqlValue::words(of.filter.role.as_ref()) },
            Condition {
                sql: "(second_factor_confirmed_at is not null) = {}",
                value: |of| of.filter.second_factor.map(SqlValue::from),
            },
            Condition { sql: matches_words!("name", "email"), value: |of| of.filter.q.as_deref().map(SqlValue::from) },
        ],
        order: |sort| match sort {
            TeamMemberSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
            TeamMemberSort::CreatedAt => const { &[CREATED, ID] },
            TeamMemberSort::Name => const { &[NAME, ID] },
            TeamMemberSort::LastSignInAtDesc => const { &[SEEN.descending(), ID.descending()] },
        },
    }
}

const ID: Key<TeamMember> = Key::id("person_uuid", |row| json!(row.uuid));
const CREATED: Key<TeamMember> = Key::moment("created_at", |row| json!(row.created_at));
const NAME: Key<TeamMember> = Key::text("name_order(name) collate \"C\"", |row| json!(row.name_sorted));
const SEEN: Key<TeamMember> = Key::moment("coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz)", |row| {
    json!(row.last_sign_in_at.unwrap_or(Time(Timestamp::UNIX_EPOCH)))
});

/// Run-time SQL statements of team members, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 3] = [&MEMBERS, &MEMBERS_FOR_STAFF, &OF_A_TEAM];
