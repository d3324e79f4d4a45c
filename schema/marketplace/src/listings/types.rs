//! Public types of listings: plain data that the store fills and the response serializes.

use std::sync::Arc;

use labs_core::describe::OutputType;
use labs_core::page::Page;
use labs_core::time::Time;
use labs_shared::images::MediaVariant;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::rules::RelatedReason;
use crate::media::MediaKind;
use crate::public_pictures::PictureSource;
use crate::versions::ListingPermission;

/// An app as the storefront shows it, in one locale: the snapshot submitted with the published version, with the
/// current names of vendor and categories and the current rating.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct Listing {
    /// Slug in URLs.
    pub(super) slug: String,
    /// UUID of the listed app.
    pub(super) app_uuid: Uuid,
    /// Name of the app.
    pub(super) name: String,
    /// One line below the name.
    pub(super) tagline: String,
    /// Plain text. An empty line separates paragraphs.
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
    pub(super) permissions: Vec<ListingPermission>,
    /// Icon of the listing. Null if the listing has no icon.
    pub(super) icon: Option<ListingIcon>,
    /// The banner, then the screenshots in order. The icon is in `icon`.
    pub(super) media: Vec<ListingMedia>,
    /// Ratings and customer reviews in numbers.
    pub(super) rating: ListingRating,
    /// Links to further information.
    pub(super) links: ListingLinks,
    /// Time when the app was first published on the storefront.
    pub(super) first_published_at: Time,
    /// Time when the content shown here was published.
    pub(super) published_at: Time,
}

/// Partner that offers the app.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ListingVendor {
    /// Slug in URLs.
    pub(super) slug: String,
    /// Name of the company on the storefront.
    pub(super) name: String,
    /// Whether the platform has verified the identity of the company.
    pub(super) verified: bool,
}

/// A category of the listing.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct ListingCategory {
    /// Slug in URLs.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
    /// Whether the category is the listing's primary category.
    primary: bool,
}

/// Version that customers currently use.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ListingVersion {
    /// Semantic version number.
    pub(super) number: String,
    /// Time when the version was published.
    pub(super) published_at: Time,
    /// Release notes in the best matching locale. Null if none were written.
    pub(super) release_notes: Option<String>,
}

/// A square image that represents the app.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ListingIcon {
    /// Id used to request the image content with a token.
    pub(super) media_uuid: Uuid,
    /// Media type of the content.
    pub(super) media_type: String,
    /// Size of the original, in pixels.
    pub(super) width: i32,
    /// Size of the original, in pixels.
    pub(super) height: i32,
    /// Text alternative for readers who cannot see the image.
    pub(super) alt_text: Option<String>,
    /// Scaled renditions for pages, narrowest first.
    pub(super) sources: Vec<PictureSource>,
}

/// A media item of the listing. Its bytes never change. While the listing shows it, clients get its content from the
/// URLs in `sources` or by its id.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ListingMedia {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// Kind of media item.
    pub(super) kind: MediaKind,
    /// Position among the media items of its kind.
    pub(super) position: i32,
    /// Text alternative for readers who cannot see the image.
    pub(super) alt_text: Option<String>,
    /// Text shown below the image, in one line.
    pub(super) caption: Option<String>,
    /// Media type of the content.
    pub(super) media_type: String,
    /// Size of the original, in pixels.
    pub(super) width: i32,
    /// Size of the original, in pixels.
    pub(super) height: i32,
    /// Available sizes of the content, largest first.
    pub(super) variants: Vec<MediaVariant>,
    /// Scaled renditions for pages, narrowest first.
    pub(super) sources: Vec<PictureSource>,
}

/// Aggregate customer rating, from published customer reviews.
#[derive(Clone, Copy, Debug, Serialize, OutputType)]
pub(crate) struct ListingRating {
    /// Mean star rating, with two decimals. Null without customer reviews.
    average: Option<f64>,
    /// Number of published customer reviews.
    count: i32,
}

impl ListingRating {
    /// Builds the rating from the columns, which contain the average 0 without customer reviews.
    pub(crate) fn new(average: f64, count: i32) -> Self {
        Self { average: Some(average).filter(|_| count > 0), count }
    }
}

/// Contact data and links for readers.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ListingLinks {
    /// URL of a help centre or contact page.
    pub(super) support_url: Option<String>,
    /// E-mail address of customer support.
    pub(super) support_email: Option<String>,
    /// URL of the privacy policy.
    pub(super) privacy_url: Option<String>,
    /// URL of the app's website.
    pub(super) website_url: Option<String>,
    /// URL of the terms of use.
    pub(super) terms_url: Option<String>,
}

