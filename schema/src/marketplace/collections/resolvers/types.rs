//! A collection as staff see it, and what they send of one.

use async_graphql::{InputObject, Json, MaybeUndefined, SimpleObject};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::core::texts::{Texts, TextsPatch, merge};
use crate::core::time::Time;
use crate::marketplace::collections::rules::CollectionContent;

/// A curated collection, as staff see it.
#[derive(Clone, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Collection {
    /// UUID of the object.
    pub(in crate::marketplace::collections) uuid: Uuid,
    /// Its name in storefront addresses.
    pub(in crate::marketplace::collections) slug: String,
    /// Slugs that it had before, the latest first. They lead to it and are no other collection's.
    former_slugs: Vec<String>,
    /// Its title by locale; English is always there.
    #[sqlx(json)]
    titles: Json<Texts>,
    /// What it holds together, by locale.
    #[sqlx(json)]
    descriptions: Json<Texts>,
    /// Position among all collections, from 1.
    pub(in crate::marketplace::collections) position: i32,
    /// Since when it is on show; without one it is not.
    shown_from: Option<Time>,
    /// The first moment at which it is not on show any more; without one it stays.
    shown_until: Option<Time>,
    /// Whether readers currently see the collection.
    on_show: bool,
    /// Listings of the collection in order, including hidden listings.
    #[sqlx(json)]
    listings: Vec<CollectionListing>,
    /// When it was made.
    created_at: Time,
    /// When it last changed.
    pub(in crate::marketplace::collections) updated_at: Time,
    /// What can be edited, as it is now, in short: what a conditional write compares.
    pub(in crate::marketplace::collections) revision: String,
}

/// A listing in a collection, as staff see it.
#[derive(Clone, Deserialize, Serialize, SimpleObject)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct CollectionListing {
    /// The app that is listed.
    pub(crate) app_uuid: Uuid,
    /// The listing's name in addresses.
    slug: String,
    /// The app's name in the listing's own locale.
    name: String,
    /// Whether the listing is on the storefront now; readers are not shown a hidden one.
    visible: bool,
}

impl Collection {
    /// What staff write of it.
    pub(super) fn content(&self) -> CollectionContent {
        CollectionContent {
            slug: self.slug.clone(),
            titles: self.titles.0.clone(),
            descriptions: self.descriptions.0.clone(),
            shown_from: self.shown_from,
            shown_until: self.shown_until,
        }
    }

    /// Whether it holds these listings in this order.
    pub(super) fn holds(&self, apps: &[Uuid]) -> bool {
        self.listings.iter().map(|listing| listing.app_uuid).eq(apps.iter().copied())
    }
}

/// A new collection.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CollectionCreate {
    /// Its title by locale; English must be there.
    pub(super) titles: Json<Texts>,
    /// What it holds together, by locale.
    pub(super) descriptions: Option<Json<Texts>>,
    /// Slug of the collection in storefront URLs. If omitted, the service derives it from the English title.
    pub(super) slug: Option<String>,
    /// What is in it, in this order: slugs of listings or ids of apps.
    pub(super) listings: Option<Vec<String>>,
    /// Since when it is on show. Left out, it is not.
    pub(super) shown_from: Option<Time>,
    /// The first moment at which it is not on show any more. Left out, it stays.
    pub(super) shown_until: Option<Time>,
    /// Its place among all collections; those from there on move down. Left out, it comes last.
    pub(super) position: Option<i32>,
}

/// A merge patch of a collection (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CollectionUpdate {
    /// Titles by locale; null takes one away, but English stays.
    titles: Option<Json<TextsPatch>>,
    /// What it holds together, by locale; null takes a text away, or all of them.
    descriptions: MaybeUndefined<Json<TextsPatch>>,
    /// Its name in storefront addresses. The former one leads to it from now on.
    slug: Option<String>,
    /// What is in it from now on, in this order: slugs of listings or ids of apps.
    pub(super) listings: Option<Vec<String>>,
    /// Time from which the collection is visible. Null hides it.
    shown_from: MaybeUndefined<Time>,
    /// The first moment at which it is not on show any more; null lets it stay.
    shown_until: MaybeUndefined<Time>,
    /// Its place among all collections; those from there on move down.
    pub(super) position: Option<i32>,
}

impl CollectionUpdate {
    /// What stands once it is applied.
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
