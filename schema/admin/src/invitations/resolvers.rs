//! Operations of staff on the invitations of any partner's team.

use labs_core::context::RequestContext;
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::Role;
use uuid::Uuid;

use crate::reason::{Reason, Remark};
use labs_identity::auth::invitations::{
    INVITATIONS_FOR_STAFF, Invitation, InvitationCreate, InvitationFilter, InvitationSort, InvitationsOf, resend,
    revoke, send,
};
use labs_identity::partner::team::{ActingAs, Team};

/// E-mail address to invite on behalf of a team, the offered role, and the reason.
#[derive(serde::Deserialize, InputType)]
pub(super) struct AdminInvitationCreate {
    /// E-mail address that receives the invitation. The invited user will sign in with it.
    email: String,
    /// Role that the user will have.
    role: Role,
    /// Language of the invitation e-mail, if a translation exists. English by default.
    locale: Option<String>,
    /// Reason for the invitation. The service stores it in the audit record and shows it to the partner in its account
    /// events.
    reason: String,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![admin_invitations_list, admin_invitations_create, admin_invitations_resend, admin_invitations_revoke];

/// List a partner's invitations.
#[operation(query, access = "labs.admin.users", audit_partner = "partner_uuid")]
async fn admin_invitations_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<InvitationFilter>,
    sort: Option<InvitationSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Invitation>, Fault> {
    let partner_uuid = Team::named(cx, partner_uuid).await?.uuid();
    let invitations = InvitationsOf { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = INVITATIONS_FOR_STAFF.page(cx, &invitations, &PageRequest::new(sort, limit, cursor)).await?;
    let rows = rows.map(|row| Ok(row.for_caller(cx, ActingAs::staff(cx, None))))?;
    Ok(rows.counted_list(INVITATIONS_FOR_STAFF.total(&cx.db, &invitations, include_total).await?))
}

/// Create an invitation for a partner.
#[operation(mutation, access = "labs.admin.users:write", audit_partner = "partner_uuid", partner_reads = "reason")]
async fn admin_invitations_create(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: AdminInvitationCreate,
) -> Result<Invitation, Fault> {
    let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&body.reason)));
    let new = InvitationCreate { email: body.email, role: body.role, locale: body.locale };
    send(cx, team, new, acting).await
}

/// Resend a partner's invitation.
#[operation(
    mutation,
    access = "labs.admin.users:write",
    audit_target(Invitation, "invitation_uuid"),
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_invitations_resend(
    cx: &RequestContext,
    partner_uuid: Uuid,
    invitation_uuid: Uuid,
    body: Option<Remark>,
) -> Result<Invitation, Fault> {
    let reason = body.and_then(Remark::into_text);
    let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, reason.as_deref()));
    resend(cx, team, invitation_uuid, acting).await
}

/// Revoke a partner's invitation.
#[operation(
    mutation,
    access = "labs.admin.users:write",
    audit_target(Invitation, "invitation_uuid"),
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_invitations_revoke(
    cx: &RequestContext,
    partner_uuid: Uuid,
    invitation_uuid: Uuid,
    body: Reason,
) -> Result<Invitation, Fault> {
    let reason = body.note(cx);
    let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&reason)));
    revoke(cx, team, invitation_uuid, acting).await
}
