//! Operations of staff on the profiles of partners.

use async_graphql::{Context, Object};
use labs_core::access::{access, audit_partner, batched, partner_reads};
use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use uuid::Uuid;

use crate::admin::reason::Reason;
use crate::partner::imagery::{self, IMAGES_FOR_STAFF, PartnerImage, PartnerImageKind};
use crate::partner::profile::{self, PartnerProfile};
use crate::partner::team::Team;

/// Queries for profiles.
#[derive(Default)]
pub(crate) struct ProfilesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ProfilesQuery {
    /// Get a partner's profile.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_profiles_get(&self, ctx: &Context<'_>, partner_uuid: Uuid) -> Result<Option<PartnerProfile>, Fault> {
        let cx = ctx.cx();
        note(cx, partner_uuid);
        cx.answer(profile::load_profile(cx, partner_uuid, true).await?)
    }

    /// List a partner's profile images.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_profiles_list_imagery(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<PartnerImage>>, Fault> {
        let cx = ctx.cx();
        note(cx, partner_uuid);
        let partner_uuid = Team::named(cx, partner_uuid).await?.uuid();
        let rows = IMAGES_FOR_STAFF.page(cx, &partner_uuid, &PageRequest::new(None, limit, cursor)).await?;
        let total = IMAGES_FOR_STAFF.total(&cx.db, &partner_uuid, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(row.into()))?.counted_list(total))
    }
}

/// Mutations of profiles.
#[derive(Default)]
pub(crate) struct ProfilesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ProfilesMutation {
    /// Unpublish a partner's profile.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_profiles_unpublish(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<PartnerProfile>, Fault> {
        let cx = ctx.cx();
        note(cx, partner_uuid);
        let reason = body.note(cx);
        profile::take_down(&cx.db, Actor::of(cx.principal()?), partner_uuid, &reason).await?;
        cx.answer(profile::load_profile(cx, partner_uuid, true).await?)
    }

    /// Delete a partner's profile image.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_profiles_delete_image(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        kind: PartnerImageKind,
        reason: String,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        note(cx, partner_uuid);
        cx.note_reason(reason.as_str());
        imagery::delete_by_staff(cx, partner_uuid, kind, &reason).await?;
        cx.answer(true)
    }
}

fn note(cx: &RequestContext, partner_uuid: Uuid) {
    let (kind, partner_uuid) = (Some(AuditTargetKind::Partner), Some(partner_uuid));
    cx.note_target(Target { kind, uuid: partner_uuid, label: None, partner_uuid });
}
