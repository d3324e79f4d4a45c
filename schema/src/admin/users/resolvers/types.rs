//! People as operators are shown them, and what operators send.

use async_graphql::{InputObject, SimpleObject};
use uuid::Uuid;

use super::super::rules::UserState;
use super::super::store::UserRow;
use crate::auth::account::PersonType;
use crate::fault::Fault;
use crate::principal::Role;
use crate::time::Time;

/// Somebody who signs in.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct User {
    /// For paths.
    uuid: Uuid,
    /// Of a partner's team, or of the staff.
    kind: PersonType,
    /// Full name.
    name: String,
    /// The address to sign in with.
    email: String,
    /// Since when the address is proved; null: not yet.
    email_verified_at: Option<Time>,
    /// The address to be, while it waits to be proved.
    pending_email: Option<String>,
    /// The partner of whose team they are; null for staff.
    partner_uuid: Option<Uuid>,
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
    last_sign_in_at: Option<Time>,
    /// When the account was made.
    created_at: Time,
    /// When name, address or state last changed.
    updated_at: Time,
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

impl TryFrom<UserRow> for User {
    type Error = Fault;

    fn try_from(row: UserRow) -> Result<Self, Fault> {
        Ok(Self {
            uuid: row.person_uuid,
            kind: PersonType::parse(&row.kind),
            name: row.name,
            email: row.email,
            email_verified_at: row.email_verified_at,
            pending_email: row.pending_email,
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            role: row.role.as_deref().and_then(Role::parse),
            state: UserState::parse(&row.state)?,
            locale: row.locale,
            second_factor_confirmed_at: row.second_factor_confirmed_at,
            sessions_count: row.sessions_count,
            sign_in_held_until: row.sign_in_held_until,
            last_sign_in_at: row.last_sign_in_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}
