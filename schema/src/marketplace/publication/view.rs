//! A snapshot as staff see it: categories and pictures under their names.

use std::collections::{BTreeMap, HashMap};

use async_graphql::{Enum, Json, SimpleObject};
use uuid::Uuid;

use super::rules;
use super::snapshot::{Links, Snapshot, Text};
use super::store::{self, CategoryRow, MediaRow};
use crate::db::Db;
use crate::fault::Fault;
use crate::marketplace::versions::Manifest;

/// A whole listing at one moment.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingSnapshot {
    /// The app's name in addresses; null in what was handed in before it was kept and never went live.
    pub(super) slug: Option<String>,
    /// The locale readers get when no other matches.
    pub(super) default_locale: String,
    /// The texts in every locale, the default one first.
    pub(super) texts: Vec<Text>,
    /// Where the reader finds more.
    pub(super) links: Links,
    /// The primary one first.
    pub(super) categories: Vec<SnapshotCategory>,
    /// Icon, banner, then screenshots in their order.
    pub(super) media: Vec<SnapshotPicture>,
    /// The version.
    pub(super) version: SnapshotVersion,
}

/// A category that the app has chosen.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotCategory {
    /// Its id.
    pub(super) uuid: Uuid,
    /// Its name in addresses.
    pub(super) slug: String,
    /// Its name in the app's default locale, in English where that is missing.
    pub(super) name: String,
    /// Whether it is the one the listing is filed under first.
    pub(super) primary: bool,
}

/// A picture of the listing, with what is said about it. Its bytes never change.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotPicture {
    /// Its id.
    pub(super) uuid: Uuid,
    /// What it is for.
    pub(super) kind: PictureKind,
    /// Its place among the pictures of its kind, from 1.
    pub(super) position: i32,
    /// What it shows, for those who cannot see it.
    pub(super) alt_text: Option<String>,
    /// A line shown under it.
    pub(super) caption: Option<String>,
    /// The media type of its bytes.
    pub(super) media_type: String,
    /// Pixels of the original.
    pub(super) width: i32,
    /// Pixels of the original.
    pub(super) height: i32,
    /// The sizes in which it can be had, the largest first.
    pub(super) variants: Vec<PictureVariant>,
}

/// A size in which a picture can be had.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(name = "SnapshotPictureVariant", rename_fields = "snake_case")]
pub(in crate::marketplace) struct PictureVariant {
    /// Which size.
    name: PictureSize,
    /// Pixels.
    width: i32,
    /// Pixels.
    height: i32,
}

/// What a picture is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[graphql(name = "SnapshotPictureKind")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(in crate::marketplace) enum PictureKind {
    /// Stands for the app in lists.
    Icon,
    /// A view of the app at work.
    Screenshot,
    /// The listing's wide picture.
    Banner,
}

/// The sizes of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[graphql(name = "SnapshotPictureSize")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(in crate::marketplace) enum PictureSize {
    /// As it was uploaded.
    Original,
    /// The largest copy.
    Large,
    /// The next.
    Medium,
    /// The smallest.
    Small,
}

/// The version of a snapshot.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotVersion {
    /// Its id.
    uuid: Uuid,
    /// Its semantic version.
    pub(super) number: String,
    /// What is new, by locale.
    pub(super) release_notes: Json<BTreeMap<String, String>>,
    /// What it asks of the platform.
    pub(super) manifest: Manifest,
}

/// One place in which what is submitted differs from what is live.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, SimpleObject)]
#[graphql(name = "SubmissionDifference", rename_fields = "snake_case")]
pub(in crate::marketplace) struct Difference {
    /// Where, from the snapshot's root. Members of lists are named by what identifies them: the locale of a text,
    /// the slug of a category, the id of a picture, the code of a permission.
    pub(super) path: String,
    /// The value now, as text; null where there is nothing.
    pub(super) live: Option<String>,
    /// The value submitted, as text; null where it is taken away.
    pub(super) submitted: Option<String>,
}

/// What is submitted, what is live, and every place in which the two differ.
pub(in crate::marketplace) struct Sides {
    /// What is to go live.
    pub(in crate::marketplace) submitted: ListingSnapshot,
    /// What readers see now; `None` when the app was never published.
    pub(in crate::marketplace) live: Option<ListingSnapshot>,
    /// Where they differ.
    pub(in crate::marketplace) differences: Vec<Difference>,
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
            kind: PictureKind::parse(&picture.kind)?,
            position: picture.position,
            alt_text: said(picture.alt_text),
            caption: said(picture.caption),
            media_type: row.media_type.clone(),
            width: row.width,
            height: row.height,
            variants: variants(row),
        })
    }
}

/// The original and its copies, the largest first. However the row calls them, their order is that of their sizes;
/// where one is missing the next larger one stands in.
fn variants(row: &MediaRow) -> Vec<PictureVariant> {
    let mut copies: Vec<(i32, i32)> = row.variants.0.values().map(|size| (size.width, size.height)).collect();
    copies.sort_unstable_by(|one, other| other.cmp(one));
    let smallest = copies.last().copied().unwrap_or((row.width, row.height));
    let sizes = std::iter::once((row.width, row.height)).chain(copies).chain(std::iter::repeat(smallest));
    let names = [PictureSize::Original, PictureSize::Large, PictureSize::Medium, PictureSize::Small];
    names.into_iter().zip(sizes).map(|(name, (width, height))| PictureVariant { name, width, height }).collect()
}

impl PictureKind {
    /// The column's value.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Icon => "ICON",
            Self::Screenshot => "SCREENSHOT",
            Self::Banner => "BANNER",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Icon, Self::Screenshot, Self::Banner].into_iter().find(|kind| kind.name() == text)
    }
}
