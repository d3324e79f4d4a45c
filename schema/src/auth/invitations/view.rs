//! Invitations as whoever sends them is shown them, and what is sent to make one.

use async_graphql::{Enum, InputObject, SimpleObject};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::rules::State;
use super::store::sent::SentRow;
use crate::fault::Fault;
use crate::principal::Role;
use crate::time::Time;
use crate::words::Word as _;

/// Where an invitation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum InvitationState {
    /// Waits for an answer.
    Pending,
    /// Its person is in the team.
    Accepted,
    /// Its person did not want to.
    Declined,
    /// It was taken back.
    Revoked,
    /// Nobody answered in time; it can be sent again.
    Expired,
}

/// An invitation into a team. Its token stands in the mail alone.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Invitation {
    /// The invitation.
    uuid: Uuid,
    /// The address that is invited.
    email: String,
    /// The role offered.
    role: Role,
    /// Where it stands.
    state: InvitationState,
    /// Since when it stands there.
    state_changed_at: Time,
    /// The language of its mail.
    locale: String,
    /// Who invited; null where the platform's staff or a program did.
    invited_by_uuid: Option<Uuid>,
    /// Their name.
    invited_by_name: Option<String>,
    /// Who came of it; null until it is accepted.
    user_uuid: Option<Uuid>,
    /// When it was first sent.
    created_at: Time,
    /// When it was last sent.
    sent_at: Time,
    /// Until when it can be answered.
    expires_at: Time,
}

/// Whom to invite, and as what.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct InvitationCreate {
    /// The address that the mail goes to.
    pub(crate) email: String,
    /// The role to be.
    pub(crate) role: Role,
    /// The language of the mail; English when none is named.
    pub(crate) locale: Option<String>,
}

impl TryFrom<SentRow> for Invitation {
    type Error = Fault;

    fn try_from(row: SentRow) -> Result<Self, Fault> {
        let broken = |what: &str, text: &str| Fault::internal(format!("an invitation with the {what} {text}"));
        let state = match State::parse(&row.state).ok_or_else(|| broken("state", &row.state))? {
            State::Pending => InvitationState::Pending,
            State::Accepted => InvitationState::Accepted,
            State::Declined => InvitationState::Declined,
            State::Revoked => InvitationState::Revoked,
            State::Expired => InvitationState::Expired,
        };
        Ok(Self {
            uuid: row.invitation_uuid,
            role: Role::read(&row.role).ok_or_else(|| broken("role", &row.role))?,
            email: row.email,
            state,
            state_changed_at: row.state_changed_at,
            locale: row.locale,
            invited_by_uuid: row.invited_by,
            invited_by_name: row.inviter_name,
            user_uuid: row.person_uuid,
            created_at: row.created_at,
            sent_at: row.sent_at,
            expires_at: row.expires_at,
        })
    }
}
