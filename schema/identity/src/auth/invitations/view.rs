//! Invitations as shown to senders, and the input that creates one.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::principal::Role;
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{InvitationState, allowed_actions};
use crate::partner::team::ActingAs;
use crate::partner::team_members::rules::ensure_covered;

/// An invitation to a team. Only the e-mail contains its token.
#[derive(Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub struct Invitation {
    /// UUID of the invitation, for use in paths.
    pub(super) uuid: Uuid,
    /// Invited e-mail address.
    pub(super) email: String,
    /// Offered role.
    role: Role,
    /// State of the invitation.
    state: InvitationState,
    /// Time when the invitation entered this state.
    state_changed_at: Time,
    /// Language of the invitation e-mail, if a translation exists.
    locale: String,
    /// UUID of the user who sent the invitation. Null if the platform's staff or a machine client sent it.
    invited_by_uuid: Option<Uuid>,
    /// Name of the user who sent the invitation. Null if the platform's staff or a machine client sent it, or if the
    /// user no longer exists.
    invited_by_name: Option<String>,
    /// UUID of the user who accepted the invitation. Null until it is accepted.
    user_uuid: Option<Uuid>,
    /// Time when the invitation was first sent.
    pub(super) created_at: Time,
    /// Time when the invitation was last sent.
    sent_at: Time,
    /// Time until which the invitation can be answered.
    expires_at: Time,
    /// Actions that the caller can perform now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl Invitation {
    /// Returns the invitation with the caller's allowed actions. The caller's role must include the scope to grant the
    /// offered role.
    pub fn for_caller(self, cx: &RequestContext, acting: ActingAs<'_>) -> Self {
        let scope = if acting.is_staff() { "labs.admin.users:write" } else { "partner.team:write" };
        let acts = cx.may(scope) && ensure_covered(self.role, acting.own).is_ok();
        let allowed_actions = if acts { allowed_actions(self.state) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

/// E-mail address to invite, and the offered role.
#[derive(serde::Deserialize, InputType)]
pub struct InvitationCreate {
    /// E-mail address that receives the invitation. The invited user will sign in with it.
    pub email: String,
    /// Role that the user will have.
    pub role: Role,
    /// Language of the invitation e-mail, if a translation exists. English by default.
    pub locale: Option<String>,
}
