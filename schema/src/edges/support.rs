//! Edges from a support ticket.

use async_graphql::{ComplexObject, Context};
use labs_core::access::edge;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;

use super::{AccountHolder, account, accounts, partner};
use crate::admin::partners::{AdminPartner, PARTNER};
use crate::partner::support_desk::SupportDeskTicket;

#[ComplexObject(rename_fields = "snake_case")]
impl SupportDeskTicket {
    /// Partner who owns the support ticket.
    #[graphql(directive = edge::apply(PARTNER.reads()))]
    async fn partner(&self, ctx: &Context<'_>) -> Result<Option<AdminPartner>, Fault> {
        partner(ctx.cx(), self.partner_uuid).await
    }

    /// User or machine client that opened the support ticket; null if it no longer exists, or if the query does not
    /// request its type.
    #[graphql(directive = edge::apply(accounts()))]
    async fn requester(&self, ctx: &Context<'_>) -> Result<Option<AccountHolder>, Fault> {
        account(ctx.cx(), self.opened_by_uuid).await
    }
}
