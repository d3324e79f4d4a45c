//! Output and input types of the app resolvers.

use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use labs_shared::states::AppState;
use serde::Serialize;
use uuid::Uuid;

use crate::apps::rules::draft::Patch;
use crate::apps::rules::{AppActorRole, Past, allowed_actions};
use crate::apps::store::{AppRow, CategoryRow};
use crate::versions::AppVersionState;

/// App of a partner: the draft of its listing in the default locale, and its progress.
#[derive(Clone, Debug, Serialize, OutputType)]
pub struct App {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// Slug in storefront URLs.
    slug: String,
    /// Name in the default locale.
    name: String,
    /// Tagline; empty until it is written.
    tagline: String,
    /// Purpose and audience of the app, in plain text; empty until it is written.
    description: String,
    /// Locale of the texts in this object.
    default_locale: String,
    /// Current state.
    state: AppState,
    /// Reason for the current state, if one was given.
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
    /// Chosen categories, the primary category first.
    categories: Vec<AppCategory>,
    /// Icon of the draft.
    icon: Option<AppIcon>,
    /// Most recently created version.
    latest_version: Option<AppLatestVersion>,
    /// Published version.
    published_version: Option<AppPublishedVersion>,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change of the draft.
    updated_at: Time,
    /// Actions that the caller can take now.
    allowed_actions: Vec<String>,
}

/// A category that an app has chosen.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct AppCategory {
    /// UUID of the object.
    uuid: Uuid,
    /// Slug in storefront URLs.
    slug: String,
    /// Name of the category in the app's default locale, or in English if that locale is missing.
    name: String,
    /// Whether the category is the listing's primary category.
    primary: bool,
}

/// Square image that represents an app.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct AppIcon {
    /// Id used to request the image content.
    media_uuid: Uuid,
    /// Media type of the content.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// Text alternative for readers who cannot see the image.
    alt_text: Option<String>,
}

/// Summary of the most recently created version.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct AppLatestVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Semantic version number.
    number: String,
    /// Current state.
    state: AppVersionState,
    /// Time of creation.
    created_at: Time,
}

/// Summary of the published version.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct AppPublishedVersion {
    /// UUID of the object.
    uuid: Uuid,
    /// Semantic version number.
    number: String,
    /// Time when the version was published.
    published_at: Time,
}

/// Categories that an app has chosen.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AppCategories {
    /// Categories, the primary category first.
    pub(super) categories: Vec<AppCategory>,
}

/// Category in the tree of active categories.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct SelectableCategory {
    /// UUID of the object.
    uuid: Uuid,
    /// Slug in storefront URLs.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
    /// Scope of the category, in the best matching locale.
    description: Option<String>,
    /// Name of an icon in the storefront's icon set.
    icon: Option<String>,
    /// Id of the parent category.
    parent_uuid: Option<Uuid>,
    /// Names of the categories from the root down to this one, inclusive.
    path: Vec<String>,
    /// Number of levels below the root.
    depth: i32,
    /// Whether an app may choose the category. A category with active children only groups them.
    selectable: bool,
    /// Sort key in the list.
    #[serde(skip)]
    pub(in crate::apps) place: String,
}

/// A new app.
#[derive(serde::Deserialize, InputType)]
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
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AppUpdate {
    name: Option<String>,
    pub(super) default_locale: Option<String>,
    slug: Option<String>,
    #[serde(default)]
    tagline: MaybeUndefined<String>,
    #[serde(default)]
    description: MaybeUndefined<String>,
    #[serde(default)]
    support_email: MaybeUndefined<String>,
    #[serde(default)]
    support_url: MaybeUndefined<String>,
    #[serde(default)]
    privacy_url: MaybeUndefined<String>,
    #[serde(default)]
    website_url: MaybeUndefined<String>,
    #[serde(default)]
    terms_url: MaybeUndefined<String>,
}

/// Complete choice of categories, replacing the current one.
#[derive(serde::Deserialize, InputType)]
pub(super) struct AppCategoriesPut {
    pub(super) primary_category_uuid: Uuid,
    pub(super) further_category_uuids: Option<Vec<Uuid>>,
}

impl App {
    /// Converts a row to the form that its owner sees. `writes` states whether the caller may change the app.
    pub(in crate::apps) fn of(row: AppRow, writes: bool) -> Self {
        Self::from_row(row, AppActorRole::Owner, writes)
    }

    /// Converts a row to the form that staff see. `suspends` states whether the caller may suspend the listing.
    pub(in crate::apps) fn for_staff(row: AppRow, suspends: bool) -> Self {
        let is_listed = row.live_uuid.is_some();
        Self::from_row(row, AppActorRole::Staff, suspends && is_listed)
    }

    fn from_row(row: AppRow, side: AppActorRole, acts: bool) -> Self {
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
    /// Converts a chosen category; position 0 is the primary category.
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
            support_email: undefined_as_null(body.support_email),
            support_url: undefined_as_null(body.support_url),
            privacy_url: undefined_as_null(body.privacy_url),
            website_url: undefined_as_null(body.website_url),
            terms_url: undefined_as_null(body.terms_url),
            name: Some(body.name),
            tagline: undefined_as_null(body.tagline),
            description: undefined_as_null(body.description),
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

/// Converts a field of a new app: null and a missing field are equivalent.
fn undefined_as_null(text: Option<String>) -> MaybeUndefined<String> {
    text.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value)
}
