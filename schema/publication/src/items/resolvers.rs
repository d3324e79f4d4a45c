//! Resolvers of items for staff.

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{Created, InputType};
use labs_core::fault::{Fault, FieldError};
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::surface::GeneratedResource;
use labs_core::time::Time;
use serde::Deserialize;
use uuid::Uuid;

use super::artefact::ArtefactPool;
use super::content::PublicationContent;
use super::coverage;
use super::input::{
    ChangelogEntryFields, ChangelogEntryRelease, PublicationDetails, PublicationPatch, PublicationTexts,
};
use super::list::{
    BY_ID, ITEMS, PublicationItem, PublicationItemFilter, PublicationItemSort, PublicationItemSummary,
    PublicationTransition, TRANSITIONS,
};
use super::rules::{self, PublicationAction, PublicationKind, PublicationState};
use super::store::{self, Step};
use super::texts::show_texts;
use super::writing::{self, Beginning};

/// A new publication item. Fields of another kind are rejected: a blog post has no `version`, a changelog entry no
/// author, and so on.
#[derive(Deserialize, InputType)]
pub(super) struct PublicationItemCreate {
    /// Kind of the item.
    kind: PublicationKind,
    /// For a developer resource: kind of artefact that the service generates instead of an upload. The item then
    /// accepts no artefact (409) and no `resource_version`, which the service sets itself (422 `GENERATED`). The value
    /// cannot be changed later.
    generated: Option<GeneratedResource>,
    /// Title of the item.
    title: String,
    /// Fields of every kind.
    #[serde(flatten)]
    texts: PublicationTexts,
    /// Release of a changelog entry.
    #[serde(flatten)]
    release: ChangelogEntryRelease,
    /// Further fields of a changelog entry.
    #[serde(flatten)]
    entry: ChangelogEntryFields,
    /// Fields of blog posts and developer resources.
    #[serde(flatten)]
    details: PublicationDetails,
}

/// A merge patch of a publication item (RFC 7396). Omitted fields stay unchanged.
#[derive(Deserialize, InputType)]
pub(super) struct PublicationItemUpdate {
    /// Title of the item.
    title: Option<String>,
    /// Fields of every kind.
    #[serde(flatten)]
    texts: PublicationTexts,
    /// Release of a changelog entry.
    #[serde(flatten)]
    release: ChangelogEntryRelease,
    /// Further fields of a changelog entry.
    #[serde(flatten)]
    entry: ChangelogEntryFields,
    /// Fields of blog posts and developer resources.
    #[serde(flatten)]
    details: PublicationDetails,
    /// Reason for the change. Required for a released item. Only staff can read it.
    reason: Option<String>,
}

/// Schedule for the release of a publication item.
#[derive(Deserialize, InputType)]
pub(super) struct PublicationItemSchedule {
    /// Time of the release, in the future. The item is released within five seconds of it.
    scheduled_for: Time,
    /// Reason, stored with the transition and in the audit record. Only staff can read it.
    reason: Option<String>,
}

/// Reason for a transition, where it is optional.
#[derive(Deserialize, InputType)]
pub(super) struct PublicationItemMove {
    /// Reason, stored with the transition and in the audit record. Only staff can read it.
    reason: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    publication_items_list,
    publication_items_get,
    publication_items_list_transitions,
    publication_items_create,
    publication_items_update,
    publication_items_delete,
    publication_items_put_artefact,
    publication_items_release,
    publication_items_schedule,
    publication_items_withdraw,
];

/// List publication items.
#[operation(query, access = "labs.admin.publication")]
async fn publication_items_list(
    cx: &RequestContext,
    filter: Option<PublicationItemFilter>,
    sort: Option<PublicationItemSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<PublicationItemSummary>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = ITEMS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = ITEMS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(row.for_caller(cx)))?.counted_list(total))
}

/// Get a publication item.
#[operation(query, access = "labs.admin.publication", audit_target(PublicationItem, "item_uuid"), batched)]
async fn publication_items_get(cx: &RequestContext, item_uuid: Uuid) -> Result<PublicationItem, Fault> {
    load(cx, item_uuid).await?.with_file(cx).await
}

