//! A snapshot as staff see it: categories and pictures under their names.

use std::collections::{BTreeMap, HashMap};

use async_graphql::{Json, SimpleObject};
use uuid::Uuid;

use super::rules;
use super::snapshot::{Snapshot, SnapshotLinks, SnapshotText};
use super::store::{self, CategoryRow, MediaRow};
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::words::Word as _;
use crate::core::words::words;
use crate::marketplace::media::{MediaKind, MediaVariant, MediaVariantName};
use crate::marketplace::versions::{AppManifest, AppPermission};

/// A complete listing at one point in time.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingSnapshot {
    /// The app's name in addresses; null in what was handed in before it was kept and never went live.
    pub(super) slug: Option<String>,
    /// The locale readers get when no other matches.
    pub(super) default_locale: String,
    /// Texts in every locale, the default locale first.
    pub(super) texts: Vec<SnapshotText>,
    /// Where the reader finds more.
    pub(super) links: SnapshotLinks,
    /// Categories, the primary category first.
    pub(super) categories: Vec<SnapshotCategory>,
    /// Icon, banner, then screenshots in their order.
    pub(super) media: Vec<SnapshotPicture>,
    /// The version.
    pub(super) version: SnapshotVersion,
}

/// A category chosen for the app.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotCategory {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// Its name in addresses.
    pub(super) slug: String,
    /// Name of the category in the app's default locale, or in English if that locale is missing.
    pub(super) name: String,
    /// Whether it is the one the listing is filed under first.
    pub(super) primary: bool,
}

/// A picture of the listing, with what is said about it. Its bytes never change.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotPicture {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// What it is for.
    pub(super) kind: MediaKind,
    /// Its place among the pictures of its kind, from 1.
    pub(super) position: i32,
    /// What it shows, for those who cannot see it.
    pub(super) alt_text: Option<String>,
    /// A line shown under it.
    pub(super) caption: Option<String>,
    /// What it shows, in further locales.
    pub(super) alt_texts: Json<BTreeMap<String, String>>,
    /// A line shown under it, in further locales.
    pub(super) captions: Json<BTreeMap<String, String>>,
    /// The media type of its bytes.
    pub(super) media_type: String,
    /// Size of the original, in pixels.
    pub(super) width: i32,
    /// Size of the original, in pixels.
    pub(super) height: i32,
    /// The sizes in which it can be had, the largest first.
    pub(super) variants: Vec<MediaVariant>,
}

/// App version in a snapshot.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Its semantic version.
    pub(super) number: String,
    /// What is new, by locale.
    pub(super) release_notes: Json<BTreeMap<String, String>>,
    /// What it asks of the platform.
    pub(super) manifest: AppManifest,
}

words! {
    /// What became of a part of a text.
    pub(in crate::marketplace) enum TextPartChange {
        /// It stands in both.
        Kept = "KEPT",
        /// It stands in the former only.
        Removed = "REMOVED",
        /// It stands in the new one only.
        Added = "ADDED",
    }
}

/// A part of a text comparison.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct TextPart {
    /// Result of the reauthentication.
    pub(super) change: TextPartChange,
    /// Words of the part, with the surrounding spaces.
    pub(super) text: String,
}

/// A difference between the submitted and the published snapshot.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SubmissionDifference {
    /// Path of the value from the snapshot's root. A list element is named by its identifier: the locale of a text,
    /// the slug of a category, the id of a media item, the code of a permission.
    pub(super) path: String,
    /// Currently published value, as text. Null if absent.
    pub(super) live: Option<String>,
    /// Submitted value, as text. Null if the value is removed.
    pub(super) submitted: Option<String>,
    /// How the one became the other, word by word; empty where one of them is null.
    pub(super) parts: Vec<TextPart>,
}

/// What is submitted, what is live, and every place in which the two differ.
pub(in crate::marketplace) struct Sides {
    /// What is to go live.
    pub(in crate::marketplace) submitted: ListingSnapshot,
    /// What readers see now; `None` when the app was never published.
    pub(in crate::marketplace) live: Option<ListingSnapshot>,
    /// Where they differ.
    pub(in crate::marketplace) differences: Vec<SubmissionDifference>,
}

