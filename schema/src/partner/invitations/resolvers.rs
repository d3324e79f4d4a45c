//! Operations of a team on its invitations.

use async_graphql::{Context, Object};
use labs_core::access::access;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::List;
use uuid::Uuid;

use crate::auth::invitations::{
    INVITATIONS, Invitation, InvitationCreate, InvitationFilter, InvitationSort, InvitationsOf, resend, revoke, send,
};
use crate::partner::team::{ActingAs, Team};

/// Queries for the invitations of a team.
#[derive(Default)]
pub(crate) struct InvitationsQuery;

#[Object(name = "PartnerInvitationsQuery", rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsQuery {
    /// List invitations.
    #[graphql(directive = access::apply("partner.team".into()))]
    async fn partner_invitations_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<InvitationFilter>,
        sort: Option<InvitationSort>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<Invitation>>, Fault> {
        let cx = ctx.cx();
        let partner_uuid = Team::own(cx, partner_uuid)?.uuid();
        let invitations = InvitationsOf { partner_uuid, filter: filter.unwrap_or_default() };
        let (rows, acting) =
            (INVITATIONS.page(cx, &invitations, &PageRequest::new(sort, limit, cursor)).await?, ActingAs::own(cx)?);
        cx.answer_list(rows.map(|row| Ok(row.for_caller(cx, acting)))?.list())
    }
}

/// Mutations of the invitations of a team.
#[derive(Default)]
pub(crate) struct InvitationsMutation;

#[Object(name = "PartnerInvitationsMutation", rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsMutation {
    /// Create an invitation.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_invitations_create(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: InvitationCreate,
    ) -> Result<Option<Invitation>, Fault> {
        let cx = ctx.cx();
        cx.answer(send(cx, Team::own(cx, partner_uuid)?, body, ActingAs::own(cx)?).await?)
    }

    /// Resend an invitation.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_invitations_resend(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        invitation_uuid: Uuid,
    ) -> Result<Option<Invitation>, Fault> {
        let cx = ctx.cx();
        cx.answer(resend(cx, Team::own(cx, partner_uuid)?, invitation_uuid, ActingAs::own(cx)?).await?)
    }

    /// Revoke an invitation.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_invitations_revoke(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        invitation_uuid: Uuid,
    ) -> Result<Option<Invitation>, Fault> {
        let cx = ctx.cx();
        cx.answer(revoke(cx, Team::own(cx, partner_uuid)?, invitation_uuid, ActingAs::own(cx)?).await?)
    }
}
