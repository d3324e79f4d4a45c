//! What a team may ask about its people.

use async_graphql::{Context, Object};
use serde_json::json;
use uuid::Uuid;

use super::list::{MEMBERS, MembersOf, TeamMemberFilter, TeamMemberSort};
use super::types::{
    TeamFarewell, TeamMember, TeamMemberDetail, TeamMemberUpdate, TeamRole, load_team_member, names as scope_names,
    tier,
};
use super::{changes, rules};
use crate::access::access;
use crate::ask::{Ask, Asking};
use crate::authority::effective_scopes;
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::{List, Window};
use crate::partner::team::{Hand, Team};
use crate::principal::Role;
use crate::scope::{Scope, ScopeSet};

/// Reads of a team.
#[derive(Default)]
pub(crate) struct TeamMembersQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TeamMembersQuery {
    /// The people of the caller's team.
    #[graphql(directive = access::apply("partner.team".into()))]
    async fn partner_team_members_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<TeamMemberFilter>,
        sort: Option<TeamMemberSort>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<TeamMember>>, Fault> {
        let ask = ctx.ask();
        let partner_uuid = Team::own(ask, partner_uuid)?.uuid();
        let members = MembersOf { partner_uuid, filter: filter.unwrap_or_default() };
        ask.answer_list(MEMBERS.page(ask, &members, &PageRequest::new(sort, limit, cursor)).await?.list())
    }

    /// Somebody of the caller's team, with what they may do.
    #[graphql(directive = access::apply("partner.team".into()))]
    async fn partner_team_members_get(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
    ) -> Result<Option<TeamMemberDetail>, Fault> {
        let ask = ctx.ask();
        ask.answer(load_team_member(ask, Team::own(ask, partner_uuid)?, user_uuid).await?)
    }

    /// The roles, with what each may do under the partner's tier.
    #[graphql(directive = access::apply("partner.team".into()))]
    async fn partner_team_members_list_roles(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<TeamRole>>, Fault> {
        let (ask, list) = (ctx.ask(), "partner_team_members_list_roles");
        let team = Team::own(ask, partner_uuid)?;
        let window = Window::read(&ask.services.cursors, list, &team, limit, cursor.as_deref())?;
        let after: Option<usize> = window.key(0)?;
        let (tier, own) = (tier(ask, team).await?, rights(ask)?);
        let rows = ROLES.iter().enumerate().filter(|(place, _)| after.is_none_or(|after| *place > after)).collect();
        let (rows, page) = window.cut(rows, |(place, _)| vec![json!(place)]);
        let data = rows.into_iter().map(|(_, (role, description))| shown(*role, description, tier, own)).collect();
        ask.answer_list(List { data, page })
    }
}

/// Writes of a team.
#[derive(Default)]
pub(crate) struct TeamMembersMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TeamMembersMutation {
    /// Gives somebody of the team another role.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_team_members_update(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
        body: TeamMemberUpdate,
    ) -> Result<Option<TeamMemberDetail>, Fault> {
        let ask = ctx.ask();
        let team = Team::own(ask, partner_uuid)?;
        if let Some(role) = body.role {
            changes::change_role(ask, team, user_uuid, role, Hand::own(ask)?).await?;
        }
        ask.answer(load_team_member(ask, team, user_uuid).await?)
    }

    /// Takes somebody out of the team for good.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_team_members_remove(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        changes::remove(ask, Team::own(ask, partner_uuid)?, user_uuid, Hand::own(ask)?).await?;
        ask.answer(true)
    }

    /// Holds somebody of the team back; their sessions end.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_team_members_suspend(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
    ) -> Result<Option<TeamMemberDetail>, Fault> {
        let ask = ctx.ask();
        let team = Team::own(ask, partner_uuid)?;
        changes::suspend(ask, team, user_uuid).await?;
        ask.answer(load_team_member(ask, team, user_uuid).await?)
    }

    /// Lets somebody whom the team held back sign in again.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_team_members_reinstate(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        user_uuid: Uuid,
    ) -> Result<Option<TeamMemberDetail>, Fault> {
        let ask = ctx.ask();
        let team = Team::own(ask, partner_uuid)?;
        changes::reinstate(ask, team, user_uuid).await?;
        ask.answer(load_team_member(ask, team, user_uuid).await?)
    }

    /// The caller leaves the team for good.
    #[graphql(directive = access::apply("partner.team".into()))]
    async fn partner_team_members_leave(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<TeamFarewell>, Fault> {
        let ask = ctx.ask();
        let user_uuid = changes::leave(ask, Team::own(ask, partner_uuid)?).await?;
        ask.answer(TeamFarewell { status: "LEFT", partner_uuid, user_uuid })
    }
}

/// The roles with what each is for, the one that may do most first.
const ROLES: [(Role, &str); 5] = [
    (Role::Administrator, "Everything, the team and the subscription included."),
    (Role::Developer, "Builds: apps with their versions and media, the feature-request board. Reads the rest."),
    (Role::Editor, "Writes: the texts and media of apps, replies to reviews, the company's profile."),
    (Role::Accountant, "Keeps the account: company data, team, security and the subscription."),
    (Role::Viewer, "Looks on, and changes nothing but their own account."),
];

fn shown(role: Role, description: &'static str, tier: ScopeSet, own: Option<ScopeSet>) -> TeamRole {
    let scopes = effective_scopes(role.scopes(), tier);
    TeamRole {
        role,
        description,
        scopes: scope_names(scopes),
        beyond_tier: scope_names(role.scopes().without(scopes)),
        grantable: own.is_some_and(|own| rules::is_grantable(role, own)),
    }
}

/// What the caller may do, if the caller may give roles at all.
fn rights(ask: &Ask) -> Result<Option<ScopeSet>, Fault> {
    let gives = Scope::parse("partner.team:write");
    let principal = ask.principal()?;
    Ok(Hand::own(ask)?.own.filter(|_| gives.is_some_and(|scope| principal.scopes.reaches(scope))))
}
