//! Resolvers of items for staff.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::{access, audit_target, batched};
use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::{Fault, FieldError};
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use labs_core::surface::GeneratedResource;
use labs_core::time::Time;
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

/// A new publication item.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationItemCreate {
    /// Kind of the item.
    kind: PublicationKind,
    /// For a developer resource: kind of the file that the service generates instead of an uploaded one.
    generated: Option<GeneratedResource>,
    /// Title of the item.
    title: String,
    /// Fields of every kind.
    #[graphql(flatten)]
    texts: PublicationTexts,
    /// Release of a changelog entry.
    #[graphql(flatten)]
    release: ChangelogEntryRelease,
    /// Further fields of a changelog entry.
    #[graphql(flatten)]
    entry: ChangelogEntryFields,
    /// Fields of blog posts and developer resources.
    #[graphql(flatten)]
    details: PublicationDetails,
}

/// Merge patch of a publication item (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationItemUpdate {
    /// Title of the item.
    title: Option<String>,
    /// Fields of every kind.
    #[graphql(flatten)]
    texts: PublicationTexts,
    /// Release of a changelog entry.
    #[graphql(flatten)]
    release: ChangelogEntryRelease,
    /// Further fields of a changelog entry.
    #[graphql(flatten)]
    entry: ChangelogEntryFields,
    /// Fields of blog posts and developer resources.
    #[graphql(flatten)]
    details: PublicationDetails,
    /// Reason for the change; required after the release.
    reason: Option<String>,
}

/// Schedule for the release of a publication item.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationItemSchedule {
    /// Time of the release.
    scheduled_for: Time,
    /// Reason for the schedule.
    reason: Option<String>,
}

/// Reason for a transition, where it is optional.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationItemMove {
    /// Reason, stored with the transition.
    reason: Option<String>,
}

/// Queries of items.
#[derive(Default)]
pub(crate) struct PublicationItemsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicationItemsQuery {
    /// List publication items.
    #[graphql(directive = access::apply("labs.admin.publication".into()))]
    async fn publication_items_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<PublicationItemFilter>,
        sort: Option<PublicationItemSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<PublicationItemSummary>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = ITEMS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = ITEMS.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(row.for_caller(cx)))?.counted_list(total))
    }

    /// Get a publication item.
    #[graphql(
        directive = access::apply("labs.admin.publication".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into()),
        directive = batched::apply()
    )]
    async fn publication_items_get(
        &self,
        ctx: &Context<'_>,
        item_uuid: Uuid,
    ) -> Result<Option<PublicationItem>, Fault> {
        let cx = ctx.cx();
        cx.answer(load(cx, item_uuid).await?.with_file(cx).await?)
    }

    /// List a publication item's transitions.
    #[graphql(
        directive = access::apply("labs.admin.publication".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into())
    )]
    async fn publication_items_list_transitions(
        &self,
        ctx: &Context<'_>,
        item_uuid: Uuid,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<PublicationTransition>>, Fault> {
        let cx = ctx.cx();
        load(cx, item_uuid).await?;
        let rows = TRANSITIONS.page(cx, &item_uuid, &PageRequest::new(None, limit, cursor)).await?;
        cx.answer_list(rows.counted_list(TRANSITIONS.total(&cx.db, &item_uuid, include_total).await?))
    }
}

/// Mutations of the content of items.
#[derive(Default)]
pub(crate) struct PublicationItemsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicationItemsMutation {
    /// Create a publication item.
    #[graphql(directive = access::apply("labs.admin.publication:write".into()))]
    async fn publication_items_create(
        &self,
        ctx: &Context<'_>,
        body: PublicationItemCreate,
    ) -> Result<Option<PublicationItem>, Fault> {
        let (cx, kind) = (ctx.cx(), body.kind);
        let sent = PublicationPatch {
            title: Some(body.title),
            texts: body.texts,
            release: body.release,
            entry: body.entry,
            details: body.details,
        };
        let item_uuid =
            writing::begin(cx, kind, sent, Beginning { generated: body.generated, release_key: None }).await?;
        cx.answer_created(item_uuid, load(cx, item_uuid).await?.with_file(cx).await?)
    }

