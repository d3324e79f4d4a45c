//! Snapshot in the form that staff see, with the names of categories and the properties of media items.

use std::collections::{BTreeMap, HashMap};

use labs_core::db::Db;
use labs_core::describe::{Json, OutputType};
use labs_core::fault::Fault;
use labs_core::words::Word as _;
use labs_core::words::words;
use labs_shared::images::{MediaVariant, MediaVariantName};
use uuid::Uuid;

use super::rules;
use super::snapshot::{Snapshot, SnapshotLinks, SnapshotText};
use super::store::{self, CategoryRow, MediaRow};
use crate::media::MediaKind;
use crate::versions::{AppManifest, AppPermission};

/// A complete listing at one point in time.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(crate) struct ListingSnapshot {
    /// Slug of the app in storefront URLs. Null for a submission that was made before the service stored the slug and
    /// was never published.
    pub(super) slug: Option<String>,
    /// Locale that readers get if no other locale matches.
    pub(super) default_locale: String,
    /// Texts in every locale, the default locale first.
    pub(super) texts: Vec<SnapshotText>,
    /// Links to further information.
    pub(super) links: SnapshotLinks,
    /// Categories, the primary category first.
    pub(super) categories: Vec<SnapshotCategory>,
    /// The icon, the banner, then the screenshots in order. A media item that was replaced later stays in the
    /// submission.
    pub(super) media: Vec<SnapshotPicture>,
    /// App version.
    pub(super) version: SnapshotVersion,
}

/// A category chosen for the app.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(super) struct SnapshotCategory {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// Slug in URLs.
    pub(super) slug: String,
    /// Name of the category in the app's default locale, or in English if that locale is missing.
    pub(super) name: String,
    /// Whether the category is the listing's primary category.
    pub(super) primary: bool,
}

/// A media item of a snapshot, with its texts in every locale. Its bytes never change.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(super) struct SnapshotPicture {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// Kind of media item.
    pub(super) kind: MediaKind,
    /// Position among the media items of its kind.
    pub(super) position: i32,
    /// Text alternative for readers who cannot see the image.
    pub(super) alt_text: Option<String>,
    /// Text shown below the image, in one line.
    pub(super) caption: Option<String>,
    /// Text alternatives in further locales.
    pub(super) alt_texts: Json<BTreeMap<String, String>>,
    /// Captions in further locales.
    pub(super) captions: Json<BTreeMap<String, String>>,
    /// Media type of the content.
    pub(super) media_type: String,
    /// Size of the original, in pixels.
    pub(super) width: i32,
    /// Size of the original, in pixels.
    pub(super) height: i32,
    /// Available sizes of the content, largest first.
    pub(super) variants: Vec<MediaVariant>,
}

/// App version in a snapshot.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(super) struct SnapshotVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Semantic version number.
    pub(super) number: String,
    /// Release notes, by locale.
    pub(super) release_notes: Json<BTreeMap<String, String>>,
    /// Permissions and redirect URIs that the version requests from the platform.
    pub(super) manifest: AppManifest,
}

words! {
    /// Change of a part of a text.
    pub enum TextPartChange {
        /// In both texts.
        Kept = "KEPT",
        /// Only in the earlier text.
        Removed = "REMOVED",
        /// Only in the new text.
        Added = "ADDED",
    }
}

/// A part of a text comparison.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, OutputType)]
pub(super) struct TextPart {
    /// Change of the part.
    pub(super) change: TextPartChange,
    /// Words of the part, with the surrounding spaces.
    pub(super) text: String,
}

/// A difference between the submitted and the published snapshot.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, OutputType)]
pub(crate) struct SubmissionDifference {
    /// Path of the value from the snapshot's root. A list element is named by its identifier: the locale of a text,
    /// the slug of a category, the id of a media item, the code of a permission.
    pub(super) path: String,
    /// Currently published value, as text. Null if absent.
    pub(super) live: Option<String>,
    /// Submitted value, as text. Null if the value is removed.
    pub(super) submitted: Option<String>,
    /// Word-by-word comparison in reading order. The parts that are `KEPT` or `REMOVED` make up `live`. The parts that
    /// are `KEPT` or `ADDED` make up `submitted`. Empty if one of the two values is null.
    pub(super) parts: Vec<TextPart>,
}

/// Submitted and published snapshot, and all differences between them.
pub(crate) struct SnapshotComparison {
    /// Snapshot to be published.
    pub(crate) submitted: ListingSnapshot,
    /// Published snapshot; `None` if the app was never published.
    pub(crate) live: Option<ListingSnapshot>,
    /// Differences between the two.
    pub(crate) differences: Vec<SubmissionDifference>,
}

/// Paths that a finding may name even if the listing has no value there.
const ROOTS: [&str; 10] = [
    "/texts",
    "/links",
    "/categories",
    "/media",
    "/slug",
    "/version",
    "/version/release_notes",
    "/version/manifest",
    "/version/manifest/permissions",
    "/version/manifest/redirect_uris",
];

/// Paths with values in the two snapshots, and their differences.
pub(crate) struct DifferencePaths {
    submitted: Vec<String>,
    live: Vec<String>,
    changed: Vec<String>,
}

impl SnapshotComparison {
    /// Returns the permissions that the submitted version requests and the published version does not; all requested
    /// ones if no version is published.
    pub(crate) fn permissions_added(&self) -> Vec<AppPermission> {
        let live = self.live.as_ref().map(|live| live.version.manifest.permissions.as_slice());
        rules::permissions_only_in(&self.submitted.version.manifest.permissions, live.unwrap_or_default())
    }

