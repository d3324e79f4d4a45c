//! What a team may ask about its invitations.

use async_graphql::{Context, Object};
use uuid::Uuid;

use crate::access::access;
use crate::ask::Asking;
use crate::auth::invitations::{
    INVITATIONS, Invitation, InvitationCreate, InvitationFilter, InvitationSort, InvitationsOf, resend, revoke, send,
};
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::List;
use crate::partner::team::{Hand, Team};

/// Reads of the invitations that a team sends.
#[derive(Default)]
pub(crate) struct InvitationsQuery;

#[Object(name = "PartnerInvitationsQuery", rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsQuery {
    /// The invitations that the team sent.
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
        let ask = ctx.ask();
        let partner_uuid = Team::own(ask, partner_uuid)?.uuid();
        let invitations = InvitationsOf { partner_uuid, filter: filter.unwrap_or_default() };
        ask.answer_list(INVITATIONS.page(ask, &invitations, &PageRequest::new(sort, limit, cursor)).await?.list())
    }
}

/// Writes of the invitations that a team sends.
#[derive(Default)]
pub(crate) struct InvitationsMutation;

#[Object(name = "PartnerInvitationsMutation", rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsMutation {
    /// Invites somebody by mail.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_invitations_create(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: InvitationCreate,
    ) -> Result<Option<Invitation>, Fault> {
        let ask = ctx.ask();
        ask.answer(send(ask, Team::own(ask, partner_uuid)?, body, Hand::own(ask)?).await?)
    }

    /// Sends an invitation again with a new token; the old one is void.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_invitations_resend(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        invitation_uuid: Uuid,
    ) -> Result<Option<Invitation>, Fault> {
        let ask = ctx.ask();
        ask.answer(resend(ask, Team::own(ask, partner_uuid)?, invitation_uuid, Hand::own(ask)?).await?)
    }

    /// Takes an invitation back; its token is void.
    #[graphql(directive = access::apply("partner.team:write".into()))]
    async fn partner_invitations_revoke(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        invitation_uuid: Uuid,
    ) -> Result<Option<Invitation>, Fault> {
        let ask = ctx.ask();
        ask.answer(revoke(ask, Team::own(ask, partner_uuid)?, invitation_uuid, Hand::own(ask)?).await?)
    }
}
