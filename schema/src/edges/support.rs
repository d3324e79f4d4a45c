//! What leads on from a ticket.

use async_graphql::{ComplexObject, Context};

use super::{AccountHolder, account, accounts, partner};
use crate::admin::partners::{AdminPartner, PARTNER};
use crate::core::access::edge;
use crate::core::context::RequestContextExt;
use crate::core::fault::Fault;
use crate::partner::support_desk::SupportDeskTicket;

#[ComplexObject(rename_fields = "snake_case")]
impl SupportDeskTicket {
    /// Whose it is.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        partner(ctx.cx(), self.partner_uuid).await
    }

    /// The person or program that opened it; null for whoever is gone, and where their type is not asked for.
    #[graphql(directive = edge::apply(accounts()))]
    async fn requester(&self, ctx: &Context<'_>) -> Result<Option<AccountHolder>, Fault> {
        account(ctx.cx(), self.opened_by_uuid).await
    }
}
