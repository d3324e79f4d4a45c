//! What is answered about apps, and what is sent.

use async_graphql::{InputObject, MaybeUndefined, SimpleObject};
use serde::Serialize;
use uuid::Uuid;

use crate::core::time::Time;
use crate::marketplace::apps::rules::draft::Patch;
use crate::marketplace::apps::rules::{AppState, Past, Side, allowed_actions};
use crate::marketplace::apps::store::{AppRow, CategoryRow};
use crate::marketplace::versions::AppVersionState;

/// An app of a partner: the draft of its listing in the default locale, and how far it has come.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct App {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// Its name in storefront addresses.
    slug: String,
    /// Its name in the default locale.
    name: String,
    /// One line under the name; empty until it is written.
    tagline: String,
    /// What it does and for whom, in plain text; empty until it is written.
    description: String,
    /// The locale of the texts here.
    default_locale: String,
    /// Where it is.
    state: AppState,
    /// Why it is there, when somebody gave a reason.
    state_reason: Option<String>,
    /// E-mail address of customer support.
    support_email: Option<String>,
    /// URL of a help centre or contact page.
    support_url: Option<String>,
    /// URL of the privacy policy.
    privacy_url: Option<String>,
    /// URL of the app's website.
    website_url: Option<String>,
    /// URL of the terms of use.
    terms_url: Option<String>,
    /// The chosen categories, the primary one first.
    categories: Vec<AppCategory>,
    /// The icon of the draft.
    icon: Option<AppIcon>,
    /// The version made last.
    latest_version: Option<AppLatestVersion>,
    /// The version customers have.
    published_version: Option<AppPublishedVersion>,
    /// When it was made.
    created_at: Time,
    /// When the draft last changed.
    updated_at: Time,
    /// What the caller can do to it now.
    allowed_actions: Vec<String>,
}

/// A category that an app has chosen.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppCategory {
    /// UUID of the object.
    uuid: Uuid,
    /// Its name in storefront addresses.
    slug: String,
    /// Name of the category in the app's default locale, or in English if that locale is missing.
    name: String,
    /// Whether the category is the listing's primary category.
    primary: bool,
}

/// A square picture that stands for an app.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppIcon {
    /// Id used to request the image content.
    media_uuid: Uuid,
    /// Its media type.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// What it shows, for those who cannot see it.
    alt_text: Option<String>,
}

/// Summary of the most recently created version.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppLatestVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Its semantic version.
    number: String,
    /// Where it is.
    state: AppVersionState,
    /// When it was made.
    created_at: Time,
}

/// Summary of the published version.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppPublishedVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Its semantic version.
    number: String,
    /// Time when the version was published.
    published_at: Time,
}

/// What an app has chosen of the category tree.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppCategories {
    /// Categories, the primary category first.
    pub(super) categories: Vec<AppCategory>,
}

/// A place in the tree of active categories.
#[derive(serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SelectableCategory {
    /// UUID of the object.
    uuid: Uuid,
    /// Its name in storefront addresses.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
    /// Scope of the category, in the best matching locale.
    description: Option<String>,
    /// Name of a pictogram.
    icon: Option<String>,
    /// The category above it.
    parent_uuid: Option<Uuid>,
    /// The names from the root down to itself.
    path: Vec<String>,
    /// Steps from the root.
    depth: i32,
    /// Whether an app may choose it: not one that only groups others.
    selectable: bool,
    /// Where it stands in the list.
    #[graphql(skip)]
    #[serde(skip)]
    pub(in crate::marketplace::apps) place: String,
}

/// A new app.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppCreate {
    name: String,
    default_locale: Option<String>,
    slug: Option<String>,
    tagline: Option<String>,
    description: Option<String>,
    support_email: Option<String>,
    support_url: Option<String>,
    privacy_url: Option<String>,
    website_url: Option<String>,
    terms_url: Option<String>,
}

/// A merge patch of an app's draft (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppUpdate {
    name: Option<String>,
    pub(super) default_locale: Option<String>,
    slug: Option<String>,
    tagline: MaybeUndefined<String>,
    description: MaybeUndefined<String>,
    support_email: MaybeUndefined<String>,
    support_url: MaybeUndefined<String>,
    privacy_url: MaybeUndefined<String>,
    website_url: MaybeUndefined<String>,
    terms_url: MaybeUndefined<String>,
}

