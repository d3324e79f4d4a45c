//! Making a partner on behalf of a company.

use serde_json::json;
use uuid::Uuid;

use super::types::AdminPartnerCreate;
use crate::actor::Actor;
use crate::admin::partners::{rules, store};
use crate::ask::Ask;
use crate::auth::invitations::{FirstInvitation, invite_first};
use crate::fault::{Fault, FieldError};
use crate::keep::email::EmailAddress;
use crate::marketplace::slug::slug_of;
use crate::partner::company::{self, Company};
use crate::partner::events::{self, PartnerEvent};

/// The tier of a partner for which none is named.
const FIRST_TIER: &str = "FREE";

/// Makes the partner, its subscription and the invitation of its first administrator.
pub(super) async fn create(ask: &Ask, body: AdminPartnerCreate) -> Result<Uuid, Fault> {
    let (patch, further) = body.apart();
    let mut errors = Vec::new();
    let email = EmailAddress::parse(&further.administrator.email).map_err(|problem| {
        errors.push(FieldError::at("/administrator/email", "FORMAT", format!("This cannot be used: {problem}.")));
    });
    let tier = store::tier_get(&ask.db, further.tier_code.as_deref().unwrap_or(FIRST_TIER)).await?;
    if tier.is_none() {
        errors.push(rules::unknown_tier());
    }
    let judged = company::begun(patch);
    if let Some(fault) = rules::all_wrong(judged.as_ref().err().cloned(), errors) {
        return Err(fault);
    }
    let (Ok(email), Some(tier_uuid)) = (email, tier) else {
        return Err(Fault::internal("a partner without an administrator or a tier"));
    };
    let company = judged?;
    let partner_uuid = ask.new_uuid();
    insert(ask, partner_uuid, &company).await?;
    let actor = Actor::of(ask.principal()?);
    store::subscription_begin(&ask.db, partner_uuid, tier_uuid, actor).await?;
    if let Some(labels) = further.labels {
        store::set_labels(&ask.db, partner_uuid, &rules::labels(labels)).await?;
    }
    let event = PartnerEvent {
        partner_uuid,
        kind: "CREATED",
        actor,
        subject_uuid: None,
        reason: further.reason.as_deref(),
        detail: json!({}),
    };
    events::insert(&ask.db, &event).await?;
    let first = FirstInvitation {
        partner_uuid,
        company_name: &company.company_name,
        email: &email,
        locale: further.administrator.locale.as_deref().unwrap_or("en"),
    };
    invite_first(&ask.db, &ask.services, ask.now, &first).await?;
    Ok(partner_uuid)
}

/// Inserts under the first slug that is free: the plain one, else one that is the only one.
async fn insert(ask: &Ask, partner_uuid: Uuid, company: &Company) -> Result<(), Fault> {
    let slug = slug_of(&company.company_name, "partner");
    let tail = ask.new_uuid().simple().to_string();
    let other = rules::slug_with(&slug, tail.get(24..).unwrap_or_default());
    if company::insert(&ask.db, partner_uuid, &slug, company).await?
        || company::insert(&ask.db, partner_uuid, &other, company).await?
    {
        return Ok(());
    }
    Err(Fault::internal("no slug is free for a new partner"))
}
