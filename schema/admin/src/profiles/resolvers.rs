//! Operations of staff on the profiles of partners.

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_shared::images::PartnerImageKind;
use uuid::Uuid;

use crate::reason::Reason;
use labs_identity::partner::imagery::{self, IMAGES_FOR_STAFF, PartnerImage};
use labs_identity::partner::profile::{self, PartnerProfile};
use labs_identity::partner::team::Team;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    admin_profiles_get,
    admin_profiles_list_imagery,
    admin_profiles_unpublish,
    admin_profiles_delete_image,
];

/// Get a partner's profile.
#[operation(query, access = "labs.admin.partners", audit_partner = "partner_uuid", batched)]
async fn admin_profiles_get(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerProfile, Fault> {
    note(cx, partner_uuid);
    profile::load_profile(cx, partner_uuid, true).await
}

/// List a partner's profile images.
#[operation(query, access = "labs.admin.partners", audit_partner = "partner_uuid")]
async fn admin_profiles_list_imagery(
    cx: &RequestContext,
    partner_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<PartnerImage>, Fault> {
    note(cx, partner_uuid);
    let partner_uuid = Team::named(cx, partner_uuid).await?.uuid();
    let rows = IMAGES_FOR_STAFF.page(cx, &partner_uuid, &PageRequest::new(None, limit, cursor)).await?;
    let total = IMAGES_FOR_STAFF.total(&cx.db, &partner_uuid, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Unpublish a partner's profile.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", partner_reads = "reason")]
async fn admin_profiles_unpublish(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: Reason,
) -> Result<PartnerProfile, Fault> {
    note(cx, partner_uuid);
    let reason = body.note(cx);
    profile::take_down(&cx.db, Actor::of(cx.principal()?), partner_uuid, &reason).await?;
    profile::load_profile(cx, partner_uuid, true).await
}

/// Delete a partner's profile image.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", partner_reads = "reason")]
async fn admin_profiles_delete_image(
    cx: &RequestContext,
    partner_uuid: Uuid,
    kind: PartnerImageKind,
    reason: String,
) -> Result<bool, Fault> {
    note(cx, partner_uuid);
    cx.note_reason(reason.as_str());
    imagery::delete_by_staff(cx, partner_uuid, kind, &reason).await?;
    Ok(true)
}

fn note(cx: &RequestContext, partner_uuid: Uuid) {
    let (kind, partner_uuid) = (Some(AuditTargetKind::Partner), Some(partner_uuid));
    cx.note_target(Target { kind, uuid: partner_uuid, label: None, partner_uuid });
}
