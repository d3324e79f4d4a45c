//! Resolvers of suspensions for reviewers.

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use labs_mail::message::{ListingEvent, ListingNotice, MailContent, Notice};
use labs_mail::outbox;
use labs_shared::states::AppState;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::store::{self, LockedListing, Step};
use crate::apps::{self, AppAction, AppActorRole};

/// A listing with the state of its app.
#[derive(Serialize, OutputType)]
pub(super) struct ListingStanding {
    /// Slug in URLs.
    slug: String,
    /// UUID of the listed app.
    app_uuid: Uuid,
    /// Name of the app on the storefront, in its default locale.
    name: String,
    /// UUID of the partner.
    partner_uuid: Uuid,
    /// Company that owns the app.
    partner_name: String,
    /// Number of the published version.
    version_number: String,
    /// State of the app.
    state: AppState,
    /// Reason for the suspension, as the partner reads it. Null if the app is not suspended.
    reason: Option<String>,
    /// Time when the app entered its current state.
    state_changed_at: Time,
    /// Whether readers see the listing. A listing is hidden, in any state, while its partner is suspended or closed.
    is_visible: bool,
    /// Actions that reviewers can take now.
    allowed_actions: Vec<String>,
}

/// Reason for removing a listing from the storefront.
#[derive(Deserialize, InputType)]
pub(super) struct ListingSuspend {
    /// Reason for the partner, worded so that the partner can act on it.
    reason: String,
}

/// Message to the partner whose listing is reinstated.
#[derive(Default, Deserialize, InputType)]
pub(super) struct ListingReinstate {
    /// Message to the partner.
    reason: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_submissions_suspend_listing, marketplace_submissions_reinstate_listing];

/// Suspend a listing.
#[operation(mutation, access = "labs.admin.submissions:write", partner_reads = "reason")]
async fn marketplace_submissions_suspend_listing(
    cx: &RequestContext,
    listing_slug: String,
    body: ListingSuspend,
) -> Result<ListingStanding, Fault> {
    let reason = body.reason.trim().to_owned();
    if reason.is_empty() {
        return Err(Fault::field("/reason", "REQUIRED", "Send a reason. The partner reads it."));
    }
    apply_transition(cx, &listing_slug, AppAction::Suspend, Some(reason)).await
}

/// Reinstate a listing.
#[operation(mutation, access = "labs.admin.submissions:write", partner_reads = "reason")]
async fn marketplace_submissions_reinstate_listing(
    cx: &RequestContext,
    listing_slug: String,
    body: Option<ListingReinstate>,
) -> Result<ListingStanding, Fault> {
    let reason = body.unwrap_or_default().reason.map(|reason| reason.trim().to_owned());
    apply_transition(cx, &listing_slug, AppAction::Reinstate, reason.filter(|reason| !reason.is_empty())).await
}

/// Applies an action to the app of a listing and notifies its partner.
async fn apply_transition(
    cx: &RequestContext,
    slug: &str,
    action: AppAction,
    reason: Option<String>,
) -> Result<ListingStanding, Fault> {
    let about = |uuid, label: &str, partner_uuid| {
        cx.note_target(Target { kind: Some(AuditTargetKind::App), uuid, label: Some(label.to_owned()), partner_uuid });
    };
    about(None, slug, None);
    let locked = store::lock(&cx.db, slug).await?.ok_or_else(|| Fault::not_found("listing"))?;
    about(Some(locked.app_uuid), &locked.name, Some(locked.partner_uuid));
    let state = apps::next_state(locked.state, action, locked.publication_history())?;
    let actor = Actor::of(cx.principal()?);
    let step = Step { app_uuid: locked.app_uuid, state, event: action.event(), reason: reason.as_deref() };
    store::set_state(&cx.db, actor, &step).await?;
    let event = if action == AppAction::Suspend { ListingEvent::Suspended } else { ListingEvent::Reinstated };
    let write = |name| {
        let (app, reason) = (locked.name.clone(), reason.clone());
        MailContent::Telling(Notice::Listing(ListingNotice { name, app, reason, event }))
    };
    outbox::queue_to_administrators(&cx.db, &cx.services, locked.partner_uuid, write).await?;
    let after = store::lock(&cx.db, slug).await?.ok_or_else(|| Fault::not_found("listing"))?;
    Ok(ListingStanding::of(slug, after))
}

impl ListingStanding {
    fn of(slug: &str, row: LockedListing) -> Self {
        let allowed_actions = apps::allowed_actions(row.state, AppActorRole::Staff, row.publication_history());
        Self {
            slug: slug.to_owned(),
            app_uuid: row.app_uuid,
            name: row.name,
            partner_uuid: row.partner_uuid,
            partner_name: row.partner_name,
            version_number: row.version_number,
            state: row.state,
            reason: row.state_reason,
            state_changed_at: row.state_changed_at,
            is_visible: row.is_visible,
            allowed_actions,
        }
    }
}
