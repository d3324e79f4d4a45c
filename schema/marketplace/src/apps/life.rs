//! Operations of an owner on a whole app: unlist, relist, archive and restore.

use labs_core::context::RequestContext;
use labs_core::entitlement::Allowance;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::slug::{NewSlug, SlugAttempts};
use uuid::Uuid;

use super::resolvers::{App, event, load_app, lock_app};
use super::rules::{self, AppAction, Past};
use super::store::{self, CurrentApp};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_apps_unlist, marketplace_apps_relist, marketplace_apps_archive, marketplace_apps_restore];

/// Unlist an app.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_unlist(cx: &RequestContext, app_uuid: Uuid) -> Result<App, Fault> {
    let present = lock_app(cx, app_uuid, None).await?;
    apply_transition(cx, app_uuid, &present, AppAction::Unlist).await?;
    load_app(cx, app_uuid).await
}

/// Relist an app.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_relist(cx: &RequestContext, app_uuid: Uuid) -> Result<App, Fault> {
    let present = lock_app(cx, app_uuid, None).await?;
    apply_transition(cx, app_uuid, &present, AppAction::Relist).await?;
    load_app(cx, app_uuid).await
}

/// Archive an app.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_archive(cx: &RequestContext, app_uuid: Uuid) -> Result<App, Fault> {
    let owner = cx.owner()?;
    // Takes the locks in the same order as the creation of an app.
    let allowance = Allowance::lock(&cx.db, owner, "apps").await?;
    let present = lock_app(cx, app_uuid, None).await?;
    rules::next_state(present.state, AppAction::Archive, publication_history(&present))?;
    rules::ensure_archivable(&store::lock_version_states(&cx.db, app_uuid).await?)?;
    if !present.fixed.was_published {
        let archived = store::count_archived_drafts(&cx.db, owner).await?;
        allowance.check(archived, 1).map_err(|full| full.with_detail(rules::ARCHIVE_FULL))?;
    }
    apply_transition(cx, app_uuid, &present, AppAction::Archive).await?;
    load_app(cx, app_uuid).await
}

/// Restore an app.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_restore(cx: &RequestContext, app_uuid: Uuid) -> Result<App, Fault> {
    let owner = cx.owner()?;
    // Takes the locks in the same order as the creation of an app.
    let allowance = Allowance::lock(&cx.db, owner, "apps").await?;
    let present = lock_app(cx, app_uuid, None).await?;
    rules::next_state(present.state, AppAction::Restore, publication_history(&present))?;
    allowance.check(store::count_apps(&cx.db, owner).await?, 1)?;
    if !present.fixed.was_published {
        take_slug(cx, app_uuid, present.draft.slug.clone()).await?;
    }
    apply_transition(cx, app_uuid, &present, AppAction::Restore).await?;
    load_app(cx, app_uuid).await
}

/// Applies an action to a locked app and updates its listing.
async fn apply_transition(
    cx: &RequestContext,
    app_uuid: Uuid,
    present: &CurrentApp,
    action: AppAction,
) -> Result<(), Fault> {
    let state = rules::next_state(present.state, action, publication_history(present))?;
    store::set_state(&cx.db, app_uuid, state, action.event(), event(cx)?).await
}

/// Reserves the slug of an archived app again, with a suffix if another app has taken it.
async fn take_slug(cx: &RequestContext, app_uuid: Uuid, slug: String) -> Result<(), Fault> {
    let mut attempts = SlugAttempts::new(&cx.db, NewSlug::Derived(slug), cx.new_uuid());
    loop {
        let slug = attempts.next_slug().await?;
        let taken = store::take_slug(&cx.db, app_uuid, &slug).await?;
        if attempts.end(taken.ok_or_else(|| rules::draft::err_slug_taken(&slug))).await?.is_some() {
            return Ok(());
        }
    }
}

/// Returns the part of an app's history that decides the target state of an owner's action.
const fn publication_history(present: &CurrentApp) -> Past {
    Past::published(present.fixed.was_published)
}
