//! Staff roles: the lookup of one and the list with its filters and orders.

use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::scope::opening_scopes;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::staff::StaffState;

/// A set of scopes under `labs.admin` that is granted to staff members as a unit.
#[derive(Serialize, OutputType, sqlx::FromRow)]
pub(super) struct StaffRole {
    /// Code of the role in paths and lists; immutable.
    code: String,
    /// Name of the role.
    name: String,
    /// Description of the holders' tasks. Can be empty.
    description: String,
    /// Scopes of the role, in the shortest form and in alphabetical order. In addition, every staff member holds
    /// `auth.account:write`.
    scopes: Vec<String>,
    /// Number of holders, including disabled and invited staff members.
    holders_count: i64,
    /// Holders of the role: the first hundred by name. `GET /v1/admin/staff?role=…` lists all of them.
    #[sqlx(json)]
    holders: Vec<StaffRoleHolder>,
    /// Time when the role was created.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Sort key of the order by name.
    #[serde(skip)]
    name_sorted: String,
}

/// A holder of a role.
#[derive(Deserialize, Serialize, OutputType)]
pub(super) struct StaffRoleHolder {
    /// UUID of the staff member, for use in paths.
    #[serde(rename(deserialize = "person_uuid"))]
    uuid: Uuid,
    /// Name of the staff member.
    name: String,
    /// State of the holder.
    state: StaffState,
}

static SHOWN: Select<StaffRole> = Select::new(
    "role_code as code, name, name_order(name) as name_sorted, description, scopes, holders_count, holders, created_at,
     updated_at",
    "staff_role_shown",
);

/// Lookup of one role.
pub(super) static ROLE: Lookup<StaffRole> = Lookup::new(&SHOWN, &["role_code = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct StaffRoleFilter {
    scope: Option<Vec<String>>,
    q: Option<String>,
}

words! {
    /// Orders of roles.
    pub enum StaffRoleSort {
        /// By code.
        Code = "CODE",
        /// By name, ignoring case.
        Name = "NAME",
    }
}

/// List query of roles.
pub(super) static ROLES: ListQuery<StaffRoleFilter, StaffRole, StaffRoleSort> = ListQuery {
    operation: "admin_staff_roles_list",
    select: &SHOWN,
    within: &[],
    conditions: &[
        Condition {
            sql: "scopes && {}",
            value: |of| {
                of.scope.as_ref().filter(|named| !named.is_empty()).map(|named| SqlValue::Texts(opening_scopes(named)))
            },
        },
        Condition {
            sql: matches_words!("name", "description", "role_code"),
            value: |of| of.q.as_deref().map(SqlValue::from),
        },
    ],
    order: |sort| match sort {
        StaffRoleSort::Code => const { &[Key::text("role_code collate \"C\"", |role: &StaffRole| json!(role.code))] },
        StaffRoleSort::Name => {
            const {
                &[
                    Key::text("name_order(name) collate \"C\"", |role: &StaffRole| json!(role.name_sorted)),
                    Key::text("role_code", |role: &StaffRole| json!(role.code)),
                ]
            }
        }
    },
};

/// Run-time SQL statements of roles, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&ROLES, &ROLE];
