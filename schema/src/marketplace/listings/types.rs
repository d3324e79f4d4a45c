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

/// An app as the storefront shows it, in one locale.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct Listing {
    /// Its name in addresses.
    pub(super) slug: String,
    /// The app that is listed.
    pub(super) app_uuid: Uuid,
    /// Name of the app.
    pub(super) name: String,
    /// One line below the name.
    pub(super) tagline: String,
    /// Plain text; an empty line parts paragraphs.
    pub(super) description: String,
    /// Locale of the texts in this object.
    pub(super) locale: String,
    /// All locales of the listing's texts, the default locale first.
    pub(super) locales: Vec<String>,
    /// Partner that offers the app.
    pub(super) vendor: ListingVendor,
    /// Active categories of the listing, the primary category first.
    pub(super) categories: Vec<ListingCategory>,
    /// Version that customers currently use.
    pub(super) version: ListingVersion,
    /// Permissions of the installed app on the customer's data.
    pub(super) permissions: Vec<AppPermission>,
    /// The icon.
    pub(super) icon: Option<ListingIcon>,
    /// The banner, then the screenshots in order. The icon is in `icon`.
    pub(super) media: Vec<ListingMedia>,
    /// What customers think of it.
    pub(super) rating: ListingRating,
    /// Where the reader finds more.
    pub(super) links: ListingLinks,
    /// Time when the app was first published on the storefront.
    pub(super) first_published_at: Time,
    /// Time when the content shown here was published.
    pub(super) published_at: Time,
}

/// Partner that offers the app.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingVendor {
    /// Its name in addresses.
    pub(super) slug: String,
    /// Name of the company on the storefront.
    pub(super) name: String,
    /// Whether the platform has verified the identity of the company.
    pub(super) verified: bool,
}

/// A category of the listing.
#[derive(Clone, Debug, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingCategory {
    /// Its name in addresses.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
    /// Whether the category is the listing's primary category.
    primary: bool,
}

/// Version that customers currently use.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingVersion {
    /// Its semantic version.
    pub(super) number: String,
    /// Time when the version was published.
    pub(super) published_at: Time,
    /// What is new, in the best matching locale.
    pub(super) release_notes: Option<String>,
}

/// A square image that represents the app.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingIcon {
    /// Id used to request the image content.
    pub(super) media_uuid: Uuid,
    /// The media type of its bytes.
    pub(super) media_type: String,
    /// Size of the original, in pixels.
    pub(super) width: i32,
    /// Size of the original, in pixels.
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
    /// The media type of its bytes.
    pub(super) media_type: String,
    /// Size of the original, in pixels.
    pub(super) width: i32,
    /// Size of the original, in pixels.
    pub(super) height: i32,
    /// Available sizes of the content, largest first.
    pub(super) variants: Vec<MediaVariant>,
    /// Its copies for pages, the narrowest first.
    pub(super) sources: Vec<PictureSource>,
}

/// Aggregate customer rating, from published customer reviews.
#[derive(Clone, Copy, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingRating {
    /// Mean star rating, with two decimals. Null without customer reviews.
    average: Option<f64>,
    /// Number of published customer reviews.
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
    /// URL of a help centre or contact page.
    pub(super) support_url: Option<String>,
    /// E-mail address of customer support.
    pub(super) support_email: Option<String>,
    /// URL of the privacy policy.
    pub(super) privacy_url: Option<String>,
    /// The app's own site.
    pub(super) website_url: Option<String>,
    /// The terms of use.
    pub(super) terms_url: Option<String>,
}

/// A listing as an entry in a list.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingSummary {
    /// Its name in addresses.
    pub(super) slug: String,
    /// The app that is listed.
    pub(super) app_uuid: Uuid,
    /// Name of the app.
    pub(super) name: String,
    /// One line below the name.
    pub(super) tagline: String,
    /// Locale of the texts in this object.
    pub(in crate::marketplace) locale: String,
    /// Partner that offers the app.
    pub(super) vendor: ListingVendor,
    /// Active categories of the listing, the primary category first.
    pub(super) categories: Vec<ListingCategory>,
    /// The icon.
    pub(super) icon: Option<ListingIcon>,
    /// What customers think of it.
    pub(super) rating: ListingRating,
    /// The semantic version customers get.
    pub(super) version_number: String,
    /// Time when the app was first published on the storefront.
    pub(super) first_published_at: Time,
    /// Time when the content shown here was published.
    pub(super) published_at: Time,
}

/// A version that customers get or got, in the order of a listing's history.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingRelease {
    /// Its semantic version.
    pub(super) number: String,
    /// Time when the version was published.
    pub(super) published_at: Time,
    /// Whether customers get it now.
    pub(super) is_current: bool,
    /// The locale in which the notes are.
    pub(super) locale: Option<String>,
    /// What was new in it.
    pub(super) release_notes: Option<String>,
    /// What it may do that the version published before it could not.
    pub(super) permissions_added: Vec<AppPermission>,
    /// Permissions that the previously published version had and this version does not have.
    pub(super) permissions_removed: Vec<AppPermission>,
}

/// A listing that may interest readers of another listing.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct RelatedListing {
    /// What the two have in common.
    pub(super) reason: RelatedReason,
    /// The other one.
    pub(super) listing: ListingSummary,
}

/// All listings related to one listing.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct RelatedListingList {
    /// Related listings, in display order.
    pub(super) data: Vec<RelatedListing>,
    /// The complete result is returned in one page, so a next page never exists.
    pub(super) page: Page,
}

/// A page of search results, with the facets of the whole result.
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

/// Distribution of the whole result, the same on every page. Each facet applies all filters except its own, so that a
/// reader sees the effect of another choice.
#[derive(Clone, Debug, Default, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingFacets {
    /// Number of listings that match all filters.
    pub(super) total: i32,
    /// Active categories with at least one listing in the category or its descendants, ordered by number of listings,
    /// highest first.
    pub(super) categories: Vec<CategoryFacet>,
    /// Locales in which listings have texts, ordered by number of listings, highest first.
    pub(super) languages: Vec<LanguageFacet>,
    /// For 4, 3, 2 and 1 stars: number of listings with this rating or higher.
    pub(super) ratings: Vec<RatingFacet>,
    /// The twenty vendors with the most listings, ordered by number of listings, highest first.
    pub(super) vendors: Vec<VendorFacet>,
    /// Number of listings whose vendor is verified.
    pub(super) verified: i32,
}

/// A category, with the number of result listings in the category or its descendants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct CategoryFacet {
    /// Its name in addresses.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
    /// Id of the parent category. Null at the root.
    parent_slug: Option<String>,
    /// Number of listings.
    count: i32,
}

/// A vendor, with the number of its listings in the result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct VendorFacet {
    /// Its name in addresses.
    slug: String,
    /// Name of the company.
    name: String,
    /// Whether the platform has verified the identity of the company.
    verified: bool,
    /// Number of listings.
    count: i32,
}

/// A locale, with the number of result listings that have texts in it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct LanguageFacet {
    /// The locale.
    locale: String,
    /// Number of listings.
    count: i32,
}

/// A minimum rating, with the number of result listings that reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct RatingFacet {
    /// Number of stars.
    pub(super) at_least: i32,
    /// Number of listings.
    pub(super) count: i32,
}
