//! What operators may ask about the team of any partner.

use async_graphql::{Context, InputObject, Object};
use uuid::Uuid;

use crate::access::{access, audit_partner, audit_target};
use crate::ask::Asking;
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::CountedList;
use crate::partner::team::{Hand, Team};
use crate::partner::team_members::{
    MEMBERS_FOR_STAFF, MembersOf, TeamMember, TeamMemberDetail, TeamMemberFilter, TeamMemberSort, change_role,
    load_team_member, remove,
};
use crate::principal::Role;

/// The role that operators give somebody, and why.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamRoleSet {
    /// The role to be.
    role: Role,
    /// Kept in the audit record and shown to the partner.
    reason: String,
}

/// Reads of any partner's team.
#[derive(Default)]
pub(crate) struct TeamMembersQuery;

#[Object(name = "AdminTeamMembersQuery", rename_fields = "snake_case", rename_args = "snake_case")]
impl TeamMembersQuery {
    /// The team of a partner.
    #[graphql(
        directive = access::apply("labs.admin.users".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
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
        let ask = ctx.ask();
        let partner_uuid = Team::named(ask, partner_uuid).await?.uuid();
        let members = MembersOf { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = MEMBERS_FOR_STAFF.page(ask, &members, &PageRequest::new(sort, limit, cursor)).await?;
        ask.answer_list(rows.counted_list(MEMBERS_FOR_STAFF.total(&ask.db, &members, include_total).await?))
    }
}

/// Writes of any partner's team.
#[derive(Default)]
pub(crate) struct TeamMembersMutation;

#[Object(name = "AdminTeamMembersMutation", rename_fields = "snake_case", rename_args = "snake_case")]
impl TeamMembersMutation {
    /// Gives somebody of a team another role, also in a team that lost its administrator.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_team_members_set_role(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
        body: TeamRoleSet,
    ) -> Result<Option<TeamMemberDetail>, Fault> {
        let ask = ctx.ask();
        let (team, hand) = (Team::named(ask, partner_uuid).await?, Hand::staff(ask, Some(&body.reason)));
        change_role(ask, team, user_uuid, body.role, hand).await?;
        ask.answer(load_team_member(ask, team, user_uuid).await?)
    }

    /// Takes somebody out of a team for good.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_team_members_remove(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
        reason: String,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let (team, hand) = (Team::named(ask, partner_uuid).await?, Hand::staff(ask, Some(&reason)));
        remove(ask, team, user_uuid, hand).await?;
        ask.answer(true)
    }
}