    /// Returns the permissions that the published version requests and the submitted version does not.
    pub(crate) fn permissions_removed(&self) -> Vec<AppPermission> {
        let live = self.live.as_ref().map(|live| live.version.manifest.permissions.as_slice());
        rules::permissions_only_in(live.unwrap_or_default(), &self.submitted.version.manifest.permissions)
    }

    /// Returns all paths of both snapshots.
    pub(crate) fn places(&self) -> DifferencePaths {
        DifferencePaths {
            submitted: rules::paths(&self.submitted),
            live: self.live.as_ref().map(rules::paths).unwrap_or_default(),
            changed: self.differences.iter().map(|difference| difference.path.clone()).collect(),
        }
    }
}

impl DifferencePaths {
    /// Returns whether the submitted snapshot has a value at or below a path in the form of
    /// [`SubmissionDifference::path`].
    pub(crate) fn has(&self, path: &str) -> bool {
        ROOTS.contains(&path) || self.submitted.iter().any(|place| is_within(place, path))
    }

    /// Returns whether the published snapshot has a value at or below a path, and all these values are unchanged.
    pub(crate) fn is_unchanged(&self, path: &str) -> bool {
        self.live.iter().any(|place| is_within(place, path)) && !self.changed.iter().any(|place| is_within(place, path))
    }
}

/// Returns whether a path equals another path or is below it.
fn is_within(place: &str, path: &str) -> bool {
    place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Compares the submitted snapshot with the published one.
pub(crate) async fn sides(db: &Db, app_uuid: Uuid, mut submitted: Snapshot) -> Result<SnapshotComparison, Fault> {
    let live = store::get_live(db, app_uuid).await?;
    // The slug of a published app is immutable, so it also applies to submissions from before the slug was stored.
    submitted.slug = submitted.slug.take().or_else(|| live.as_ref().and_then(|live| live.slug.clone()));
    let both: Vec<&Snapshot> = std::iter::once(&submitted).chain(live.as_ref()).collect();
    let categories: Vec<Uuid> = both.iter().flat_map(|snapshot| snapshot.categories.iter().copied()).collect();
    let pictures: Vec<Uuid> =
        both.iter().flat_map(|snapshot| snapshot.media.iter().map(|row| row.media_uuid)).collect();
    let names = Names {
        categories: store::get_categories(db, &categories, &submitted.default_locale).await?,
        media: store::get_media(db, &pictures).await?,
    };
    let submitted = names.view(submitted);
    let live = live.map(|live| names.view(live));
    let differences = rules::differences(live.as_ref(), &submitted);
    Ok(SnapshotComparison { submitted, live, differences })
}

/// Names of categories and properties of media items.
struct Names {
    categories: HashMap<Uuid, CategoryRow>,
    media: HashMap<Uuid, MediaRow>,
}

impl Names {
    fn view(&self, snapshot: Snapshot) -> ListingSnapshot {
        let version = snapshot.version;
        ListingSnapshot {
            slug: snapshot.slug,
            default_locale: snapshot.default_locale,
            texts: snapshot.texts,
            links: snapshot.links,
            categories: self.categories(&snapshot.categories),
            media: snapshot.media.into_iter().filter_map(|picture| self.picture(picture)).collect(),
            version: SnapshotVersion {
                uuid: version.version_uuid,
                number: version.number,
                release_notes: Json(version.release_notes),
                manifest: version.manifest,
            },
        }
    }

    fn categories(&self, chosen: &[Uuid]) -> Vec<SnapshotCategory> {
        let rows = chosen.iter().enumerate();
        rows.filter_map(|(position, uuid)| {
            let row = self.categories.get(uuid)?;
            let (slug, name) = (row.slug.clone(), row.name.clone());
            Some(SnapshotCategory { uuid: *uuid, slug, name, primary: position == 0 })
        })
        .collect()
    }

    fn picture(&self, picture: super::snapshot::Picture) -> Option<SnapshotPicture> {
        let row = self.media.get(&picture.media_uuid)?;
        let said = |text: String| Some(text).filter(|text| !text.is_empty());
        Some(SnapshotPicture {
            uuid: picture.media_uuid,
            kind: picture.kind,
            position: picture.position,
            alt_text: said(picture.alt_text),
            caption: said(picture.caption),
            alt_texts: Json(picture.alt_texts),
            captions: Json(picture.captions),
            media_type: row.media_type.clone(),
            width: row.width,
            height: row.height,
            variants: variants(row),
        })
    }
}

/// Returns the original and its smaller sizes, largest first. The order follows the pixel sizes, not the names in the
/// row. A missing size is replaced by the next larger one.
fn variants(row: &MediaRow) -> Vec<MediaVariant> {
    let mut copies: Vec<(i32, i32)> = row.variants.0.values().map(|size| (size.width, size.height)).collect();
    copies.sort_unstable_by(|one, other| other.cmp(one));
    let smallest = copies.last().copied().unwrap_or((row.width, row.height));
    let sizes = std::iter::once((row.width, row.height)).chain(copies).chain(std::iter::repeat(smallest));
    let names = MediaVariantName::ALL.iter().copied();
    names.zip(sizes).map(|(name, (width, height))| MediaVariant { name, width, height }).collect()
}
