//! What operators may ask about the team of any partner.

use async_graphql::{Context, InputObject, Object};
use uuid::Uuid;

use crate::access::{access, audit_partner, audit_target};
use crate::admin::order::Order;
use crate::ask::Asking;
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window, names};
use crate::partner::team::{Hand, Team};
use crate::partner::team_members::{
    Filter, TeamMember, TeamMemberDetail, TeamMemberState, change_role, count, found, page, remove,
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
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn admin_team_members_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        state: Option<Vec<TeamMemberState>>,
        role: Option<Vec<Role>>,
        second_factor: Option<bool>,
        q: Option<String>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<TeamMember>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_team_members_list");
        let team = Team::named(ask, partner_uuid).await?;
        let filter = Filter { state: names(state), role: names(role), second_factor, q };
        let order = Order::named(sort.as_deref());
        let window = Window::read(&ask.services.cursors, list, &(team, &filter, order), limit, cursor.as_deref())?;
        let rows = page(&ask.db, team, &filter, order, &window).await?;
        let total = if include_total == Some(true) { Some(count(&ask.db, team, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, |row| row.keys(order));
        let data = rows.into_iter().map(TeamMember::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
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
        ask.answer(found(ask, team, user_uuid).await?)
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
