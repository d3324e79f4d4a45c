//! Operations of staff on any partner's team.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::{access, audit_partner, audit_target, partner_reads};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use labs_core::principal::Role;
use uuid::Uuid;

use crate::partner::team::{ActingAs, Team};
use crate::partner::team_members::{
    MEMBERS_FOR_STAFF, MembersOf, TeamMember, TeamMemberDetail, TeamMemberFilter, TeamMemberSort, change_role,
    load_team_member, remove,
};

/// New role of a team member, set by staff, with the reason.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamRoleSet {
    /// New role of the team member.
    role: Role,
    /// Reason, stored in the audit record and shown to the partner.
    reason: String,
}

/// Queries for any partner's team.
#[derive(Default)]
pub(crate) struct TeamMembersQuery;

#[Object(name = "AdminTeamMembersQuery", rename_fields = "snake_case", rename_args = "snake_case")]
impl TeamMembersQuery {
    /// List a partner's team members.
    #[graphql(
        directive = access::apply("labs.admin.users".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn admin_team_members_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<TeamMemberFilter>,
        sort: Option<TeamMemberSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<TeamMember>>, Fault> {
        let cx = ctx.cx();
        let partner_uuid = Team::named(cx, partner_uuid).await?.uuid();
        let members = MembersOf { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = MEMBERS_FOR_STAFF.page(cx, &members, &PageRequest::new(sort, limit, cursor)).await?;
        let rows = rows.map(|row| Ok(row.for_caller(cx, ActingAs::staff(cx, None))))?;
        cx.answer_list(rows.counted_list(MEMBERS_FOR_STAFF.total(&cx.db, &members, include_total).await?))
    }
}

/// Mutations of any partner's team.
#[derive(Default)]
pub(crate) struct TeamMembersMutation;

#[Object(name = "AdminTeamMembersMutation", rename_fields = "snake_case", rename_args = "snake_case")]
impl TeamMembersMutation {
    /// Set the role of a partner's team member.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply(AuditTargetKind::User, "user_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_team_members_set_role(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
        body: TeamRoleSet,
    ) -> Result<Option<TeamMemberDetail>, Fault> {
        let cx = ctx.cx();
        let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&body.reason)));
        change_role(cx, team, user_uuid, body.role, acting).await?;
        cx.answer(load_team_member(cx, team, user_uuid, acting).await?)
    }

    /// Remove a partner's team member.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply(AuditTargetKind::User, "user_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_team_members_remove(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
        reason: String,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&reason)));
        remove(cx, team, user_uuid, acting).await?;
        cx.answer(true)
    }
}
