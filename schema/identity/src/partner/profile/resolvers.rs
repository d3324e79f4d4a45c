//! Operations on a profile.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::principal::Owner;
use serde_json::json;
use uuid::Uuid;

use super::rules::{self, Action, after};
use super::store;
use super::view::{Page, PartnerProfile, PartnerProfileUpdate};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::imagery;
use crate::partner::own::ensure_own;

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] =
    operations![partner_profile_get, partner_profile_update, partner_profile_publish, partner_profile_unpublish];

/// Get the partner profile.
#[operation(query, access = "partner.profile")]
async fn partner_profile_get(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerProfile, Fault> {
    load_profile(cx, ensure_own(cx, partner_uuid)?.uuid(), false).await
}

/// Update the partner profile.
#[operation(mutation, access = "partner.profile:write")]
async fn partner_profile_update(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: PartnerProfileUpdate,
) -> Result<PartnerProfile, Fault> {
    let (owner, page) = lock_page(cx, partner_uuid).await?;
    let before = page.draft();
    let draft = rules::merge(&before, body.into())?;
    let fields = rules::changed_fields(&before, &draft);
    if !fields.is_empty() {
        store::set_draft(&cx.db, owner, &draft).await?;
        note(cx, owner, PartnerEventKind::ProfileUpdated, json!({ "fields": fields })).await?;
    }
    load_profile(cx, owner.uuid(), false).await
}

/// Publish the partner profile.
#[operation(mutation, access = "partner.profile:write")]
async fn partner_profile_publish(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerProfile, Fault> {
    let (owner, page) = lock_page(cx, partner_uuid).await?;
    after(page.state, Action::Publish)?;
    let open = page.open_items();
    if !open.is_empty() {
        let detail = "The profile cannot be published yet; `errors` lists each problem and where to fix it.";
        return Err(Fault::conflict(detail).with_errors(open));
    }
    store::set_published(&cx.db, owner, &page.next()).await?;
    imagery::sweep(&cx.db, owner.uuid()).await?;
    note(cx, owner, PartnerEventKind::ProfilePublished, json!({})).await?;
    load_profile(cx, owner.uuid(), false).await
}

/// Unpublish the partner profile.
#[operation(mutation, access = "partner.profile:write")]
async fn partner_profile_unpublish(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerProfile, Fault> {
    let (owner, page) = lock_page(cx, partner_uuid).await?;
    let state = after(page.state, Action::Unpublish)?;
    store::set_state(&cx.db, owner.uuid(), state.name(), None).await?;
    imagery::sweep(&cx.db, owner.uuid()).await?;
    note(cx, owner, PartnerEventKind::ProfileUnpublished, json!({})).await?;
    load_profile(cx, owner.uuid(), false).await
}

/// Loads any partner's profile, for its team and for staff.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the partner does not exist.
pub async fn load_profile(cx: &RequestContext, partner_uuid: Uuid, is_staff: bool) -> Result<PartnerProfile, Fault> {
    Ok(PartnerProfile::of(load_page(&cx.db, partner_uuid).await?, cx, is_staff))
}

/// Takes a profile down for staff. The team can read the reason, and can publish the profile again once it has changed.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the partner does not exist, [`labs_core::Code::IllegalTransition`] for an
/// unpublished profile.
pub async fn take_down(db: &Db, actor: Actor, partner_uuid: Uuid, reason: &str) -> Result<(), Fault> {
    store::lock_of(db, partner_uuid).await?;
    let state = after(load_page(db, partner_uuid).await?.state, Action::TakeDown)?;
    store::set_state(db, partner_uuid, state.name(), Some(reason)).await?;
    let event = PartnerEvent::new(partner_uuid, PartnerEventKind::ProfileTakenDown, actor).with_reason(Some(reason));
    events::insert(db, &event).await
}

async fn load_page(db: &Db, partner_uuid: Uuid) -> Result<Page, Fault> {
    let row = store::get(db, partner_uuid).await?.ok_or_else(|| Fault::not_found("partner"))?;
    Page::new(row, imagery::images(db, partner_uuid).await?)
}

/// Locks the caller's own profile for a change.
async fn lock_page(cx: &RequestContext, partner_uuid: Uuid) -> Result<(Owner, Page), Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    store::lock(&cx.db, owner).await?;
    Ok((owner, load_page(&cx.db, owner.uuid()).await?))
}

async fn note(
    cx: &RequestContext,
    owner: Owner,
    kind: PartnerEventKind,
    detail: serde_json::Value,
) -> Result<(), Fault> {
    events::insert(&cx.db, &PartnerEvent::by_caller(cx, owner.uuid(), kind)?.with_detail(detail)).await
}
