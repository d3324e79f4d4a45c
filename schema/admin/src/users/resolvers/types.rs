//! Input and output types of users for staff.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::principal::Role;
use labs_core::time::Time;
use uuid::Uuid;

use super::super::rules::{UserState, allowed_actions};
use labs_identity::auth::account::PersonType;

/// A user.
#[derive(Clone, Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub struct User {
    /// UUID of the user, for use in paths.
    pub(in crate::users) uuid: Uuid,
    /// Kind of user: member of a partner's team, or staff member.
    kind: PersonType,
    /// Full name of the user.
    pub(in crate::users) name: String,
    /// E-mail address for sign-in.
    email: String,
    /// Time when the e-mail address was verified. Null for a user who must still verify the address.
    email_verified_at: Option<Time>,
    /// New e-mail address that is not yet verified. Null if no change is pending.
    pending_email: Option<String>,
    /// Partner whose team the user belongs to. Null for a staff member.
    pub(in crate::users) partner_uuid: Option<Uuid>,
    /// Name of this partner.
    company_name: Option<String>,
    /// Role in the team. Null for a staff member.
    role: Option<Role>,
    /// State of the user.
    state: UserState,
    /// Locale of e-mails to the user, if a translation exists.
    locale: String,
    /// Time since which a second factor is active. Null if no second factor is active.
    second_factor_confirmed_at: Option<Time>,
    /// Number of open sessions.
    sessions_count: i64,
    /// Time until which sign-ins of this user are blocked after failed attempts, from some or all networks. Null if
    /// sign-ins are not blocked.
    sign_in_held_until: Option<Time>,
    /// Time of the last sign-in. Null before the first sign-in.
    pub(in crate::users) last_sign_in_at: Option<Time>,
    /// Time when the account was created.
    pub(in crate::users) created_at: Time,
    /// Time of the last change to the name, address or state.
    updated_at: Time,
    /// Sort key of the order by name.
    #[serde(skip)]
    pub(in crate::users) name_sorted: String,
    /// Actions that the caller can perform now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl User {
    /// Adds the actions that the caller can perform. Staff members are changed through other operations.
    pub fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.users:write") && self.kind != PersonType::StaffUser;
        let is_held_back = self.sign_in_held_until.is_some();
        let allowed_actions = if acts { allowed_actions(self.state, is_held_back) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

/// A merge patch (RFC 7396). Omitted fields remain unchanged.
#[derive(serde::Deserialize, InputType)]
pub(super) struct UserUpdate {
    /// Full name of the user, on one line. 1 to 120 characters.
    pub(super) name: Option<String>,
    /// E-mail address for sign-in, once it is verified.
    pub(super) email: Option<String>,
}