/// A listing as an entry in a list.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct ListingSummary {
    /// Slug in URLs.
    pub(super) slug: String,
    /// UUID of the listed app.
    pub(super) app_uuid: Uuid,
    /// Name of the app.
    pub(super) name: String,
    /// One line below the name.
    pub(super) tagline: String,
    /// Locale of the texts in this object.
    pub(crate) locale: String,
    /// Partner that offers the app.
    pub(super) vendor: ListingVendor,
    /// Active categories of the listing, the primary category first.
    pub(super) categories: Vec<ListingCategory>,
    /// Icon of the listing. Null if the listing has no icon.
    pub(super) icon: Option<ListingIcon>,
    /// Ratings and customer reviews in numbers.
    pub(super) rating: ListingRating,
    /// Semantic version number of the published version.
    pub(super) version_number: String,
    /// Time when the app was first published on the storefront.
    pub(super) first_published_at: Time,
    /// Time when the content shown here was published.
    pub(super) published_at: Time,
}

/// A current or former version of the listing, as it was published.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ListingRelease {
    /// Semantic version number.
    pub(super) number: String,
    /// Time when the version was published.
    pub(super) published_at: Time,
    /// Whether this is the version that customers currently use.
    pub(super) is_current: bool,
    /// Locale of the release notes. Null if none were written.
    pub(super) locale: Option<String>,
    /// Release notes in the best matching locale. Null if none were written.
    pub(super) release_notes: Option<String>,
    /// Permissions that this version has and the previously published version did not have. For the first published
    /// version: all its permissions. A permission with a different reason does not count as new.
    pub(super) permissions_added: Vec<ListingPermission>,
    /// Permissions that the previously published version had and this version does not have.
    pub(super) permissions_removed: Vec<ListingPermission>,
}

/// A listing that may interest readers of another listing.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct RelatedListing {
    /// Shared property of the two listings. The response states one reason, even if several apply.
    pub(super) reason: RelatedReason,
    /// Related listing.
    pub(super) listing: ListingSummary,
}

/// All listings related to one listing.
#[derive(Serialize, OutputType)]
pub(super) struct RelatedListingList {
    /// Related listings, in display order.
    pub(super) data: Vec<RelatedListing>,
    /// The complete result is returned in one page, so a next page never exists.
    pub(super) page: Page,
}

/// A page of search results, with the facets of the whole result.
#[derive(Serialize, OutputType)]
#[describe(paged)]
pub(super) struct ListingList {
    /// Entries of this page, in the requested order.
    pub(super) data: Vec<ListingSummary>,
    /// Cursor information of the page.
    pub(super) page: Page,
    /// Distribution of the whole result.
    pub(super) facets: Arc<ListingFacets>,
    /// Original search text, if no listing contains its words and the service searched for similar words: “Results for
    /// `corrected_to`. Nothing has `corrected_from`.” Null if the service corrected no word.
    pub(super) corrected_from: Option<String>,
    /// Corrected search text, in lower case without accents. Null if `corrected_from` is null.
    pub(super) corrected_to: Option<String>,
    /// Words of `q` that no listing of the result contains, because no listing contains all words: “Results without
    /// `left_out`.” Empty if the listings of the result contain all words.
    pub(super) left_out: Vec<String>,
}

/// Distribution of the whole result, the same on every page. Each facet applies all filters except its own, so that a
/// reader sees the effect of another choice.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct ListingFacets {
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, OutputType)]
pub(super) struct CategoryFacet {
    /// Slug in URLs.
    pub(super) slug: String,
    /// Name of the category in the best matching locale.
    pub(super) name: String,
    /// Slug of the parent category. Null at the root.
    pub(super) parent_slug: Option<String>,
    /// Number of listings.
    pub(super) count: i32,
}

/// A vendor, with the number of its listings in the result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, OutputType)]
pub(super) struct VendorFacet {
    /// Slug in URLs.
    pub(super) slug: String,
    /// Name of the company.
    pub(super) name: String,
    /// Whether the platform has verified the identity of the company.
    pub(super) verified: bool,
    /// Number of listings.
    pub(super) count: i32,
}

/// A locale, with the number of result listings that have texts in it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, OutputType)]
pub(super) struct LanguageFacet {
    /// Locale of the texts.
    pub(super) locale: String,
    /// Number of listings.
    pub(super) count: i32,
}

/// A minimum rating, with the number of result listings that reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(super) struct RatingFacet {
    /// Number of stars.
    pub(super) at_least: i32,
    /// Number of listings.
    pub(super) count: i32,
}
