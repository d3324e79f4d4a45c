//! What may be asked of previews.

use async_graphql::{Context, Object, SimpleObject};
use uuid::Uuid;

use super::rules::{self, PreviewSource};
use super::store::{self, VersionRow};
use crate::core::access::access;
use crate::core::context::{RequestContext, RequestContextExt};
use crate::core::fault::Fault;
use crate::core::locale::preference;
use crate::marketplace::apps;
use crate::marketplace::listings::{self, Listing, Side};
use crate::marketplace::publication::{self, Snapshot, SubmissionDifference};
use crate::marketplace::versions::{AppPermission, AppVersionState};

/// An app's listing as readers would see it, beside the one that they see now.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingPreview {
    /// Source of the preview.
    source: PreviewSource,
    /// The version that it shows.
    version: PreviewedVersion,
    /// The listing as readers would see it.
    listing: Listing,
    /// The listing as it was published last; null when the app was never published.
    live: Option<Listing>,
    /// Every place in which the two differ, in all locales.
    differences: Vec<SubmissionDifference>,
    /// What the version asks of the platform and the live one does not.
    permissions_added: Vec<AppPermission>,
    /// Permissions that the published version requests from the platform and this version does not.
    permissions_removed: Vec<AppPermission>,
}

/// The version that a preview shows, in short.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct PreviewedVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Its semantic version.
    number: String,
    /// Where it is.
    state: AppVersionState,
}

/// Reads of previews.
#[derive(Default)]
pub(in crate::marketplace) struct PreviewQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PreviewQuery {
    /// Preview an app's listing.
    #[graphql(directive = access::apply("marketplace.apps".into()))]
    async fn marketplace_apps_preview_listing(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        version_uuid: Option<Uuid>,
        locale: Option<String>,
    ) -> Result<Option<ListingPreview>, Fault> {
        let (cx, locale) = (ctx.cx(), preference(locale));
        let locale = locale.as_deref();
        let version = version(cx, app_uuid, version_uuid).await?;
        let source = rules::source(version_uuid.is_some(), version.state);
        let snapshot = snapshot(cx, app_uuid, version.version_uuid, source).await?;
        let listing = listings::listing_of(&cx.db, app_uuid, &snapshot, locale, Side::Preview).await?;
        let live = match publication::live_get(&cx.db, app_uuid).await? {
            Some(live) => listings::listing_of(&cx.db, app_uuid, &live, locale, Side::Live).await?,
            None => None,
        };
        let pictures_url = &cx.services.settings.pictures_url;
        let sides = publication::sides(&cx.db, app_uuid, snapshot).await?;
        cx.answer(ListingPreview {
            source,
            version: PreviewedVersion { uuid: version.version_uuid, number: version.number, state: version.state },
            listing: listing.ok_or_else(gone)?.shown(pictures_url),
            live: live.map(|live| live.shown(pictures_url)),
            permissions_added: sides.permissions_added(),
            permissions_removed: sides.permissions_removed(),
            differences: sides.differences,
        })
    }
}

/// The version to show. An app without one has nothing that could be listed yet.
async fn version(cx: &RequestContext, app_uuid: Uuid, version_uuid: Option<Uuid>) -> Result<VersionRow, Fault> {
    if let Some(version) = store::version_get(&cx.db, cx.owner()?, app_uuid, version_uuid).await? {
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

/// What would go live.
async fn snapshot(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
    source: PreviewSource,
) -> Result<Snapshot, Fault> {
    let snapshot = match source {
        PreviewSource::Draft => publication::draft_get(&cx.db, app_uuid, version_uuid).await?,
        PreviewSource::Submission => store::submitted_get(&cx.db, version_uuid).await?,
    };
    snapshot.ok_or_else(gone)
}

/// Whatever was there a moment ago is deleted.
fn gone() -> Fault {
    Fault::not_found("version")
}
