//! What a team may ask about its invitations.

use async_graphql::{Context, Object};
use uuid::Uuid;

use crate::access::access;
use crate::ask::Asking;
use crate::auth::invitations::sent::{self, Filter, SentRow};
use crate::auth::invitations::{Invitation, InvitationCreate, InvitationState, resend, revoke, send};
use crate::fault::Fault;
use crate::page::{List, Window, names};
use crate::partner::team::{Hand, Team};
use crate::principal::Role;

/// Reads of the invitations that a team sends.
#[derive(Default)]
pub(crate) struct InvitationsQuery;

#[Object(name = "PartnerInvitationsQuery", rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsQuery {
    /// The invitations that the team sent.
    #[graphql(directive = access::apply("partner.team".into()))]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn partner_invitations_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        state: Option<Vec<InvitationState>>,
        role: Option<Vec<Role>>,
        q: Option<String>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<Invitation>>, Fault> {
        let (ask, list) = (ctx.ask(), "partner_invitations_list");
        let team = Team::own(ask, partner_uuid)?;
        let oldest_first = sort.as_deref() == Some("created_at");
        let filter = Filter { state: names(state), role: names(role), q, oldest_first };
        let window = Window::read(&ask.services.cursors, list, &(team, &filter), limit, cursor.as_deref())?;
        let rows = sent::page(&ask.db, team, &filter, &window).await?;
        let (rows, page) = window.cut(rows, SentRow::keys);
        ask.answer_list(List { data: rows.into_iter().map(Invitation::try_from).collect::<Result<_, _>>()?, page })
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
