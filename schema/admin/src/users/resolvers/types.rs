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
    /// UUID of the user, for paths.
    pub(in crate::users) uuid: Uuid,
    /// Kind of user: member of a partner's team, or staff member.
    kind: PersonType,
    /// Full name.
    pub(in crate::users) name: String,
    /// E-mail address for sign-in.
    email: String,
    /// Time when the address was verified; null if it is unverified.
    email_verified_at: Option<Time>,
    /// New address that is not verified yet.
    pending_email: Option<String>,
    /// UUID of the partner whose team they belong to; null for staff members.
    pub(in crate::users) partner_uuid: Option<Uuid>,
    /// Name of the partner; null for staff members.
    company_name: Option<String>,
    /// Role in the team; null for staff members.
    role: Option<Role>,
    /// State of the user.
    state: UserState,
    /// Language of their mails.
    locale: String,
    /// Time since when a second factor is active; null if they have none.
    second_factor_confirmed_at: Option<Time>,
    /// Number of open sessions.
    sessions_count: i64,
    /// Time until which failed attempts block some sign-ins; null if no sign-in is blocked.
    sign_in_held_until: Option<Time>,
    /// Time of the last sign-in.
    pub(in crate::users) last_sign_in_at: Option<Time>,
    /// Time when the account was created.
    pub(in crate::users) created_at: Time,
    /// Time of the last change to the name, address or state.
    updated_at: Time,
    /// Sort key of the order by name.
    #[serde(skip)]
    pub(in crate::users) name_sorted: String,
    /// Actions that the caller can currently perform on the user.
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

/// A merge patch of a user (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub(super) struct UserUpdate {
    /// Full name.
    pub(super) name: Option<String>,
    /// New e-mail address, which the user must verify.
    pub(super) email: Option<String>,
}