    /// Update a publication item.
    #[graphql(
        directive = access::apply("labs.admin.publication:write".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into())
    )]
    async fn publication_items_update(
        &self,
        ctx: &Context<'_>,
        item_uuid: Uuid,
        body: PublicationItemUpdate,
    ) -> Result<Option<PublicationItem>, Fault> {
        let cx = ctx.cx();
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
        cx.answer(load(cx, item_uuid).await?.with_file(cx).await?)
    }

    /// Delete a publication item.
    #[graphql(
        directive = access::apply("labs.admin.publication:write".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into())
    )]
    async fn publication_items_delete(&self, ctx: &Context<'_>, item_uuid: Uuid) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        let present = lock(cx, item_uuid).await?;
        if present.state != PublicationState::Draft {
            return Err(rules::err_refused(present.state, "delete"));
        }
        store::delete(&cx.db, item_uuid).await?;
        cx.answer(true)
    }

    /// Upload a publication item's artefact.
    #[graphql(
        directive = access::apply("labs.admin.publication:write".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into())
    )]
    async fn publication_items_put_artefact(
        &self,
        ctx: &Context<'_>,
        item_uuid: Uuid,
        file_name: String,
        reason: Option<String>,
    ) -> Result<Option<PublicationItem>, Fault> {
        let cx = ctx.cx();
        // An item that cannot have a file is rejected before the file is checked and stored, while no connection is
        // held.
        let found =
            BY_ID.fetch_one(&cx.db.outside_transaction(), [item_uuid.into()]).await?.ok_or_else(err_not_found)?;
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
        cx.answer(load(cx, item_uuid).await?.with_file(cx).await?)
    }
}

/// Mutations of the state of items.
#[derive(Default)]
pub(crate) struct PublicationStepsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicationStepsMutation {
    /// Release a publication item.
    #[graphql(
        directive = access::apply("labs.admin.publication:write".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into())
    )]
    async fn publication_items_release(
        &self,
        ctx: &Context<'_>,
        item_uuid: Uuid,
        body: Option<PublicationItemMove>,
    ) -> Result<Option<PublicationItem>, Fault> {
        let reason = record_reason(ctx.cx(), body.and_then(|body| body.reason));
        step(ctx.cx(), item_uuid, PublicationAction::Release, None, reason).await
    }

    /// Schedule a publication item.
    #[graphql(
        directive = access::apply("labs.admin.publication:write".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into())
    )]
    async fn publication_items_schedule(
        &self,
        ctx: &Context<'_>,
        item_uuid: Uuid,
        body: PublicationItemSchedule,
    ) -> Result<Option<PublicationItem>, Fault> {
        let reason = record_reason(ctx.cx(), body.reason);
        step(ctx.cx(), item_uuid, PublicationAction::Schedule, Some(body.scheduled_for), reason).await
    }

    /// Withdraw a publication item.
    #[graphql(
        directive = access::apply("labs.admin.publication:write".into()),
        directive = audit_target::apply(AuditTargetKind::PublicationItem, "item_uuid".into())
    )]
    async fn publication_items_withdraw(
        &self,
        ctx: &Context<'_>,
        item_uuid: Uuid,
        body: Option<PublicationItemMove>,
    ) -> Result<Option<PublicationItem>, Fault> {
        let reason = record_reason(ctx.cx(), body.and_then(|body| body.reason));
        step(ctx.cx(), item_uuid, PublicationAction::Withdraw, None, reason).await
    }
}

/// Changes the state of an item and stores the transition.
async fn step(
    cx: &RequestContext,
    item_uuid: Uuid,
    action: PublicationAction,
    scheduled_for: Option<Time>,
    reason: Option<String>,
) -> Result<Option<PublicationItem>, Fault> {
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
    cx.answer(load(cx, item_uuid).await?.with_file(cx).await?)
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
