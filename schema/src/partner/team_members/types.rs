//! People of a team as the team and operators are shown them, and what the team sends.

use async_graphql::{InputObject, SimpleObject};
use uuid::Uuid;

use super::list::OF_A_TEAM;
use super::rules::allowed_actions;
use super::store;
use crate::auth::people::rules::PersonState;
use crate::core::authority::effective_scopes;
use crate::core::context::RequestContext;
use crate::core::fault::Fault;
use crate::core::principal::Role;
use crate::core::scope::ScopeSet;
use crate::core::time::Time;
use crate::core::words::{Word as _, words};
use crate::partner::team::{ActingAs, Team};

words! {
    /// Where somebody of a team stands.
    pub(crate) enum TeamMemberState {
        /// Has yet to prove the address.
        Unverified = "UNVERIFIED",
        /// May sign in.
        Active = "ACTIVE",
        /// Held back by the team.
        Suspended = "SUSPENDED",
        /// Held back by the platform's staff.
        Locked = "LOCKED",
    }
}

/// Somebody of a team.
#[derive(Debug, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamMember {
    /// The person.
    pub(super) uuid: Uuid,
    /// Full name of the team member.
    name: String,
    /// E-mail address that the team member signs in with.
    email: String,
    /// The role in the team.
    role: Role,
    /// Where they stand.
    state: TeamMemberState,
    /// Whether a second factor is active.
    second_factor: bool,
    /// When they last signed in; null before the first time.
    pub(super) last_sign_in_at: Option<Time>,
    /// Since when they are in the team, or their account is there.
    pub(super) created_at: Time,
    /// Time of the last change to name, address, role or state.
    updated_at: Time,
    /// The name as the list by name compares it.
    #[graphql(skip)]
    #[serde(skip)]
    pub(super) name_sorted: String,
    /// What the caller can do to them now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl TeamMember {
    /// The same with what the caller can do to them.
    pub(crate) fn for_caller(self, cx: &RequestContext, acting: ActingAs<'_>) -> Self {
        let acts = cx.may(if acting.is_staff() { "labs.admin.users:write" } else { "partner.team:write" });
        let is_own = cx.caller.principal.as_ref().is_some_and(|principal| principal.uuid == self.uuid);
        let state = PersonState::read(self.state.name()).filter(|_| acts);
        let allowed = |state| allowed_actions(state, self.role, acting, is_own);
        Self { allowed_actions: state.map(allowed).unwrap_or_default(), ..self }
    }
}

/// Somebody of a team, with what they may do.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamMemberDetail {
    #[graphql(flatten)]
    #[serde(flatten)]
    member: TeamMember,
    /// The scopes that the role gives under the partner's tier. Who is not `ACTIVE` reaches none of them.
    scopes: Vec<String>,
}

/// What is to change of somebody in a team (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamMemberUpdate {
    /// The role to be.
    pub(super) role: Option<Role>,
}

/// The caller has left the team.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamFarewell {
    /// `LEFT`.
    pub(super) status: &'static str,
    /// The business partner that was left.
    pub(super) partner_uuid: Uuid,
    /// Who left.
    pub(super) user_uuid: Uuid,
}

/// A role, with what it may do under a partner's tier.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamRole {
    /// The role.
    pub(super) role: Role,
    /// What it is for.
    pub(super) description: &'static str,
    /// What it may do under the tier.
    pub(super) scopes: Vec<String>,
    /// What it would give besides if the tier granted it.
    pub(super) beyond_tier: Vec<String>,
    /// Whether the caller may give it: nobody gives a role above their own.
    pub(super) grantable: bool,
}

/// Somebody of a team as they are now, with what they may do.
///
/// # Errors
/// [`crate::Code::NotFound`] for whoever is not of this team.
pub(crate) async fn load_team_member(
    cx: &RequestContext,
    team: Team,
    user_uuid: Uuid,
    acting: ActingAs<'_>,
) -> Result<TeamMemberDetail, Fault> {
    let member = OF_A_TEAM.one(&cx.db, [team.uuid().into(), user_uuid.into()]).await?.ok_or_else(not_found)?;
    let scopes = names(effective_scopes(member.role.scopes(), tier(cx, team).await?));
    Ok(TeamMemberDetail { member: member.for_caller(cx, acting), scopes })
}

/// What the partner's tier lets anybody of a team do at most.
pub(super) async fn tier(cx: &RequestContext, team: Team) -> Result<ScopeSet, Fault> {
    let scopes = store::tier_scopes(&cx.db, team).await?;
    Ok(ScopeSet::parse(scopes.iter().map(String::as_str)))
}

/// The shortest list of a set's scopes, in alphabetical order.
pub(super) fn names(scopes: ScopeSet) -> Vec<String> {
    let mut names = scopes.names();
    names.sort_unstable();
    names
}

/// The refusal when there is nobody of this id in the team.
pub(super) fn not_found() -> Fault {
    Fault::not_found("team member")
}
