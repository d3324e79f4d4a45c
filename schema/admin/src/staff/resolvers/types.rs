//! Input and output types of staff members.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::scope::ScopeSet;
use labs_core::time::Time;
use uuid::Uuid;

use super::super::list::{MemberRow, RoleRow};
use super::super::rules::{StaffState, allowed_actions};

/// Scope that every user holds in addition to their roles.
const OWN_ACCOUNT: &str = "auth.account:write";

/// A staff member.
#[derive(serde::Serialize, OutputType)]
pub struct StaffMember {
    /// UUID of the staff member, for use in paths.
    uuid: Uuid,
    /// Full name of the staff member.
    name: String,
    /// E-mail address for sign-in.
    email: String,
    /// State of the staff member.
    state: StaffState,
    /// Assigned roles, in alphabetical order of their codes.
    roles: Vec<StaffMemberRole>,
    /// Combined scopes of the roles and of the staff member's own account, in alphabetical order. A scope that another
    /// scope of the list includes is omitted. A session that was opened with the second factor has these scopes. A
    /// session without a second factor has only `auth.account:write`.
    effective_scopes: Vec<String>,
    /// Time since which a second factor is active. Null for a staff member who must still enrol a second factor.
    second_factor_confirmed_at: Option<Time>,
    /// Number of open sessions.
    sessions_count: i64,
    /// Time until which the invitation can be accepted. Null if no invitation is open.
    invitation_expires_at: Option<Time>,
    /// Time of the last sign-in. Null before the first sign-in.
    last_sign_in_at: Option<Time>,
    /// Time when the staff member was invited.
    created_at: Time,
    /// Time of the last change to the name, address or state.
    updated_at: Time,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// A role of a staff member.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct StaffMemberRole {
    /// Code of the role.
    code: String,
    /// Name of the role.
    name: String,
}

/// A staff member to invite.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct StaffCreate {
    /// Full name of the staff member. 1 to 120 characters.
    pub(super) name: String,
    /// E-mail address for sign-in. The service sends the invitation to this address.
    pub(super) email: String,
    /// Roles to assign. The caller must hold every scope of these roles.
    pub(super) roles: Vec<String>,
    /// Locale of e-mails to the staff member. `en` by default.
    pub(super) locale: Option<String>,
}

/// A merge patch (RFC 7396). Omitted fields remain unchanged.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct StaffUpdate {
    /// Full name of the staff member. 1 to 120 characters.
    pub(super) name: Option<String>,
    /// New e-mail address for sign-in.
    pub(super) email: Option<String>,
}

/// Complete list of a staff member's roles.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct StaffRolesPut {
    /// Roles. The caller must hold the scopes of every added role. An empty list removes all roles.
    pub(super) roles: Vec<String>,
}

impl StaffMember {
    /// Converts a row to the representation for the caller.
    pub fn of(row: MemberRow, cx: &RequestContext) -> Self {
        let names = row.roles.0.iter().flat_map(|role| role.scopes.iter().map(String::as_str));
        let granted = ScopeSet::parse(names.clone());
        let mut effective_scopes = ScopeSet::parse(names.chain([OWN_ACCOUNT])).names();
        let own = cx.caller.principal.as_ref().filter(|_| cx.may("labs.admin.staff:write")).map(|own| own.scopes);
        effective_scopes.sort_unstable();
        Self {
            uuid: row.uuid,
            name: row.name,
            email: row.email,
            state: row.state,
            roles: row.roles.0.into_iter().map(StaffMemberRole::from).collect(),
            effective_scopes,
            second_factor_confirmed_at: row.second_factor_confirmed_at,
            sessions_count: row.sessions_count,
            invitation_expires_at: row.invitation_expires_at,
            last_sign_in_at: row.last_sign_in_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            allowed_actions: own.map(|own| allowed_actions(row.state, own, granted)).unwrap_or_default(),
        }
    }
}

impl From<RoleRow> for StaffMemberRole {
    fn from(row: RoleRow) -> Self {
        Self { code: row.code, name: row.name }
    }
}
