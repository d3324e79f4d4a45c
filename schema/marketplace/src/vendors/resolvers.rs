//! Resolvers of vendors for the storefront.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use labs_shared::images::{MediaVariant, MediaVariantName, PartnerImageKind, deliver};
use serde::Serialize;
use uuid::Uuid;

use super::store::{self, ImageRow, VendorRow};
use crate::listings::ListingRating;
use crate::public_pictures::PictureSource;

/// A partner as the storefront shows it, in one locale.
#[derive(Serialize, OutputType)]
pub(super) struct Vendor {
    /// Slug in URLs.
    slug: String,
    /// Name of the company.
    name: String,
    /// Whether the platform has verified the identity of the company.
    verified: bool,
    /// One line below the name.
    tagline: String,
    /// Plain text. An empty line separates paragraphs.
    description: String,
    /// Locale of the texts in this object.
    locale: String,
    /// All locales of the profile's texts, the default locale first.
    locales: Vec<String>,
    /// Links to further information.
    links: VendorLinks,
    /// Languages in which the company supports its customers.
    languages: Vec<String>,
    /// Regions of the company's customers.
    regions: Vec<String>,
    /// Images of the profile, the logo first.
    imagery: Vec<VendorImage>,
    /// Number of the partner's listings on the storefront. The search returns them with the filter `partner`.
    listings_count: i32,
    /// Customer rating across all these listings. Each listing is weighted by its number of customer reviews.
    rating: ListingRating,
    /// Time when a profile of this partner was first published.
    first_published_at: Time,
    /// Time when the content shown here was published.
    published_at: Time,
}

/// Links for readers.
#[derive(Serialize, OutputType)]
pub(super) struct VendorLinks {
    /// URL of the company's website.
    website_url: Option<String>,
}

/// An image of the profile. Its bytes are available by its kind. A different image has a different id.
#[derive(Serialize, OutputType)]
pub(super) struct VendorImage {
    /// UUID of the object.
    uuid: Uuid,
    /// Kind of image.
    kind: PartnerImageKind,
    /// Text alternative for readers who cannot see the image.
    alt_text: Option<String>,
    /// Media type of the content.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// Available sizes, largest first.
    variants: Vec<MediaVariant>,
    /// Scaled renditions for pages, narrowest first.
    sources: Vec<PictureSource>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![marketplace_vendors_get, marketplace_vendors_get_image];

/// Get a vendor.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 600))]
async fn marketplace_vendors_get(
    cx: &RequestContext,
    partner_slug: String,
    locale: Option<String>,
) -> Result<Vendor, Fault> {
    let row = store::get(&cx.db, &partner_slug, preference(locale).as_deref()).await?;
    let row = row.ok_or_else(|| Fault::not_found("partner"))?;
    cx.note_language(&row.locale);
    Ok(row.into_view(&cx.services.settings.pictures_url))
}

/// Get a vendor's image.
#[operation(query, access = "storefront", may_lag, answers_file)]
async fn marketplace_vendors_get_image(
    cx: &RequestContext,
    partner_slug: String,
    kind: PartnerImageKind,
    variant: Option<MediaVariantName>,
) -> Result<bool, Fault> {
    let stored = store::get_stored(&cx.db, &partner_slug, kind.name()).await?;
    let stored = stored.ok_or_else(|| Fault::not_found("image of this partner"))?;
    let called = format!("{partner_slug}-{}", kind.name().to_ascii_lowercase());
    deliver(cx, &stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
    Ok(true)
}

impl VendorRow {
    /// Converts the row to the public form, with image URLs below `pictures_url`.
    fn into_view(self, pictures_url: &str) -> Vendor {
        let row = self;
        let imagery = row.imagery.map(|imagery| imagery.0).unwrap_or_default().into_iter();
        Vendor {
            slug: row.slug,
            name: row.company_name,
            verified: row.verified,
            tagline: row.tagline,
            description: row.description,
            locale: row.locale,
            locales: row.locales,
            links: VendorLinks { website_url: row.website_url },
            languages: row.languages.0,
            regions: row.regions.0,
            imagery: imagery.map(|image| image.into_view(pictures_url)).collect(),
            listings_count: row.listings_count,
            rating: ListingRating::new(row.rating_average, row.rating_count),
            first_published_at: row.first_published_at,
            published_at: row.published_at,
        }
    }
}

impl ImageRow {
    fn into_view(self, pictures_url: &str) -> VendorImage {
        let row = self;
        VendorImage {
            sources: PictureSource::all(pictures_url, row.renditions),
            variants: MediaVariant::all(&row.original, &row.variants),
            uuid: row.image_uuid,
            kind: row.kind,
            alt_text: row.alt_text,
            media_type: row.original.media_type,
            width: row.original.width,
            height: row.original.height,
        }
    }
}
