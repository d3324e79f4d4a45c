//! What staff may ask of partners' vendor pages.

use async_graphql::{Context, Object};
use uuid::Uuid;

use crate::access::{access, audit_partner, batched};
use crate::actor::Actor;
use crate::admin::reason::Reason;
use crate::ask::{Ask, Asking, Target};
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::CountedList;
use crate::partner::imagery::{self, IMAGES_FOR_STAFF, PartnerImage, PartnerImageKind};
use crate::partner::profile::{self, PartnerProfile};
use crate::partner::team::Team;

/// Reads of vendor pages.
#[derive(Default)]
pub(crate) struct ProfilesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ProfilesQuery {
    /// A vendor page, draft and published.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_profiles_get(&self, ctx: &Context<'_>, partner_uuid: Uuid) -> Result<Option<PartnerProfile>, Fault> {
        let ask = ctx.ask();
        note(ask, partner_uuid);
        ask.answer(profile::shown(&ask.db, partner_uuid).await?)
    }

    /// Logo and banner, of the draft and as readers see them.
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
        let ask = ctx.ask();
        note(ask, partner_uuid);
        let partner_uuid = Team::named(ask, partner_uuid).await?.uuid();
        let rows = IMAGES_FOR_STAFF.page(ask, &partner_uuid, &PageRequest::new(None, limit, cursor)).await?;
        let total = IMAGES_FOR_STAFF.total(&ask.db, &partner_uuid, include_total).await?;
        ask.answer_list(rows.map(|row| Ok(row.into()))?.counted_list(total))
    }
}

/// Writes of vendor pages.
#[derive(Default)]
pub(crate) struct ProfilesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ProfilesMutation {
    /// Takes a vendor page off the storefront; its team reads why.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_profiles_unpublish(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<PartnerProfile>, Fault> {
        let ask = ctx.ask();
        note(ask, partner_uuid);
        let reason = body.note(ask);
        profile::take_down(&ask.db, Actor::of(ask.principal()?), partner_uuid, &reason).await?;
        ask.answer(profile::shown(&ask.db, partner_uuid).await?)
    }

    /// Takes a picture out of the draft and off the storefront; its team reads why.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_profiles_delete_image(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        kind: PartnerImageKind,
        reason: String,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        note(ask, partner_uuid);
        ask.note_reason(reason.as_str());
        imagery::delete_by_staff(ask, partner_uuid, kind, &reason).await?;
        ask.answer(true)
    }
}

fn note(ask: &Ask, partner_uuid: Uuid) {
    let (kind, partner_uuid) = (Some("PARTNER".to_owned()), Some(partner_uuid));
    ask.note_target(Target { kind, uuid: partner_uuid, label: None, partner_uuid });
}
