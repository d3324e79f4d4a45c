//! Resolvers of versions.

mod types;

use std::collections::HashMap;

use labs_core::actor::Actor;
use labs_core::business_time;
use labs_core::context::RequestContext;
use labs_core::describe::Created;
use labs_core::fault::{Fault, FieldError};
use labs_core::list::{PageRequest, Rows};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::time::Time;
use labs_shared::states::AppState;
use uuid::Uuid;

use super::list::{AppVersionFilter, AppVersionSort, OwnVersions, VERSIONS, VersionRow};
use super::rules::manifest::{self, AppManifest};
use super::rules::number::{self, Number};
use super::rules::{AppVersionAction, AppVersionState, check_appeal, next_state, notes, schedule};
use super::store::{self, LockedVersion, NewVersion};
use crate::apps;
use crate::checklist::{self, OpenItem};
use crate::release;
use crate::submissions::{self, NewSubmission, SubmissionLinks};
pub(super) use types::AppManifestPatch;
pub use types::AppVersion;
use types::{AppVersionCreate, AppVersionPublish, AppVersionSubmit};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_versions_list,
    marketplace_versions_get,
    marketplace_versions_create,
    marketplace_versions_submit,
    marketplace_versions_publish,
    marketplace_versions_withdraw,
];

/// List an app's versions.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_versions_list(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<AppVersionFilter>,
    sort: Option<AppVersionSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<AppVersion>, Fault> {
    let owner = cx.owner()?;
    let own = OwnVersions { partner_uuid: owner.uuid(), app_uuid, filter: filter.unwrap_or_default() };
    let Rows { rows, page } = VERSIONS.page(cx, &own, &PageRequest::new(sort, limit, cursor)).await?;
    if rows.is_empty() && !store::app_exists(&cx.db, owner, app_uuid).await? {
        return Err(Fault::not_found("app"));
    }
    Ok(List { data: show_versions(cx, rows).await?, page })
}

/// Get an app version.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_versions_get(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<AppVersion, Fault> {
    load_version(cx, app_uuid, version_uuid).await
}

/// Create an app version.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_versions_create(
    cx: &RequestContext,
    app_uuid: Uuid,
    body: AppVersionCreate,
) -> Result<Created<AppVersion>, Fault> {
    let owner = cx.owner()?;
    let number = Number::parse(&body.number)?;
    let release_notes = notes::normalise(body.release_notes.unwrap_or_default().0)?;
    let missing = || Fault::not_found("app");
    apps::lock(&cx.db, owner, app_uuid).await?.ok_or_else(missing)?;
    let bounds = store::get_bounds(&cx.db, owner, app_uuid, &number).await?.ok_or_else(missing)?;
    let manifest = manifest::normalise(body.manifest.map(AppManifest::from).unwrap_or_default())?;
    if bounds.app_state == AppState::Archived {
        return Err(Fault::conflict("This app is archived. Restore it before you create a version."));
    }
    if let Some(published) = bounds.published_number.filter(|_| !bounds.is_higher) {
        return Err(number::err_not_higher(&number.text, &published));
    }
    let version = NewVersion {
        version_uuid: cx.new_uuid(),
        app_uuid,
        number: &number,
        release_notes: &release_notes,
        manifest: &manifest,
    };
    if !store::insert(&cx.db, owner, actor(cx)?, &version).await? {
        return Err(number::err_used(&number.text));
    }
    Ok(Created::new(version.version_uuid, load_version(cx, app_uuid, version.version_uuid).await?))
}

/// Submit an app version for review.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_versions_submit(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    body: Option<AppVersionSubmit>,
) -> Result<AppVersion, Fault> {
    let locked = lock_version(cx, app_uuid, version_uuid).await?;
    submit(cx, app_uuid, version_uuid, &locked, body.unwrap_or_default()).await?;
    load_version(cx, app_uuid, version_uuid).await
}

/// Publish an app version.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_versions_publish(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    body: Option<AppVersionPublish>,
) -> Result<AppVersion, Fault> {
    let locked = lock_version(cx, app_uuid, version_uuid).await?;
    publish(cx, app_uuid, version_uuid, &locked, body.unwrap_or_default()).await?;
    load_version(cx, app_uuid, version_uuid).await
}