/// List a publication item's transitions.
#[operation(query, access = "labs.admin.publication", audit_target(PublicationItem, "item_uuid"))]
async fn publication_items_list_transitions(
    cx: &RequestContext,
    item_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<PublicationTransition>, Fault> {
    load(cx, item_uuid).await?;
    let rows = TRANSITIONS.page(cx, &item_uuid, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.counted_list(TRANSITIONS.total(&cx.db, &item_uuid, include_total).await?))
}

/// Create a publication item.
#[operation(mutation, access = "labs.admin.publication:write")]
async fn publication_items_create(
    cx: &RequestContext,
    body: PublicationItemCreate,
) -> Result<Created<PublicationItem>, Fault> {
    let kind = body.kind;
    let sent = PublicationPatch {
        title: Some(body.title),
        texts: body.texts,
        release: body.release,
        entry: body.entry,
        details: body.details,
    };
    let item_uuid = writing::begin(cx, kind, sent, Beginning { generated: body.generated, release_key: None }).await?;
    Ok(Created::new(item_uuid, load(cx, item_uuid).await?.with_file(cx).await?))
}

/// Update a publication item.
#[operation(mutation, access = "labs.admin.publication:write", audit_target(PublicationItem, "item_uuid"))]
async fn publication_items_update(
    cx: &RequestContext,
    item_uuid: Uuid,
    body: PublicationItemUpdate,
) -> Result<PublicationItem, Fault> {
    let present = lock(cx, item_uuid).await?;
    let reason = record_reason(cx, body.reason);
    let sent = PublicationPatch {
        title: body.title,
        texts: body.texts,
        release: body.release,
        entry: body.entry,
        details: body.details,
    };
    writing::change(cx, &present, sent, reason.as_deref()).await?;
    load(cx, item_uuid).await?.with_file(cx).await
}

/// Delete a publication item.
#[operation(mutation, access = "labs.admin.publication:write", audit_target(PublicationItem, "item_uuid"))]
async fn publication_items_delete(cx: &RequestContext, item_uuid: Uuid) -> Result<bool, Fault> {
    let present = lock(cx, item_uuid).await?;
    if present.state != PublicationState::Draft {
        return Err(rules::err_refused(present.state, "delete"));
    }
    store::delete(&cx.db, item_uuid).await?;
    Ok(true)
}

/// Upload a publication item's artefact.
#[operation(mutation, access = "labs.admin.publication:write", audit_target(PublicationItem, "item_uuid"))]
async fn publication_items_put_artefact(
    cx: &RequestContext,
    item_uuid: Uuid,
    file_name: String,
    reason: Option<String>,
) -> Result<PublicationItem, Fault> {
    // An item that cannot have a file is rejected before the file is checked and stored, while no connection is held.
    let found = BY_ID.fetch_one(&cx.db.outside_transaction(), [item_uuid.into()]).await?.ok_or_else(err_not_found)?;
    note_target(cx, &found);
    ensure_has_file(&found)?;
    let content = cx.attachment()?.bytes.clone();
    let artefact = cx.services.state::<ArtefactPool>().validate(&file_name, content.clone()).await?;
    cx.services.media.put(content).await?;
    let present = lock(cx, item_uuid).await?;
    ensure_has_file(&present)?;
    if present.content.artefact.as_ref() != Some(&artefact) {
        let reason = record_reason(cx, reason);
        let asked = FieldError::of(
            "reason",
            "REQUIRED",
            "This resource is already released. Send the reason why its file is replaced.",
        );
        rules::ensure_reason(present.state, asked, reason.as_deref())?;
        store::set_artefact(&cx.db, item_uuid, &artefact).await?;
        writing::note_edit(cx, &present, reason.as_deref()).await?;
    }
    load(cx, item_uuid).await?.with_file(cx).await
}

/// Release a publication item.
#[operation(mutation, access = "labs.admin.publication:write", audit_target(PublicationItem, "item_uuid"))]
async fn publication_items_release(
    cx: &RequestContext,
    item_uuid: Uuid,
    body: Option<PublicationItemMove>,
) -> Result<PublicationItem, Fault> {
    let reason = record_reason(cx, body.and_then(|body| body.reason));
    step(cx, item_uuid, PublicationAction::Release, None, reason).await
}

/// Schedule a publication item.
#[operation(mutation, access = "labs.admin.publication:write", audit_target(PublicationItem, "item_uuid"))]
async fn publication_items_schedule(
    cx: &RequestContext,
    item_uuid: Uuid,
    body: PublicationItemSchedule,
) -> Result<PublicationItem, Fault> {
    let reason = record_reason(cx, body.reason);
    step(cx, item_uuid, PublicationAction::Schedule, Some(body.scheduled_for), reason).await
}

/// Withdraw a publication item.
#[operation(mutation, access = "labs.admin.publication:write", audit_target(PublicationItem, "item_uuid"))]
async fn publication_items_withdraw(
    cx: &RequestContext,
    item_uuid: Uuid,
    body: Option<PublicationItemMove>,
) -> Result<PublicationItem, Fault> {
    let reason = record_reason(cx, body.and_then(|body| body.reason));
    step(cx, item_uuid, PublicationAction::Withdraw, None, reason).await
}

/// Changes the state of an item and stores the transition.
async fn step(
    cx: &RequestContext,
    item_uuid: Uuid,
    action: PublicationAction,
    scheduled_for: Option<Time>,
    reason: Option<String>,
) -> Result<PublicationItem, Fault> {
    let aside = cx.db.outside_transaction();
    if let Some(found) =
        BY_ID.fetch_one(&aside, [item_uuid.into()]).await?.filter(|_| action != PublicationAction::Withdraw)
    {
        coverage::prepare(&aside, &cx.services, found.kind).await?;
    }
    let present = lock(cx, item_uuid).await?;
    let state = rules::next_state(present.state, action, present.first_released_at.is_some())?;
    if let Some(at) = scheduled_for {
        rules::ensure_ahead(at, cx.now)?;
    }
    if action != PublicationAction::Withdraw {
        let mut errors = Vec::new();
        let texts = show_texts(&cx.services, &present.content).await?;
        texts.check(&present.content, &PublicationContent::empty(), &mut errors);
        rules::check_readable(&present.content, &mut errors);
        texts.check_links(&cx.services.settings.operations, &mut errors);
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        rules::ensure_downloadable(present.kind, &present.content, present.generated.is_some())?;
        coverage::prove(&cx.db, &cx.services, &present).await?;
    }
    store::set_state(&cx.db, item_uuid, state, scheduled_for).await?;
    let step = Step { scheduled_for, reason: reason.as_deref(), earlier: None };
    store::insert_transition(&cx.db, item_uuid, Actor::of(cx.principal()?), (present.state, state), &step).await?;
    if state == PublicationState::Released {
        coverage::keep(&cx.db, &cx.services.settings.contract, &present).await?;
    }
    load(cx, item_uuid).await?.with_file(cx).await
}

/// Rejects a file for an item that cannot have one.
fn ensure_has_file(item: &PublicationItem) -> Result<(), Fault> {
    if item.kind != PublicationKind::DeveloperResource {
        return Err(Fault::conflict("Only a developer resource has a file."));
    }
    if item.generated.is_some() {
        return Err(Fault::conflict(
            "The service generates the file of this resource from the contract that it serves.",
        ));
    }
    Ok(())
}

/// Trims the reason and adds it to the audit record; `None` if it is empty.
fn record_reason(cx: &RequestContext, reason: Option<String>) -> Option<String> {
    let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty())?;
    cx.note_reason(reason.as_str());
    Some(reason)
}

/// Locks the item until the transaction ends and names it in the audit record.
async fn lock(cx: &RequestContext, item_uuid: Uuid) -> Result<PublicationItem, Fault> {
    if !store::lock(&cx.db, item_uuid).await? {
        return Err(err_not_found());
    }
    load(cx, item_uuid).await
}

/// Loads the current item and names it in the audit record.
async fn load(cx: &RequestContext, item_uuid: Uuid) -> Result<PublicationItem, Fault> {
    let item = BY_ID.fetch_one(&cx.db, [item_uuid.into()]).await?.ok_or_else(err_not_found)?;
    note_target(cx, &item);
    Ok(item)
}

fn note_target(cx: &RequestContext, item: &PublicationItem) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::PublicationItem),
        uuid: Some(item.uuid),
        label: Some(item.content.slug.clone()),
        partner_uuid: None,
    });
}

fn err_not_found() -> Fault {
    Fault::not_found("publication item")
}