/// The whole choice of categories at once.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppCategoriesPut {
    pub(super) primary_category_uuid: Uuid,
    pub(super) further_category_uuids: Option<Vec<Uuid>>,
}

impl App {
    /// A row as it is shown to its owner, who may write it, or not.
    pub(in crate::marketplace::apps) fn of(row: AppRow, writes: bool) -> Self {
        Self::shown(row, Side::Owner, writes)
    }

    /// A row as it is shown to staff, who may suspend its listing, or not.
    pub(in crate::marketplace::apps) fn for_staff(row: AppRow, suspends: bool) -> Self {
        let is_listed = row.live_uuid.is_some();
        Self::shown(row, Side::Staff, suspends && is_listed)
    }

    fn shown(row: AppRow, side: Side, acts: bool) -> Self {
        let allowed_actions = if acts { allowed_actions(row.state, side, Past::default()) } else { Vec::new() };
        let (icon, published_version) = (AppIcon::of(&row), AppPublishedVersion::of(&row));
        let latest_version = AppLatestVersion::of(&row);
        let chosen = row.categories.map(|categories| categories.0).unwrap_or_default();
        let categories = chosen.into_iter().map(|row| (row.position, row)).map(|(at, row)| AppCategory::of(row, at));
        Self {
            uuid: row.app_uuid,
            slug: row.slug,
            name: row.name,
            tagline: row.tagline,
            description: row.description,
            default_locale: row.default_locale,
            state: row.state,
            state_reason: row.state_reason,
            support_email: row.support_email,
            support_url: row.support_url,
            privacy_url: row.privacy_url,
            website_url: row.website_url,
            terms_url: row.terms_url,
            categories: categories.collect(),
            icon,
            latest_version,
            published_version,
            created_at: row.created_at,
            updated_at: row.updated_at,
            allowed_actions,
        }
    }
}

impl AppCategory {
    /// A chosen category; the one at position 0 is the primary one.
    pub(super) fn of(row: CategoryRow, position: i32) -> Self {
        Self { uuid: row.category_uuid, slug: row.slug, name: row.name, primary: position == 0 }
    }
}

impl AppIcon {
    fn of(row: &AppRow) -> Option<Self> {
        Some(Self {
            media_uuid: row.icon_uuid?,
            media_type: row.icon_media_type.clone()?,
            width: row.icon_width?,
            height: row.icon_height?,
            alt_text: row.icon_alt_text.clone().filter(|text| !text.is_empty()),
        })
    }
}

impl AppLatestVersion {
    fn of(row: &AppRow) -> Option<Self> {
        Some(Self {
            uuid: row.latest_uuid?,
            number: row.latest_number.clone()?,
            state: row.latest_state?,
            created_at: row.latest_created_at?,
        })
    }
}

impl AppPublishedVersion {
    fn of(row: &AppRow) -> Option<Self> {
        Some(Self { uuid: row.live_uuid?, number: row.live_number.clone()?, published_at: row.live_at? })
    }
}

impl From<AppCreate> for Patch {
    fn from(body: AppCreate) -> Self {
        Self {
            slug: body.slug,
            default_locale: body.default_locale,
            support_email: said(body.support_email),
            support_url: said(body.support_url),
            privacy_url: said(body.privacy_url),
            website_url: said(body.website_url),
            terms_url: said(body.terms_url),
            name: Some(body.name),
            tagline: said(body.tagline),
            description: said(body.description),
        }
    }
}

impl From<AppUpdate> for Patch {
    fn from(body: AppUpdate) -> Self {
        Self {
            slug: body.slug,
            default_locale: body.default_locale,
            support_email: body.support_email,
            support_url: body.support_url,
            privacy_url: body.privacy_url,
            website_url: body.website_url,
            terms_url: body.terms_url,
            name: body.name,
            tagline: body.tagline,
            description: body.description,
        }
    }
}

/// A new app's field: null and nothing are the same.
fn said(text: Option<String>) -> MaybeUndefined<String> {
    text.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value)
}