/// Withdraw an app version.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_versions_withdraw(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<AppVersion, Fault> {
    let locked = lock_version(cx, app_uuid, version_uuid).await?;
    let ties = submissions::get_links(&cx.db, app_uuid, version_uuid).await?;
    next_state("version", locked.state, AppVersionAction::Withdraw, ties.was_appealed)?;
    store::set_withdrawn(&cx.db, actor(cx)?, version_uuid).await?;
    load_version(cx, app_uuid, version_uuid).await
}

async fn submit(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    locked: &LockedVersion,
    body: AppVersionSubmit,
) -> Result<(), Fault> {
    let state = locked.state;
    let ties = submissions::get_links(&cx.db, app_uuid, version_uuid).await?;
    next_state("version", state, AppVersionAction::Submit, ties.was_appealed)?;
    let appeal_text = body.appeal_text.as_deref();
    check_appeal(state, body.appeal.unwrap_or_default(), appeal_text)?;
    if locked.app_state == AppState::Archived {
        return Err(Fault::conflict("This app is archived. Restore it before you submit a version."));
    }
    if let Some(other) = ties.other_number.as_ref().filter(|_| !body.replaces.unwrap_or_default()) {
        return Err(Fault::conflict(format!(
            "Version {other} of this app is with the reviewers, and only one version can be there at a time. Wait, \
             withdraw it, or submit with `replaces` true to take its place in the queue."
        )));
    }
    ensure_higher(cx, version_uuid, locked).await?;
    let open = checklist::open_items(cx, app_uuid, Some(version_uuid)).await?;
    if !open.is_empty() {
        return Err(err_requirements_open(open));
    }
    let mut snapshot = release::get_draft(&cx.db, app_uuid, version_uuid)
        .await?
        .ok_or_else(|| Fault::internal("a locked version cannot be found"))?;
    snapshot.note = body.note.filter(|note| !note.trim().is_empty());
    if let Some(other) = ties.other_uuid {
        store::set_withdrawn(&cx.db, actor(cx)?, other).await?;
    }
    let new = NewSubmission {
        submission_uuid: cx.new_uuid(),
        version_uuid,
        appeal_text: appeal_text.filter(|_| state == AppVersionState::Rejected),
        snapshot: &snapshot,
        queued_at: ties.other_queued_at.or(ties.former_queued_at),
        due_at: due_at(cx, &ties),
    };
    submissions::insert(&cx.db, actor(cx)?, &new).await
}

/// Returns the due time of the decision. A submission that replaces another version's keeps its due time; a
/// resubmission after requested changes keeps the remaining time.
fn due_at(cx: &RequestContext, ties: &SubmissionLinks) -> Time {
    let promised = |left| submissions::due_at(cx.now, ties.promised_days.into(), left);
    match (ties.other_due_at, ties.other_uuid) {
        (Some(due_at), _) => due_at,
        (None, Some(_)) => business_time::add_seconds(cx.now, ties.other_due_left_seconds.unwrap_or_default()),
        (None, None) => promised(ties.former_due_left_seconds.filter(|_| ties.former_queued_at.is_some())),
    }
}

async fn publish(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    locked: &LockedVersion,
    body: AppVersionPublish,
) -> Result<(), Fault> {
    if let Some(publish_at) = body.publish_at {
        schedule::check_moment(publish_at, cx.now)?;
    }
    let action = if body.publish_at.is_some() { AppVersionAction::Schedule } else { AppVersionAction::Publish };
    let ties = submissions::get_links(&cx.db, app_uuid, version_uuid).await?;
    next_state("version", locked.state, action, ties.was_appealed)?;
    apps::next_state(locked.app_state, apps::AppAction::Publish, apps::Past::default())?;
    if locked.state == AppVersionState::Superseded {
        ensure_complete(cx, version_uuid).await?;
    } else {
        ensure_higher(cx, version_uuid, locked).await?;
    }
    match body.publish_at {
        Some(publish_at) => store::set_scheduled(&cx.db, actor(cx)?, version_uuid, publish_at).await,
        None => release::publish(&cx.db, actor(cx)?, app_uuid, version_uuid).await,
    }
}