/// Places that a listing may have nothing at and that can be spoken of all the same.
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

/// Where the two sides have something, and where they differ.
pub(in crate::marketplace) struct Places {
    submitted: Vec<String>,
    live: Vec<String>,
    changed: Vec<String>,
}

impl Sides {
    /// What the submitted version asks of the platform and the live one does not; all that it asks when none is live.
    pub(in crate::marketplace) fn permissions_added(&self) -> Vec<AppPermission> {
        let live = self.live.as_ref().map(|live| live.version.manifest.permissions.as_slice());
        rules::permissions_only_in(&self.submitted.version.manifest.permissions, live.unwrap_or_default())
    }

    /// What the live version asks of the platform and the submitted one does not.
    pub(in crate::marketplace) fn permissions_removed(&self) -> Vec<AppPermission> {
        let live = self.live.as_ref().map(|live| live.version.manifest.permissions.as_slice());
        rules::permissions_only_in(live.unwrap_or_default(), &self.submitted.version.manifest.permissions)
    }

    /// Every place of both.
    pub(in crate::marketplace) fn places(&self) -> Places {
        Places {
            submitted: rules::paths(&self.submitted),
            live: self.live.as_ref().map(rules::paths).unwrap_or_default(),
            changed: self.differences.iter().map(|difference| difference.path.clone()).collect(),
        }
    }
}

impl Places {
    /// Whether what is submitted has something at or beneath a path, as [`SubmissionDifference::path`] names it.
    pub(in crate::marketplace) fn has(&self, path: &str) -> bool {
        ROOTS.contains(&path) || self.submitted.iter().any(|place| is_within(place, path))
    }

    /// Whether something at or beneath a path was live before, and all of it is as it was.
    pub(in crate::marketplace) fn is_unchanged(&self, path: &str) -> bool {
        self.live.iter().any(|place| is_within(place, path)) && !self.changed.iter().any(|place| is_within(place, path))
    }
}

/// Whether a place is the one that a path names, or beneath it.
fn is_within(place: &str, path: &str) -> bool {
    place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Sets what is submitted beside what is live.
pub(in crate::marketplace) async fn sides(db: &Db, app_uuid: Uuid, mut submitted: Snapshot) -> Result<Sides, Fault> {
    let live = store::live_get(db, app_uuid).await?;
    // The slug of what is live is fixed, so it goes for what was handed in before the slug was kept.
    submitted.slug = submitted.slug.take().or_else(|| live.as_ref().and_then(|live| live.slug.clone()));
    let both: Vec<&Snapshot> = std::iter::once(&submitted).chain(live.as_ref()).collect();
    let categories: Vec<Uuid> = both.iter().flat_map(|snapshot| snapshot.categories.iter().copied()).collect();
    let pictures: Vec<Uuid> =
        both.iter().flat_map(|snapshot| snapshot.media.iter().map(|row| row.media_uuid)).collect();
    let names = Names {
        categories: store::categories_get(db, &categories, &submitted.default_locale).await?,
        media: store::media_get(db, &pictures).await?,
    };
    let submitted = names.view(submitted);
    let live = live.map(|live| names.view(live));
    let differences = rules::differences(live.as_ref(), &submitted);
    Ok(Sides { submitted, live, differences })
}

/// What categories and pictures are called and look like.
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

/// The original and its copies, the largest first. However the row calls them, their order is that of their sizes;
/// where one is missing the next larger one stands in.
fn variants(row: &MediaRow) -> Vec<MediaVariant> {
    let mut copies: Vec<(i32, i32)> = row.variants.0.values().map(|size| (size.width, size.height)).collect();
    copies.sort_unstable_by(|one, other| other.cmp(one));
    let smallest = copies.last().copied().unwrap_or((row.width, row.height));
    let sizes = std::iter::once((row.width, row.height)).chain(copies).chain(std::iter::repeat(smallest));
    let names = MediaVariantName::ALL.iter().copied();
    names.zip(sizes).map(|(name, (width, height))| MediaVariant { name, width, height }).collect()
}
