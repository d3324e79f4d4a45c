//! Operations of staff on any partner's team.

use labs_core::context::RequestContext;
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::Role;
use uuid::Uuid;

use labs_identity::partner::team::{ActingAs, Team};
use labs_identity::partner::team_members::{
    MEMBERS_FOR_STAFF, MembersOf, TeamMember, TeamMemberDetail, TeamMemberFilter, TeamMemberSort, change_role,
    load_team_member, remove,
};

/// Role that staff set for a team member, with the reason.
#[derive(serde::Deserialize, InputType)]
pub(super) struct TeamRoleSet {
    /// New role of the team member.
    role: Role,
    /// Reason for the change. The service stores it in the audit record and shows it to the partner in its account
    /// events.
    reason: String,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![admin_team_members_list, admin_team_members_set_role, admin_team_members_remove];

/// List a partner's team members.
#[operation(query, access = "labs.admin.users", audit_partner = "partner_uuid")]
async fn admin_team_members_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<TeamMemberFilter>,
    sort: Option<TeamMemberSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<TeamMember>, Fault> {
    let partner_uuid = Team::named(cx, partner_uuid).await?.uuid();
    let members = MembersOf { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = MEMBERS_FOR_STAFF.page(cx, &members, &PageRequest::new(sort, limit, cursor)).await?;
    let rows = rows.map(|row| Ok(row.for_caller(cx, ActingAs::staff(cx, None))))?;
    Ok(rows.counted_list(MEMBERS_FOR_STAFF.total(&cx.db, &members, include_total).await?))
}

/// Set the role of a partner's team member.
#[operation(
    mutation,
    access = "labs.admin.users:write",
    audit_target(User, "user_uuid"),
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_team_members_set_role(
    cx: &RequestContext,
    partner_uuid: Uuid,
    user_uuid: Uuid,
    body: TeamRoleSet,
) -> Result<TeamMemberDetail, Fault> {
    let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&body.reason)));
    change_role(cx, team, user_uuid, body.role, acting).await?;
    load_team_member(cx, team, user_uuid, acting).await
}

/// Remove a partner's team member.
#[operation(
    mutation,
    access = "labs.admin.users:write",
    audit_target(User, "user_uuid"),
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_team_members_remove(
    cx: &RequestContext,
    partner_uuid: Uuid,
    user_uuid: Uuid,
    reason: String,
) -> Result<bool, Fault> {
    let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&reason)));
    remove(cx, team, user_uuid, acting).await?;
    Ok(true)
}