/// Rejects a return to a version whose images were deleted: the listing would differ from what was approved.
async fn ensure_complete(cx: &RequestContext, version_uuid: Uuid) -> Result<(), Fault> {
    if release::lacks_media(&cx.db, version_uuid).await? {
        return Err(Fault::conflict(
            "Images of this version were deleted, thirty days after another version replaced it. Create a new version \
             with its content.",
        ));
    }
    Ok(())
}

/// Rejects a version that can never be published, because an equal or higher version was published after its creation.
async fn ensure_higher(cx: &RequestContext, version_uuid: Uuid, locked: &LockedVersion) -> Result<(), Fault> {
    match release::get_conflicting(&cx.db, version_uuid).await? {
        Some(rival) => Err(number::err_stale(&locked.number, &rival)),
        None => Ok(()),
    }
}

/// Locks the version and its app until the transaction ends.
pub(super) async fn lock_version(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<LockedVersion, Fault> {
    let locked = store::lock(&cx.db, cx.owner()?, app_uuid, version_uuid).await?;
    locked.ok_or_else(|| Fault::not_found("version"))
}

pub(super) async fn load_version(cx: &RequestContext, app_uuid: Uuid, version_uuid: Uuid) -> Result<AppVersion, Fault> {
    let row = store::get(&cx.db, cx.owner()?, app_uuid, version_uuid).await?;
    let row = row.ok_or_else(|| Fault::not_found("version"))?;
    let mut versions = show_versions(cx, vec![row]).await?;
    versions.pop().ok_or_else(|| Fault::internal("a version cannot be found after it was read"))
}

/// Converts rows to their public form. It loads queue positions only if a version is waiting.
pub(super) async fn show_versions(cx: &RequestContext, rows: Vec<VersionRow>) -> Result<Vec<AppVersion>, Fault> {
    let waiting: Vec<Uuid> = rows.iter().filter_map(VersionRow::waiting).collect();
    let queue_positions = if waiting.is_empty() {
        HashMap::new()
    } else {
        submissions::list_queue_positions(&cx.db, &waiting, cx.now).await?
    };
    Ok(show_as(cx, rows, &queue_positions))
}

/// Converts rows of edge queries to their public form.
pub async fn show_followed(cx: &RequestContext, rows: Vec<VersionRow>) -> Result<Vec<AppVersion>, Fault> {
    let waiting: Vec<Uuid> = rows.iter().filter_map(VersionRow::waiting).collect();
    Ok(show_as(cx, rows, &submissions::load_queue_positions(cx, &waiting).await?))
}

fn show_as(
    cx: &RequestContext,
    rows: Vec<VersionRow>,
    queue_positions: &HashMap<Uuid, submissions::QueuePosition>,
) -> Vec<AppVersion> {
    let writes = cx.may("marketplace.apps:write");
    let shown = rows.into_iter().map(|row| {
        let queue_position = row.submission_uuid.and_then(|submission| queue_positions.get(&submission)).copied();
        AppVersion::of(row, queue_position, writes)
    });
    shown.collect()
}

/// Error that names each open requirement, with a pointer to its place in the app or the version.
fn err_requirements_open(open: Vec<OpenItem>) -> Fault {
    let errors: Vec<FieldError> = open.into_iter().map(FieldError::from).collect();
    let count = errors.len();
    let (verb, noun) = if count == 1 { ("is", "requirement") } else { ("are", "requirements") };
    Fault::conflict(format!(
        "{count} listing {noun} {verb} not met; `errors` lists each one. Fix them and submit again."
    ))
    .with_errors(errors)
}

/// Returns the caller as the actor of history entries.
pub(super) fn actor(cx: &RequestContext) -> Result<Actor, Fault> {
    let principal = cx.principal()?;
    Ok(Actor::of(principal))
}
