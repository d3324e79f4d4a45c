//! Transfer of an app to another partner, with its texts, media, versions, reviews, slug and history.
//!
//! Table `app_transfer` records the ownership periods. So the new owner never sees the names of the former owner's
//! users, and the erasure of a partner covers the texts that it wrote.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::describe::InputType;
use labs_core::entitlement::Allowance;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_mail::message::{ListingEvent, ListingNotice, MailContent, Notice};
use labs_mail::outbox;
use labs_shared::images;
use labs_shared::states::{AppState, PartnerState};
use serde::Deserialize;
use uuid::Uuid;

use super::resolvers::{AdminApp, load_app, show};
use super::store::{self, Recipient, Transfer};
use crate::apps::store as apps;
use crate::versions::AppVersionState;

/// New owner of an app, and the reason for the transfer.
#[derive(Deserialize, InputType)]
pub(super) struct AppTransfer {
    /// New owner. The partner must be `ACTIVE`.
    partner_uuid: Uuid,
    /// Reason for the transfer. Sent to both partners and kept in the app's events.
    reason: String,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![admin_apps_transfer];

/// Transfer an app to another partner.
#[operation(mutation, access = "labs.admin.apps:write", audit_target(App, "app_uuid"), partner_reads = "reason")]
async fn admin_apps_transfer(cx: &RequestContext, app_uuid: Uuid, body: AppTransfer) -> Result<AdminApp, Fault> {
    let reason = body.reason.trim();
    if reason.is_empty() {
        return Err(Fault::field("/reason", "REQUIRED", "Send a reason. Both partners read it."));
    }
    load_app(cx, app_uuid).await?;
    let unknown = || Fault::field("/partner_uuid", "UNKNOWN_PARTNER", "No partner has this id.");
    store::lock_recipient(&cx.db, body.partner_uuid).await?.ok_or_else(unknown).and_then(ensure_active)?;
    // Takes the locks in the same order as the creation of an app or media item: tier limits first, then the app.
    let room = Allowance::lock_of(&cx.db, body.partner_uuid, "apps").await?;
    let megabytes = Allowance::lock_of(&cx.db, body.partner_uuid, images::LIMIT).await?;
    let locked = store::lock(&cx.db, app_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    if locked.partner_uuid == body.partner_uuid {
        return Err(Fault::conflict("The app already belongs to this partner."));
    }
    ensure_not_reviewed(&apps::lock_version_states(&cx.db, app_uuid).await?)?;
    let taken = store::get_quota_use(&cx.db, app_uuid, body.partner_uuid).await?;
    if locked.state != AppState::Archived {
        room.check(taken.apps, 1)?;
    }
    images::ensure_quota(megabytes, taken.media_bytes, taken.of_app_bytes)?;
    let transfer = Transfer { app_uuid, from: locked.partner_uuid, to: body.partner_uuid, reason };
    store::transfer(&cx.db, Actor::of(cx.principal()?), &transfer).await?;
    let app = load_app(cx, app_uuid).await?;
    let tell = async |partner_uuid, event| {
        let (app, reason) = (app.app.name.clone(), Some(reason.to_owned()));
        let write = |name| {
            MailContent::Telling(Notice::Listing(ListingNotice {
                name,
                app: app.clone(),
                reason: reason.clone(),
                event,
            }))
        };
        outbox::queue_to_administrators(&cx.db, &cx.services, partner_uuid, write).await
    };
    tell(locked.partner_uuid, ListingEvent::GivenAway).await?;
    tell(body.partner_uuid, ListingEvent::Received).await?;
    Ok(show(cx, app))
}

fn ensure_active(recipient: Recipient) -> Result<(), Fault> {
    if recipient.state == PartnerState::Active {
        return Ok(());
    }
    let state = recipient.state.name();
    Err(Fault::conflict(format!("This partner is {state}. Only an ACTIVE partner can receive an app.")))
}

/// Rejects the transfer while a version of the app is submitted to the reviewers.
fn ensure_not_reviewed(version_states: &[AppVersionState]) -> Result<(), Fault> {
    let is_reviewed =
        |state: &&AppVersionState| matches!(state, AppVersionState::Submitted | AppVersionState::InReview);
    match version_states.iter().find(is_reviewed) {
        Some(state) => {
            let state = state.name();
            Err(Fault::conflict(format!(
                "A version of this app is {state}. Decide on it, or let its owner withdraw it, then transfer the app."
            )))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn app_under_review_cannot_be_transferred() {
        use AppVersionState::{Approved, ChangesRequested, Draft, InReview, Published, Scheduled, Submitted};
        assert!(ensure_not_reviewed(&[Draft, ChangesRequested, Approved, Scheduled, Published]).is_ok());
        assert!(ensure_not_reviewed(&[Published, Submitted]).is_err());
        assert!(ensure_not_reviewed(&[InReview]).is_err());
    }
}
