//! Operations of an owner on a version before its submission: update and delete.

use std::collections::BTreeMap;

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, Json, MaybeUndefined};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use serde::Deserialize;
use uuid::Uuid;

use super::list::VersionRow;
use super::resolvers::{AppManifestPatch, AppVersion, actor, load_version, lock_version};
use super::rules::manifest::{self, AppManifest};
use super::rules::number::{self, Number};
use super::rules::{self, AppVersionAction, notes};
use super::store::{self, Content};
use crate::submissions;

/// A merge patch of a version (RFC 7396). Omitted fields stay unchanged.
#[derive(Deserialize, InputType)]
pub(super) struct AppVersionUpdate {
    /// New version number, not used before and higher than the published one.
    number: Option<String>,
    /// Release notes by locale, as a merge patch. An omitted locale stays unchanged, null removes it. Null for the
    /// whole field removes all release notes. The result has at most 40 locales and 32 KB (32,768 bytes of UTF-8).
    #[serde(default)]
    release_notes: MaybeUndefined<Json<BTreeMap<String, Option<String>>>>,
    /// Permissions and redirect URIs that the version requests from the platform. Null removes all of them.
    #[serde(default)]
    manifest: MaybeUndefined<AppManifestPatch>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![marketplace_versions_update, marketplace_versions_delete];

/// Update an app version.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_versions_update(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    body: AppVersionUpdate,
) -> Result<AppVersion, Fault> {
    let locked = lock_version(cx, app_uuid, version_uuid).await?;
    let ties = submissions::get_links(&cx.db, app_uuid, version_uuid).await?;
    rules::next_state("version", locked.state, AppVersionAction::Update, ties.was_appealed)?;
    let present = store::get(&cx.db, cx.owner()?, app_uuid, version_uuid).await?;
    let present = present.ok_or_else(|| Fault::not_found("version"))?;
    write(cx, &present, body).await?;
    load_version(cx, app_uuid, version_uuid).await
}

/// Delete an app version.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_versions_delete(cx: &RequestContext, app_uuid: Uuid, version_uuid: Uuid) -> Result<bool, Fault> {
    let locked = lock_version(cx, app_uuid, version_uuid).await?;
    let ties = submissions::get_links(&cx.db, app_uuid, version_uuid).await?;
    rules::ensure_deletable(locked.state, ties.was_appealed)?;
    store::delete(&cx.db, actor(cx)?, version_uuid).await?;
    Ok(true)
}

/// Updates a locked version, unless the patch changes nothing.
async fn write(cx: &RequestContext, present: &VersionRow, body: AppVersionUpdate) -> Result<(), Fault> {
    let number = Number::parse(body.number.as_deref().unwrap_or(&present.number))?;
    let release_notes = match body.release_notes {
        MaybeUndefined::Undefined => present.release_notes.0.clone(),
        MaybeUndefined::Null => BTreeMap::new(),
        MaybeUndefined::Value(patch) => notes::merge(present.release_notes.0.clone(), patch.0)?,
    };
    let manifest = match body.manifest {
        MaybeUndefined::Undefined => present.manifest.0.clone(),
        MaybeUndefined::Null => AppManifest::default(),
        MaybeUndefined::Value(patch) => manifest::normalise(patch.apply_to(present.manifest.0.clone()))?,
    };
    if number.text != present.number {
        ensure_free(cx, present.app_uuid, &number).await?;
    }
    let fields = [
        ("number", number.text != present.number),
        ("release_notes", release_notes != present.release_notes.0),
        ("manifest", manifest != present.manifest.0),
    ];
    let fields: Vec<&str> = fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    if fields.is_empty() {
        return Ok(());
    }
    let content = Content { number: &number, release_notes: &release_notes, manifest: &manifest };
    if store::set_content(&cx.db, actor(cx)?, present.version_uuid, &content, &fields).await? {
        Ok(())
    } else {
        Err(number::err_used(&number.text))
    }
}

/// Rejects a number that is not higher than the published one. The store detects a number that was used before.
async fn ensure_free(cx: &RequestContext, app_uuid: Uuid, number: &Number) -> Result<(), Fault> {
    let bounds = store::get_bounds(&cx.db, cx.owner()?, app_uuid, number).await?;
    let bounds = bounds.ok_or_else(|| Fault::not_found("app"))?;
    match bounds.published_number.filter(|_| !bounds.is_higher) {
        Some(published) => Err(number::err_not_higher(&number.text, &published)),
        None => Ok(()),
    }
}
