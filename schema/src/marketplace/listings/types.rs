//! What readers are shown: plain data that the store fills and the answer writes.

use std::sync::Arc;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::rules::RelatedReason;
use crate::core::page::{Page, Paged};
use crate::core::time::Time;
use crate::marketplace::media::{MediaKind, MediaVariant};
use crate::marketplace::public_pictures::PictureSource;
use crate::marketplace::versions::AppPermission;

/// One app as the storefront shows it, in one locale.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct Listing {
    /// Its name in addresses.
    pub(super) slug: String,
    /// The app that is listed.
    pub(super) app_uuid: Uuid,
    /// The app's name.
    pub(super) name: String,
    /// One line under the name.
    pub(super) tagline: String,
    /// Plain text; an empty line parts paragraphs.
    pub(super) description: String,
    /// The locale in which the texts here are.
    pub(super) locale: String,
    /// Every locale the listing has texts in, the default one first.
    pub(super) locales: Vec<String>,
    /// The partner who offers the app.
    pub(super) vendor: ListingVendor,
    /// The active categories it is in, the primary one first.
    pub(super) categories: Vec<ListingCategory>,
    /// The version customers get.
    pub(super) version: ListingVersion,
    /// What the app may do with the customer's data once it is installed.
    pub(super) permissions: Vec<AppPermission>,
    /// The icon.
    pub(super) icon: Option<ListingIcon>,
    /// Banner, then screenshots in their order. The icon stands in `icon`.
    pub(super) media: Vec<ListingMedia>,
    /// What customers think of it.
    pub(super) rating: ListingRating,
    /// Where the reader finds more.
    pub(super) links: ListingLinks,
    /// When the app first came on the storefront.
    pub(super) first_published_at: Time,
    /// When what is shown here was published.
    pub(super) published_at: Time,
}

/// The partner who offers the app.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingVendor {
    /// Its name in addresses.
    pub(super) slug: String,
    /// The company's name on the storefront.
    pub(super) name: String,
    /// Whether we have made sure that it is the company it says.
    pub(super) verified: bool,
}

/// A category the listing is in.
#[derive(Clone, Debug, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingCategory {
    /// Its name in addresses.
    slug: String,
    /// Its name in the best matching locale.
    name: String,
    /// Whether the listing is filed under it first.
    primary: bool,
}

/// The version customers get.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingVersion {
    /// Its semantic version.
    pub(super) number: String,
    /// When it went live.
    pub(super) published_at: Time,
    /// What is new, in the best matching locale.
    pub(super) release_notes: Option<String>,
}

/// A square picture that stands for the app.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingIcon {
    /// The id under which its content is fetched.
    pub(super) media_uuid: Uuid,
    /// The media type of its bytes.
    pub(super) media_type: String,
    /// Pixels of the original.
    pub(super) width: i32,
    /// Pixels of the original.
    pub(super) height: i32,
    /// What it shows, for those who cannot see it.
    pub(super) alt_text: Option<String>,
    /// Its copies for pages, the narrowest first.
    pub(super) sources: Vec<PictureSource>,
}

/// A picture of the listing. Its bytes are had by its id and never change.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingMedia {
    /// Its id.
    pub(super) uuid: Uuid,
    /// What it is for.
    pub(super) kind: MediaKind,
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
    /// The sizes in which its content can be had, the largest first.
    pub(super) variants: Vec<MediaVariant>,
    /// Its copies for pages, the narrowest first.
    pub(super) sources: Vec<PictureSource>,
}

/// What customers think of it, from published reviews.
#[derive(Clone, Copy, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingRating {
    /// Mean of the stars, with two decimals; null without reviews.
    average: Option<f64>,
    /// How many reviews are published.
    count: i32,
}

impl ListingRating {
    /// The rating out of the columns, where no review at all has the average 0.
    pub(in crate::marketplace) fn new(average: f64, count: i32) -> Self {
        Self { average: Some(average).filter(|_| count > 0), count }
    }
}

/// Where the reader finds more.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingLinks {
    /// A help centre or contact page.
    pub(super) support_url: Option<String>,
    /// Where customers write for help.
    pub(super) support_email: Option<String>,
    /// The privacy policy.
    pub(super) privacy_url: Option<String>,
    /// The app's own site.
    pub(super) website_url: Option<String>,
    /// The terms of use.
    pub(super) terms_url: Option<String>,
}

