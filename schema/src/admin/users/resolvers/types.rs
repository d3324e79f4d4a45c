//! People as operators are shown them, and what operators send.

use async_graphql::{InputObject, SimpleObject};
use uuid::Uuid;

use super::super::rules::{UserState, allowed_actions};
use crate::auth::account::PersonType;
use crate::core::context::RequestContext;
use crate::core::principal::Role;
use crate::core::time::Time;

/// A user.
#[derive(Clone, Debug, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct User {
    /// For paths.
    pub(in crate::admin::users) uuid: Uuid,
    /// Of a partner's team, or of the staff.
    kind: PersonType,
    /// Full name.
    pub(in crate::admin::users) name: String,
    /// E-mail address for sign-in.
    email: String,
    /// Since when the address is proved; null: not yet.
    email_verified_at: Option<Time>,
    /// The address to be, while it waits to be proved.
    pending_email: Option<String>,
    /// The partner of whose team they are; null for staff.
    pub(in crate::admin::users) partner_uuid: Option<Uuid>,
    /// That partner's name; null for staff.
    company_name: Option<String>,
    /// Their role in the team; null for staff.
    role: Option<Role>,
    /// Where they stand.
    state: UserState,
    /// The language of their mails.
    locale: String,
    /// Since when a second factor is in force; null: none is.
    second_factor_confirmed_at: Option<Time>,
    /// Open sessions.
    sessions_count: i64,
    /// Until when failed tries hold some sign-ins back; null: none are held back.
    sign_in_held_until: Option<Time>,
    /// When they last signed in.
    pub(in crate::admin::users) last_sign_in_at: Option<Time>,
    /// Time when the account was created.
    pub(in crate::admin::users) created_at: Time,
    /// Time of the last change to the name, address or state.
    updated_at: Time,
    /// The name as the list by name compares it.
    #[graphql(skip)]
    #[serde(skip)]
    pub(in crate::admin::users) name_sorted: String,
    /// What the caller can do about them now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl User {
    /// The same with what the caller can do about them. Internal people are changed elsewhere.
    pub(crate) fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.users:write") && self.kind != PersonType::StaffUser;
        let is_held_back = self.sign_in_held_until.is_some();
        let allowed_actions = if acts { allowed_actions(self.state, is_held_back) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

/// A merge patch of a person (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct UserUpdate {
    /// Full name.
    pub(super) name: Option<String>,
    /// The address to be; it has to be proved.
    pub(super) email: Option<String>,
}
