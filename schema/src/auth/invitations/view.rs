//! Invitations as whoever sends them is shown them, and what is sent to make one.

use async_graphql::{InputObject, SimpleObject};
use uuid::Uuid;

use super::rules::{InvitationState, allowed_actions};
use crate::core::context::RequestContext;
use crate::core::principal::Role;
use crate::core::time::Time;
use crate::partner::team::ActingAs;
use crate::partner::team_members::rules::ensure_covered;

/// An invitation to a team. Only the e-mail contains its token.
#[derive(Debug, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Invitation {
    /// The invitation.
    pub(super) uuid: Uuid,
    /// Invited e-mail address.
    pub(super) email: String,
    /// The role offered.
    role: Role,
    /// Where it stands.
    state: InvitationState,
    /// Time of the last state change.
    state_changed_at: Time,
    /// The language of its mail.
    locale: String,
    /// Who invited; null where the platform's staff or a program did.
    invited_by_uuid: Option<Uuid>,
    /// Name of the user who sent the invitation.
    invited_by_name: Option<String>,
    /// Who came of it; null until it is accepted.
    user_uuid: Option<Uuid>,
    /// Time when the invitation was first sent.
    pub(super) created_at: Time,
    /// Time when the invitation was last sent.
    sent_at: Time,
    /// Time until which the invitation can be answered.
    expires_at: Time,
    /// What the caller can do about it now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl Invitation {
    /// The same with what the caller can do about it, whose role has to write what the one offered does.
    pub(crate) fn for_caller(self, cx: &RequestContext, acting: ActingAs<'_>) -> Self {
        let scope = if acting.is_staff() { "labs.admin.users:write" } else { "partner.team:write" };
        let acts = cx.may(scope) && ensure_covered(self.role, acting.own).is_ok();
        let allowed_actions = if acts { allowed_actions(self.state) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

/// E-mail address to invite, and the offered role.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct InvitationCreate {
    /// The address that the mail goes to.
    pub(crate) email: String,
    /// Role that the user will have.
    pub(crate) role: Role,
    /// The language of the mail; English when none is named.
    pub(crate) locale: Option<String>,
}