/// A listing in a list.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingSummary {
    /// Its name in addresses.
    pub(super) slug: String,
    /// The app that is listed.
    pub(super) app_uuid: Uuid,
    /// The app's name.
    pub(super) name: String,
    /// One line under the name.
    pub(super) tagline: String,
    /// The locale in which the texts here are.
    pub(in crate::marketplace) locale: String,
    /// The partner who offers the app.
    pub(super) vendor: ListingVendor,
    /// The active categories it is in, the primary one first.
    pub(super) categories: Vec<ListingCategory>,
    /// The icon.
    pub(super) icon: Option<ListingIcon>,
    /// What customers think of it.
    pub(super) rating: ListingRating,
    /// The semantic version customers get.
    pub(super) version_number: String,
    /// When the app first came on the storefront.
    pub(super) first_published_at: Time,
    /// When what is shown here was published.
    pub(super) published_at: Time,
}

/// A version that customers get or got, in the order of a listing's history.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingRelease {
    /// Its semantic version.
    pub(super) number: String,
    /// When it went live.
    pub(super) published_at: Time,
    /// Whether customers get it now.
    pub(super) is_current: bool,
    /// The locale in which the notes are.
    pub(super) locale: Option<String>,
    /// What was new in it.
    pub(super) release_notes: Option<String>,
    /// What it may do that the version published before it could not.
    pub(super) permissions_added: Vec<AppPermission>,
    /// What the version published before it could do and it may not.
    pub(super) permissions_removed: Vec<AppPermission>,
}

/// A listing that readers of another may want to see.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct RelatedListing {
    /// What the two have in common.
    pub(super) reason: RelatedReason,
    /// The other one.
    pub(super) listing: ListingSummary,
}

/// Listings related to one, all of them.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct RelatedListingList {
    /// The listings, those to be shown first at the beginning.
    pub(super) data: Vec<RelatedListing>,
    /// They come whole, so there is never a next page.
    pub(super) page: Page,
}

/// A page of listings found, and how the whole result divides.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingList {
    /// The entries of this page, in the order asked for.
    pub(super) data: Vec<ListingSummary>,
    /// Where the page ends.
    pub(super) page: Page,
    /// How the whole result divides.
    pub(super) facets: Arc<ListingFacets>,
    /// What was typed, where nothing has it and something like it was looked for.
    pub(super) corrected_from: Option<String>,
    /// What was looked for in its place.
    pub(super) corrected_to: Option<String>,
}

impl Paged for ListingList {
    fn next_cursor(&self) -> Option<&str> {
        self.page.next_cursor.as_deref()
    }
}

/// How the whole result divides, on every page the same. Each facet counts what every other filter leaves and ignores
/// its own, so that a reader sees what another choice would give.
#[derive(Clone, Debug, Default, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingFacets {
    /// Listings that all filters together leave.
    pub(super) total: i32,
    /// Active categories with at least one listing in or beneath them, most listings first.
    pub(super) categories: Vec<CategoryFacet>,
    /// Locales in which listings have texts, most listings first.
    pub(super) languages: Vec<LanguageFacet>,
    /// For 4, 3, 2 and 1 stars, how many are rated so or better.
    pub(super) ratings: Vec<RatingFacet>,
    /// The twenty vendors with the most listings, most listings first.
    pub(super) vendors: Vec<VendorFacet>,
    /// Listings whose vendor is verified.
    pub(super) verified: i32,
}

/// One category and how many listings of the result are in or beneath it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct CategoryFacet {
    /// Its name in addresses.
    slug: String,
    /// Its name in the best matching locale.
    name: String,
    /// The category above it; null at the root.
    parent_slug: Option<String>,
    /// Listings.
    count: i32,
}

/// One vendor and how many listings of the result are its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct VendorFacet {
    /// Its name in addresses.
    slug: String,
    /// The company's name.
    name: String,
    /// Whether we have made sure that it is the company it says.
    verified: bool,
    /// Listings.
    count: i32,
}

/// One locale and how many listings of the result have texts in it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct LanguageFacet {
    /// The locale.
    locale: String,
    /// Listings.
    count: i32,
}

/// A lower bound and how many listings of the result reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct RatingFacet {
    /// Stars.
    pub(super) at_least: i32,
    /// Listings.
    pub(super) count: i32,
}
