//! Operations of a team on its invitations.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use uuid::Uuid;

use crate::auth::invitations::{
    INVITATIONS, Invitation, InvitationCreate, InvitationFilter, InvitationSort, InvitationsOf, resend, revoke, send,
};
use crate::partner::team::{ActingAs, Team};

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] = operations![
    partner_invitations_list,
    partner_invitations_create,
    partner_invitations_resend,
    partner_invitations_revoke,
];

/// List invitations.
#[operation(query, access = "partner.team")]
async fn partner_invitations_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<InvitationFilter>,
    sort: Option<InvitationSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<Invitation>, Fault> {
    let partner_uuid = Team::own(cx, partner_uuid)?.uuid();
    let invitations = InvitationsOf { partner_uuid, filter: filter.unwrap_or_default() };
    let (rows, acting) =
        (INVITATIONS.page(cx, &invitations, &PageRequest::new(sort, limit, cursor)).await?, ActingAs::own(cx)?);
    Ok(rows.map(|row| Ok(row.for_caller(cx, acting)))?.list())
}

/// Create an invitation.
#[operation(mutation, access = "partner.team:write")]
async fn partner_invitations_create(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: InvitationCreate,
) -> Result<Invitation, Fault> {
    send(cx, Team::own(cx, partner_uuid)?, body, ActingAs::own(cx)?).await
}

/// Resend an invitation.
#[operation(mutation, access = "partner.team:write")]
async fn partner_invitations_resend(
    cx: &RequestContext,
    partner_uuid: Uuid,
    invitation_uuid: Uuid,
) -> Result<Invitation, Fault> {
    resend(cx, Team::own(cx, partner_uuid)?, invitation_uuid, ActingAs::own(cx)?).await
}

/// Revoke an invitation.
#[operation(mutation, access = "partner.team:write")]
async fn partner_invitations_revoke(
    cx: &RequestContext,
    partner_uuid: Uuid,
    invitation_uuid: Uuid,
) -> Result<Invitation, Fault> {
    revoke(cx, Team::own(cx, partner_uuid)?, invitation_uuid, ActingAs::own(cx)?).await
}
