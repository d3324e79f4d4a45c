//! Output and input types of collections for staff.

use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use labs_core::texts::{Texts, TextsPatch, merge};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::collections::rules::CollectionContent;

/// A curated collection, as staff see it.
#[derive(Clone, Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct Collection {
    /// UUID of the object.
    pub(in crate::collections) uuid: Uuid,
    /// Slug of the collection in storefront URLs, unique among all collections.
    pub(in crate::collections) slug: String,
    /// Former slugs of the collection, newest first. They redirect to this collection, and no other collection can use
    /// them.
    former_slugs: Vec<String>,
    /// Titles by locale; English is always present.
    #[sqlx(json)]
    titles: Json<Texts>,
    /// Theme of the collection, by locale.
    #[sqlx(json)]
    descriptions: Json<Texts>,
    /// Position among all collections, from 1.
    pub(in crate::collections) position: i32,
    /// Time from which the collection is visible. Null while no start is set. The collection is then hidden.
    shown_from: Option<Time>,
    /// Time at which the collection stops being visible. Null if it stays visible.
    shown_until: Option<Time>,
    /// Whether readers currently see the collection.
    on_show: bool,
    /// Listings of the collection in order, including hidden listings.
    #[sqlx(json)]
    listings: Vec<CollectionListing>,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    pub(in crate::collections) updated_at: Time,
    /// Hash of the editable fields, compared by conditional writes.
    pub(in crate::collections) revision: String,
}

/// A listing in a collection, as staff see it.
#[derive(Clone, Deserialize, Serialize, OutputType)]
pub struct CollectionListing {
    /// UUID of the listed app.
    pub(crate) app_uuid: Uuid,
    /// Slug of the listing.
    slug: String,
    /// Name of the app in the listing's default locale.
    name: String,
    /// Whether the listing is currently on the storefront. A hidden listing keeps its position in the collection, but
    /// readers do not see it.
    visible: bool,
}

impl Collection {
    /// Returns the fields that staff edit.
    pub(super) fn content(&self) -> CollectionContent {
        CollectionContent {
            slug: self.slug.clone(),
            titles: self.titles.0.clone(),
            descriptions: self.descriptions.0.clone(),
            shown_from: self.shown_from,
            shown_until: self.shown_until,
        }
    }

    /// Returns whether the collection contains exactly these listings in this order.
    pub(super) fn has_listings(&self, apps: &[Uuid]) -> bool {
        self.listings.iter().map(|listing| listing.app_uuid).eq(apps.iter().copied())
    }
}

/// A new collection.
#[derive(serde::Deserialize, InputType)]
pub(super) struct CollectionCreate {
    /// Titles by locale; English is required.
    pub(super) titles: Json<Texts>,
    /// Theme of the collection, by locale.
    pub(super) descriptions: Option<Json<Texts>>,
    /// Slug of the collection in storefront URLs. If omitted, the service derives it from the English title.
    pub(super) slug: Option<String>,
    /// Listings of the collection in this order, each once, named by slug or by app id. A currently hidden listing may
    /// be included. Readers see it in the collection after it returns to the storefront.
    pub(super) listings: Option<Vec<String>>,
    /// Time from which the collection is visible, in the past or in the future. If omitted or null, the collection is
    /// not visible.
    pub(super) shown_from: Option<Time>,
    /// Time at which the collection stops being visible, later than `shown_from`. If omitted or null, it stays visible.
    pub(super) shown_until: Option<Time>,
    /// Position among all collections. Collections from that position onwards move down. If omitted or beyond the last
    /// position, the collection is placed last.
    pub(super) position: Option<i32>,
}

/// A merge patch of a collection (RFC 7396). Omitted fields stay unchanged.
#[derive(serde::Deserialize, InputType)]
pub(super) struct CollectionUpdate {
    /// Titles by locale, each 2 to 80 characters, as a merge patch. An omitted locale stays unchanged, null removes it.
    /// English can be changed but not removed. The result has at most 40 locales.
    titles: Option<Json<TextsPatch>>,
    /// Descriptions of the collection's theme by locale, each up to 500 characters, as a merge patch. An omitted locale
    /// stays unchanged, null removes it. Null for the whole field removes all descriptions.
    #[serde(default)]
    descriptions: MaybeUndefined<Json<TextsPatch>>,
    /// Slug of the collection in storefront URLs. The former slug redirects to the collection.
    slug: Option<String>,
    /// Complete new list of listings in this order, each once, named by slug or by app id.
    pub(super) listings: Option<Vec<String>>,
    /// Time from which the collection is visible. Null hides it.
    #[serde(default)]
    shown_from: MaybeUndefined<Time>,
    /// Time at which the collection stops being visible, later than `shown_from`. Null removes the end, so that the
    /// collection stays visible.
    #[serde(default)]
    shown_until: MaybeUndefined<Time>,
    /// Position among all collections. Collections from that position onwards move down. Beyond the last position, the
    /// collection is placed last.
    pub(super) position: Option<i32>,
}

impl CollectionUpdate {
    /// Returns the content after the patch.
    pub(super) fn apply_to(self, mut content: CollectionContent) -> CollectionContent {
        if let Some(patch) = self.titles {
            merge(&mut content.titles, patch.0);
        }
        match self.descriptions {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => content.descriptions.clear(),
            MaybeUndefined::Value(patch) => merge(&mut content.descriptions, patch.0),
        }
        self.shown_from.update_to(&mut content.shown_from);
        self.shown_until.update_to(&mut content.shown_until);
        content.slug = self.slug.unwrap_or(content.slug);
        content
    }
}
