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
    /// Slug in storefront URLs.
    pub(in crate::collections) slug: String,
    /// Former slugs, newest first. They redirect to this collection, and no other collection can use them.
    former_slugs: Vec<String>,
    /// Titles by locale; English is always present.
    #[sqlx(json)]
    titles: Json<Texts>,
    /// Theme of the collection, by locale.
    #[sqlx(json)]
    descriptions: Json<Texts>,
    /// Position among all collections, from 1.
    pub(in crate::collections) position: i32,
    /// Start of the visibility window; without it the collection is hidden.
    shown_from: Option<Time>,
    /// End of the visibility window, exclusive; without it the collection stays visible.
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
    /// Id of the listed app.
    pub(crate) app_uuid: Uuid,
    /// Slug of the listing.
    slug: String,
    /// Name of the app in the listing's default locale.
    name: String,
    /// Whether the listing is currently on the storefront. Readers do not see a hidden listing.
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

/// New collection.
#[derive(serde::Deserialize, InputType)]
pub(super) struct CollectionCreate {
    /// Titles by locale; English is required.
    pub(super) titles: Json<Texts>,
    /// Theme of the collection, by locale.
    pub(super) descriptions: Option<Json<Texts>>,
    /// Slug of the collection in storefront URLs. If omitted, the service derives it from the English title.
    pub(super) slug: Option<String>,
    /// Listings in this order, each by slug or app id.
    pub(super) listings: Option<Vec<String>>,
    /// Start of the visibility window. If omitted, the collection is hidden.
    pub(super) shown_from: Option<Time>,
    /// End of the visibility window, exclusive. If omitted, the collection stays visible.
    pub(super) shown_until: Option<Time>,
    /// Position among all collections; collections from this position on move down. If omitted, the collection becomes
    /// the last.
    pub(super) position: Option<i32>,
}

/// Merge patch of a collection (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub(super) struct CollectionUpdate {
    /// Titles by locale; null removes a title. English cannot be removed.
    titles: Option<Json<TextsPatch>>,
    /// Theme of the collection, by locale; null removes one text, or all of them.
    #[serde(default)]
    descriptions: MaybeUndefined<Json<TextsPatch>>,
    /// Slug in storefront URLs. The former slug redirects to the new one.
    slug: Option<String>,
    /// New list of listings in this order, each by slug or app id.
    pub(super) listings: Option<Vec<String>>,
    /// Time from which the collection is visible. Null hides it.
    #[serde(default)]
    shown_from: MaybeUndefined<Time>,
    /// End of the visibility window, exclusive. Null removes the end.
    #[serde(default)]
    shown_until: MaybeUndefined<Time>,
    /// Position among all collections; collections from this position on move down.
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
