//! Operations of a team on its members.

use labs_core::authority::effective_scopes;
use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, page_in_memory};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::Role;
use labs_core::scope::{Scope, ScopeSet};
use uuid::Uuid;

use super::list::{MEMBERS, MembersOf, TeamMemberFilter, TeamMemberSort};
use super::types::{
    TeamFarewell, TeamMember, TeamMemberDetail, TeamMemberUpdate, TeamRole, load_team_member, names as scope_names,
    tier,
};
use super::{changes, rules};
use crate::partner::team::{ActingAs, Team};

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] = operations![
    partner_team_members_list,
    partner_team_members_get,
    partner_team_members_list_roles,
    partner_team_members_update,
    partner_team_members_remove,
    partner_team_members_suspend,
    partner_team_members_reinstate,
    partner_team_members_leave,
];

/// List team members.
#[operation(query, access = "partner.team")]
async fn partner_team_members_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<TeamMemberFilter>,
    sort: Option<TeamMemberSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<TeamMember>, Fault> {
    let partner_uuid = Team::own(cx, partner_uuid)?.uuid();
    let members = MembersOf { partner_uuid, filter: filter.unwrap_or_default() };
    let (rows, acting) =
        (MEMBERS.page(cx, &members, &PageRequest::new(sort, limit, cursor)).await?, ActingAs::own(cx)?);
    Ok(rows.map(|row| Ok(row.for_caller(cx, acting)))?.list())
}

/// Get a team member.
#[operation(query, access = "partner.team")]
async fn partner_team_members_get(
    cx: &RequestContext,
    partner_uuid: Uuid,
    user_uuid: Uuid,
) -> Result<TeamMemberDetail, Fault> {
    load_team_member(cx, Team::own(cx, partner_uuid)?, user_uuid, ActingAs::own(cx)?).await
}

/// List partner roles.
#[operation(query, access = "partner.team")]
async fn partner_team_members_list_roles(
    cx: &RequestContext,
    partner_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<TeamRole>, Fault> {
    let operation = "partner_team_members_list_roles";
    let team = Team::own(cx, partner_uuid)?;
    let request = PageRequest::new(None, limit, cursor);
    let rows = page_in_memory(cx, operation, &team.uuid(), &request, ROLES.iter().enumerate())?;
    let (tier, own) = (tier(cx, team).await?, rights(cx)?);
    let rows = rows.map(|(role, description)| Ok(to_role_view(*role, description, tier, own)))?;
    Ok(rows.list())
}

/// Update a team member.
#[operation(mutation, access = "partner.team:write")]
async fn partner_team_members_update(
    cx: &RequestContext,
    partner_uuid: Uuid,
    user_uuid: Uuid,
    body: TeamMemberUpdate,
) -> Result<TeamMemberDetail, Fault> {
    let team = Team::own(cx, partner_uuid)?;
    if let Some(role) = body.role {
        changes::change_role(cx, team, user_uuid, role, ActingAs::own(cx)?).await?;
    }
    load_team_member(cx, team, user_uuid, ActingAs::own(cx)?).await
}

/// Remove a team member.
#[operation(mutation, access = "partner.team:write")]
async fn partner_team_members_remove(cx: &RequestContext, partner_uuid: Uuid, user_uuid: Uuid) -> Result<bool, Fault> {
    changes::remove(cx, Team::own(cx, partner_uuid)?, user_uuid, ActingAs::own(cx)?).await?;
    Ok(true)
}

/// Suspend a team member.
#[operation(mutation, access = "partner.team:write")]
async fn partner_team_members_suspend(
    cx: &RequestContext,
    partner_uuid: Uuid,
    user_uuid: Uuid,
) -> Result<TeamMemberDetail, Fault> {
    let team = Team::own(cx, partner_uuid)?;
    changes::suspend(cx, team, user_uuid).await?;
    load_team_member(cx, team, user_uuid, ActingAs::own(cx)?).await
}

/// Reinstate a team member.
#[operation(mutation, access = "partner.team:write")]
async fn partner_team_members_reinstate(
    cx: &RequestContext,
    partner_uuid: Uuid,
    user_uuid: Uuid,
) -> Result<TeamMemberDetail, Fault> {
    let team = Team::own(cx, partner_uuid)?;
    changes::reinstate(cx, team, user_uuid).await?;
    load_team_member(cx, team, user_uuid, ActingAs::own(cx)?).await
}

/// Leave the team.
#[operation(mutation, access = "partner.team")]
async fn partner_team_members_leave(cx: &RequestContext, partner_uuid: Uuid) -> Result<TeamFarewell, Fault> {
    let user_uuid = changes::leave(cx, Team::own(cx, partner_uuid)?).await?;
    Ok(TeamFarewell { status: "LEFT", partner_uuid, user_uuid })
}

/// Roles with their descriptions, highest first.
const ROLES: [(Role, &str); 5] = [
    (Role::Administrator, "Full access, including the team and the subscription."),
    (
        Role::Developer,
        "Builds apps with their versions and media, and uses the feature-request board. Read access to everything \
         else.",
    ),
    (Role::Editor, "Writes the texts and media of apps, replies to customer reviews, and the company's profile."),
    (Role::Accountant, "Manages the account: company data, team, security and the subscription."),
    (Role::Viewer, "Read access. Can change only the own account."),
];

fn to_role_view(role: Role, description: &'static str, tier: ScopeSet, own: Option<ScopeSet>) -> TeamRole {
    let scopes = effective_scopes(role.scopes(), tier);
    TeamRole {
        role,
        description,
        scopes: scope_names(scopes),
        beyond_tier: scope_names(role.scopes().without(scopes)),
        grantable: own.is_some_and(|own| rules::is_grantable(role, own)),
    }
}

/// Returns the caller's rights if the caller can grant roles.
fn rights(cx: &RequestContext) -> Result<Option<ScopeSet>, Fault> {
    let gives = Scope::parse("partner.team:write");
    let principal = cx.principal()?;
    Ok(ActingAs::own(cx)?.own.filter(|_| gives.is_some_and(|scope| principal.scopes.reaches(scope))))
}
