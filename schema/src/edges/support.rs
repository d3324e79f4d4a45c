//! Edges from a support ticket.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::operation::{Edge, Parent, edge};

use super::{AccountHolder, account, accounts, partner};
use labs_admin::partners::{AdminPartner, PARTNER};
use labs_identity::partner::support_desk::SupportDeskTicket;

/// Partner who owns the support ticket.
#[edge(SupportDeskTicket, partner, reads = PARTNER.reads())]
async fn support_desk_ticket_partner(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminPartner>, Fault> {
    partner(cx, parent.id("/partner_uuid")?).await
}

/// User or machine client that opened the support ticket; null if it no longer exists, or if the query does not
/// request its type.
#[edge(SupportDeskTicket, requester, reads = accounts())]
async fn support_desk_ticket_requester(
    cx: &RequestContext,
    parent: &Parent<'_>,
) -> Result<Option<AccountHolder>, Fault> {
    account(cx, parent.id("/opened_by_uuid")?).await
}

/// Returns the edges of this file.
pub(super) fn edges() -> Vec<Edge> {
    vec![describe_support_desk_ticket_partner(), describe_support_desk_ticket_requester()]
}
