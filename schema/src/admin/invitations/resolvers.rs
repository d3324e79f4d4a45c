//! Operations of staff on the invitations of any partner's team.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::{access, audit_partner, audit_target, partner_reads};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use labs_core::principal::Role;
use uuid::Uuid;

use crate::admin::reason::{Reason, Remark};
use crate::auth::invitations::{
    INVITATIONS_FOR_STAFF, Invitation, InvitationCreate, InvitationFilter, InvitationSort, InvitationsOf, resend,
    revoke, send,
};
use crate::partner::team::{ActingAs, Team};

/// Invitee and reason of an invitation that staff send for a team.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AdminInvitationCreate {
    /// E-mail address of the invitee.
    email: String,
    /// Role to grant.
    role: Role,
    /// Language of the mail; English by default.
    locale: Option<String>,
    /// Reason, stored in the audit record and shown to the partner.
    reason: String,
}

/// Queries for any partner's invitations.
#[derive(Default)]
pub(crate) struct InvitationsQuery;

#[Object(name = "AdminInvitationsQuery", rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsQuery {
    /// List a partner's invitations.
    #[graphql(
        directive = access::apply("labs.admin.users".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn admin_invitations_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<InvitationFilter>,
        sort: Option<InvitationSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<Invitation>>, Fault> {
        let cx = ctx.cx();
        let partner_uuid = Team::named(cx, partner_uuid).await?.uuid();
        let invitations = InvitationsOf { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = INVITATIONS_FOR_STAFF.page(cx, &invitations, &PageRequest::new(sort, limit, cursor)).await?;
        let rows = rows.map(|row| Ok(row.for_caller(cx, ActingAs::staff(cx, None))))?;
        cx.answer_list(rows.counted_list(INVITATIONS_FOR_STAFF.total(&cx.db, &invitations, include_total).await?))
    }
}

/// Mutations of any partner's invitations.
#[derive(Default)]
pub(crate) struct InvitationsMutation;

#[Object(name = "AdminInvitationsMutation", rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsMutation {
    /// Create an invitation for a partner.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_invitations_create(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: AdminInvitationCreate,
    ) -> Result<Option<Invitation>, Fault> {
        let cx = ctx.cx();
        let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&body.reason)));
        let new = InvitationCreate { email: body.email, role: body.role, locale: body.locale };
        cx.answer(send(cx, team, new, acting).await?)
    }

    /// Resend a partner's invitation.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply(AuditTargetKind::Invitation, "invitation_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_invitations_resend(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        invitation_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<Invitation>, Fault> {
        let cx = ctx.cx();
        let reason = body.and_then(Remark::into_text);
        let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, reason.as_deref()));
        cx.answer(resend(cx, team, invitation_uuid, acting).await?)
    }

    /// Revoke a partner's invitation.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply(AuditTargetKind::Invitation, "invitation_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_invitations_revoke(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        invitation_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<Invitation>, Fault> {
        let cx = ctx.cx();
        let reason = body.note(cx);
        let (team, acting) = (Team::named(cx, partner_uuid).await?, ActingAs::staff(cx, Some(&reason)));
        cx.answer(revoke(cx, team, invitation_uuid, acting).await?)
    }
}
