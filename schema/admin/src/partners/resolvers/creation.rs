//! Creation of a partner on behalf of a company.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::types::AdminPartnerCreate;
use crate::partners::{rules, store};
use labs_identity::auth::invitations::{FirstInvitation, invite_first};
use labs_identity::partner::company::{self, NamedBy};
use labs_identity::partner::events::{self, PartnerEvent, PartnerEventKind};
use labs_subscription::changing;

/// Creates the partner, its subscription and the invitation of its first administrator.
pub(super) async fn create(cx: &RequestContext, body: AdminPartnerCreate) -> Result<Uuid, Fault> {
    let allows_imitation = body.allow_similar_name.unwrap_or_default();
    let (patch, further) = body.into_parts();
    rules::ensure_reason(allows_imitation, further.reason.as_deref())?;
    let mut errors = Vec::new();
    let company = company::new_company(patch, &mut errors);
    let by = NamedBy::Staff { allows_imitation };
    errors.extend(company::find_imitation(&cx.db, None, &company.company_name, by).await?);
    let email = company::email("/administrator/email", &further.administrator.email, &mut errors);
    let tier = match further.tier_code.as_deref() {
        Some(code) => store::get_tier(&cx.db, code).await?,
        None => changing::get_fallback(&cx.db).await?.map(|tier| tier.tier_uuid),
    };
    if tier.is_none() {
        errors.push(rules::err_unknown_tier());
    }
    let (Some(email), Some(tier_uuid), true) = (email, tier, errors.is_empty()) else {
        return Err(Fault::invalid(errors));
    };
    let partner_uuid = cx.new_uuid();
    company::insert(&cx.db, partner_uuid, &company).await?;
    let actor = Actor::of(cx.principal()?);
    changing::begin(&cx.db, partner_uuid, tier_uuid, actor).await?;
    if let Some(labels) = further.labels {
        store::set_labels(&cx.db, partner_uuid, &rules::labels(labels)).await?;
    }
    let event =
        PartnerEvent::new(partner_uuid, PartnerEventKind::Created, actor).with_reason(further.reason.as_deref());
    events::insert(&cx.db, &event).await?;
    let first = FirstInvitation {
        partner_uuid,
        company_name: &company.company_name,
        email: &email,
        locale: further.administrator.locale.as_deref().unwrap_or("en"),
    };
    invite_first(&cx.db, &cx.services, cx.now, &first).await?;
    Ok(partner_uuid)
}
