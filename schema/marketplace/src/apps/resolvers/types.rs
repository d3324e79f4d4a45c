//! Output and input types of the app resolvers.

use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use labs_shared::states::AppState;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::apps::rules::draft::Patch;
use crate::apps::rules::{AppActorRole, Past, allowed_actions};
use crate::apps::store::{AppRow, CategoryRow};
use crate::versions::AppVersionState;

/// An app of the caller's partner. The texts belong to the draft in the default locale. Storefront readers see the
/// snapshot that was submitted with the published version.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct App {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// Slug of the app in storefront URLs, unique in the marketplace. It cannot change after the app was published.
    slug: String,
    /// Name of the app in the default locale.
    name: String,
    /// Single-line tagline below the name. Empty until the partner writes it.
    tagline: String,
    /// Description of the app and its audience, in plain text. An empty line separates paragraphs. Markup is shown
    /// literally. Empty until the partner writes it.
    description: String,
    /// Locale of the texts in this object, and fallback locale for storefront visitors if no other locale matches.
    default_locale: String,
    /// Current state.
    state: AppState,
    /// Reason for the current state, if one was given. A suspension always has a reason.
    state_reason: Option<String>,
    /// E-mail address of customer support. Shown on the listing.
    support_email: Option<String>,
    /// Help centre or contact page. Shown on the listing.
    support_url: Option<String>,
    /// Privacy policy. Required before a version can be submitted.
    privacy_url: Option<String>,
    /// Website of the app.
    website_url: Option<String>,
    /// Terms of use.
    terms_url: Option<String>,
    /// Selected categories, the primary category first. Empty until the partner selects categories.
    categories: Vec<AppCategory>,
    /// Icon of the draft. Null if the draft has no icon.
    icon: Option<AppIcon>,
    /// Most recently created version, in any state. Null if the app has no version.
    latest_version: Option<AppLatestVersion>,
    /// Version that is published to customers. Null if no version is published.
    published_version: Option<AppPublishedVersion>,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change to the app or to a text, category or media item of its draft.
    updated_at: Time,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// A category chosen for the app.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct AppCategory {
    /// UUID of the object.
    uuid: Uuid,
    /// Slug in storefront URLs.
    slug: String,
    /// Name of the category in the app's default locale, or in English if that locale is missing.
    name: String,
    /// Whether the category is the primary category of the listing. Exactly one of the chosen categories is primary.
    primary: bool,
}

/// A square image that represents the app. The media content operation on the same side (public, partner or staff)
/// returns its bytes.
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

/// Categories chosen for the app.
#[derive(Serialize, OutputType)]
pub(super) struct AppCategories {
    /// The primary category first, then the others in display order.
    pub(super) categories: Vec<AppCategory>,
}

/// A node in the tree of active categories, for a partner's category picker.
#[derive(Serialize, OutputType, sqlx::FromRow)]
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
    /// UUID of the parent category. Null at the root.
    parent_uuid: Option<Uuid>,
    /// Names of the categories from the root down to this category, including this category.
    path: Vec<String>,
    /// Number of levels below the root. 0 at the root.
    depth: i32,
    /// Whether an app may choose this category. A category with active child categories only groups them. Choose one of
    /// the child categories.
    selectable: bool,
    /// Sort key in the list.
    #[serde(skip)]
    pub(in crate::apps) place: String,
}

/// A new app. Only the name is required. The checklist shows the other requirements for publication.
#[derive(Deserialize, InputType)]
pub(crate) struct AppCreate {
    /// Name of the app in the default locale.
    name: String,
    /// Locale of the texts in this request. Defaults to `en`.
    default_locale: Option<String>,
    /// Slug of the app in storefront URLs. If omitted, the service derives it from the name: lower case, letters
    /// without diacritics, other scripts in Latin letters, hyphens for all other characters. The service appends a
    /// random suffix if another app has that slug, or if no letter of the name can be written in Latin letters.
    slug: Option<String>,
    /// One line below the name.
    tagline: Option<String>,
    /// Plain text. An empty line separates paragraphs.
    description: Option<String>,
    /// E-mail address of customer support.
    support_email: Option<String>,
    /// HTTPS URL of a help centre or contact page.
    support_url: Option<String>,
    /// HTTPS URL of the privacy policy.
    privacy_url: Option<String>,
    /// HTTPS URL of the app's website.
    website_url: Option<String>,
    /// HTTPS URL of the terms of use.
    terms_url: Option<String>,
}

/// A merge patch (RFC 7396). Omitted fields stay unchanged. Null clears a field that may be empty.
#[derive(Deserialize, InputType)]
pub(crate) struct AppUpdate {
    /// Name of the app in the default locale.
    name: Option<String>,
    /// New default locale. If the app has texts in several locales, it must be one of them.
    pub(super) default_locale: Option<String>,
    /// New slug. Can be changed only if the app was never published and no version of it is submitted, in review,
    /// approved or scheduled.
    slug: Option<String>,
    /// One line below the name. Null clears it.
    #[serde(default)]
    tagline: MaybeUndefined<String>,
    /// Plain text. Null clears it.
    #[serde(default)]
    description: MaybeUndefined<String>,
    /// E-mail address of customer support.
    #[serde(default)]
    support_email: MaybeUndefined<String>,
    /// HTTPS URL of a help centre or contact page.
    #[serde(default)]
    support_url: MaybeUndefined<String>,
    /// HTTPS URL of the privacy policy.
    #[serde(default)]
    privacy_url: MaybeUndefined<String>,
    /// HTTPS URL of the app's website.
    #[serde(default)]
    website_url: MaybeUndefined<String>,
    /// HTTPS URL of the terms of use.
    #[serde(default)]
    terms_url: MaybeUndefined<String>,
}

/// The complete selection of categories. Categories that are not named are removed from the app.
#[derive(Deserialize, InputType)]
pub(super) struct AppCategoriesPut {
    /// Primary category of the listing.
    pub(super) primary_category_uuid: Uuid,
    /// Up to two more categories, in display order. None if omitted. Must not repeat the primary category.
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
