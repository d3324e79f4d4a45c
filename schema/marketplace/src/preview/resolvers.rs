//! Resolvers of previews.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use uuid::Uuid;

use super::rules::{self, PreviewSource};
use super::store::{self, VersionRow};
use crate::apps;
use crate::listings::{self, Listing, ListingStage};
use crate::release::{self, Snapshot, SubmissionDifference};
use crate::versions::{AppPermission, AppVersionState};

/// The listing as readers would see it, with the current published listing.
#[derive(serde::Serialize, OutputType)]
pub(super) struct ListingPreview {
    /// Source of the preview.
    source: PreviewSource,
    /// Previewed version.
    version: PreviewedVersion,
    /// The listing as readers would see it.
    listing: Listing,
    /// The listing as last published. Readers see it while the app is listed. Null if the app was never published.
    live: Option<Listing>,
    /// Every difference between the two, in all locales. `submitted` is the value that would be shown. Without a
    /// published listing, every value of the previewed listing.
    differences: Vec<SubmissionDifference>,
    /// Permissions that this version requests from the platform and the published version does not.
    permissions_added: Vec<AppPermission>,
    /// Permissions that the published version requests from the platform and this version does not.
    permissions_removed: Vec<AppPermission>,
}

/// Summary of the previewed version.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PreviewedVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Semantic version number.
    number: String,
    /// Current state.
    state: AppVersionState,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![marketplace_apps_preview_listing];

/// Preview an app's listing.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_apps_preview_listing(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Option<Uuid>,
    locale: Option<String>,
) -> Result<ListingPreview, Fault> {
    let locale = preference(locale);
    let locale = locale.as_deref();
    let version = version(cx, app_uuid, version_uuid).await?;
    let source = rules::source(version_uuid.is_some(), version.state);
    let snapshot = snapshot(cx, app_uuid, version.version_uuid, source).await?;
    let listing = listings::listing_of(&cx.db, app_uuid, &snapshot, locale, ListingStage::Preview).await?;
    let live = match release::get_live(&cx.db, app_uuid).await? {
        Some(live) => listings::listing_of(&cx.db, app_uuid, &live, locale, ListingStage::Live).await?,
        None => None,
    };
    let pictures_url = &cx.services.settings.pictures_url;
    let sides = release::sides(&cx.db, app_uuid, snapshot).await?;
    Ok(ListingPreview {
        source,
        version: PreviewedVersion { uuid: version.version_uuid, number: version.number, state: version.state },
        listing: listing.ok_or_else(err_deleted)?.into_view(pictures_url),
        live: live.map(|live| live.into_view(pictures_url)),
        permissions_added: sides.permissions_added(),
        permissions_removed: sides.permissions_removed(),
        differences: sides.differences,
    })
}

/// Loads the version to preview. An app without a version has nothing to publish yet.
async fn version(cx: &RequestContext, app_uuid: Uuid, version_uuid: Option<Uuid>) -> Result<VersionRow, Fault> {
    if let Some(version) = store::get_version(&cx.db, cx.owner()?, app_uuid, version_uuid).await? {
        return Ok(version);
    }
    apps::load_app(cx, app_uuid).await?;
    Err(match version_uuid {
        Some(_) => Fault::not_found("version"),
        None => Fault::conflict(
            "The app has no version that could be published, so a preview is not possible. Create a version first.",
        ),
    })
}

/// Loads the snapshot that would be published.
async fn snapshot(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    source: PreviewSource,
) -> Result<Snapshot, Fault> {
    let snapshot = match source {
        PreviewSource::Draft => release::get_draft(&cx.db, app_uuid, version_uuid).await?,
        PreviewSource::Submission => store::get_submitted(&cx.db, version_uuid).await?,
    };
    snapshot.ok_or_else(err_deleted)
}

/// Error if the version was deleted during the request.
fn err_deleted() -> Fault {
    Fault::not_found("version")
}
