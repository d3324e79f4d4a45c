//! Input and output types of team members.

use labs_core::authority::effective_scopes;
use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::principal::Role;
use labs_core::scope::ScopeSet;
use labs_core::time::Time;
use labs_core::words::{Word as _, words};
use uuid::Uuid;

use super::list::OF_A_TEAM;
use super::rules::allowed_actions;
use super::store;
use crate::auth::people::rules::PersonState;
use crate::partner::team::{ActingAs, Team};

words! {
    /// State of a team member.
    pub enum TeamMemberState {
        /// The address is not verified yet.
        Unverified = "UNVERIFIED",
        /// The team member may sign in.
        Active = "ACTIVE",
        /// Suspended by the team.
        Suspended = "SUSPENDED",
        /// Locked by the platform's staff.
        Locked = "LOCKED",
    }
}

/// A team member of a partner.
#[derive(Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub struct TeamMember {
    /// UUID of the team member, for use in paths.
    pub(super) uuid: Uuid,
    /// Full name of the team member.
    name: String,
    /// E-mail address that the team member signs in with.
    email: String,
    /// Role in the team.
    role: Role,
    /// State of the team member.
    state: TeamMemberState,
    /// Whether a second factor is active.
    second_factor: bool,
    /// Time of the last sign-in. Null before the first one.
    pub(super) last_sign_in_at: Option<Time>,
    /// Time when the account was created.
    pub(super) created_at: Time,
    /// Time of the last change to name, address, role or state.
    updated_at: Time,
    /// Sort key of the order by name.
    #[serde(skip)]
    pub(super) name_sorted: String,
    /// Actions that the caller can perform now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl TeamMember {
    /// Adds the actions that the caller can perform.
    pub fn for_caller(self, cx: &RequestContext, acting: ActingAs<'_>) -> Self {
        let acts = cx.may(if acting.is_staff() { "labs.admin.users:write" } else { "partner.team:write" });
        let is_own = cx.caller.principal.as_ref().is_some_and(|principal| principal.uuid == self.uuid);
        let state = PersonState::read(self.state.name()).filter(|_| acts);
        let allowed = |state| allowed_actions(state, self.role, acting, is_own);
        Self { allowed_actions: state.map(allowed).unwrap_or_default(), ..self }
    }
}

/// A team member of a partner, with the effective scopes.
#[derive(serde::Serialize, OutputType)]
pub struct TeamMemberDetail {
    #[serde(flatten)]
    member: TeamMember,
    /// Scopes that the role grants under the partner's tier, in alphabetical order. A team member who is not `ACTIVE`
    /// currently has none of them.
    scopes: Vec<String>,
}

/// A merge patch (RFC 7396). Omitted fields keep their values.
#[derive(serde::Deserialize, InputType)]
pub(super) struct TeamMemberUpdate {
    /// New role. It must not be above the caller's role.
    pub(super) role: Option<Role>,
}

/// Receipt for leaving the team.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TeamFarewell {
    /// Result of the call.
    pub(super) status: &'static str,
    /// UUID of the partner that the caller left.
    pub(super) partner_uuid: Uuid,
    /// UUID of the caller.
    pub(super) user_uuid: Uuid,
}

/// A role and its scopes under the partner's tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TeamRole {
    /// The role.
    pub(super) role: Role,
    /// Purpose of the role, in one sentence.
    pub(super) description: &'static str,
    /// Scopes of the role under the partner's current tier, in alphabetical order.
    pub(super) scopes: Vec<String>,
    /// Further scopes that the role would have if the partner's tier granted them.
    pub(super) beyond_tier: Vec<String>,
    /// Whether the caller can grant the role. The caller must have `partner.team` write access, and the role must not
    /// be above the caller's. A role is above another if it has a write scope that the other does not have.
    pub(super) grantable: bool,
}

/// Loads the current team member with their scopes.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the user is not in this team.
pub async fn load_team_member(
    cx: &RequestContext,
    team: Team,
    user_uuid: Uuid,
    acting: ActingAs<'_>,
) -> Result<TeamMemberDetail, Fault> {
    let member =
        OF_A_TEAM.fetch_one(&cx.db, [team.uuid().into(), user_uuid.into()]).await?.ok_or_else(err_not_found)?;
    let scopes = names(effective_scopes(member.role.scopes(), tier(cx, team).await?));
    Ok(TeamMemberDetail { member: member.for_caller(cx, acting), scopes })
}

/// Loads the scopes that the partner's tier allows to team members at most.
pub(super) async fn tier(cx: &RequestContext, team: Team) -> Result<ScopeSet, Fault> {
    let scopes = store::tier_scopes(&cx.db, team).await?;
    Ok(ScopeSet::parse(scopes.iter().map(String::as_str)))
}

/// Returns the shortest list of a set's scopes, in alphabetical order.
pub(super) fn names(scopes: ScopeSet) -> Vec<String> {
    let mut names = scopes.names();
    names.sort_unstable();
    names
}

/// Returns the error for an id that is not in the team.
pub(super) fn err_not_found() -> Fault {
    Fault::not_found("team member")
}
