//! Resolvers of collections for the storefront.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, Rows};
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::{List, Page};
use serde::Serialize;

use super::list::{CollectionMembership, LISTINGS, ON_SHOW, Reader, ShownRow};
use super::store;
use crate::listings::ListingSummary;

/// A visible curated collection.
#[derive(Serialize, OutputType)]
pub(super) struct PublicCollection {
    /// Slug in URLs.
    slug: String,
    /// Title of the collection in the best matching locale.
    title: String,
    /// Description of the collection's theme, in the best matching locale.
    description: Option<String>,
    /// Number of its listings that are currently on the storefront.
    listings_count: i32,
    /// The first twelve of these listings, in the collection's order.
    listings: Vec<ListingSummary>,
}

impl ShownRow {
    /// Converts the row to the public form, with image URLs below `pictures_url`.
    fn into_view(self, pictures_url: &str) -> PublicCollection {
        let row = self;
        let listings = row.first.map(|first| first.0).unwrap_or_default().into_iter();
        PublicCollection {
            slug: row.slug,
            title: row.title,
            description: row.description,
            listings_count: row.listings_count,
            listings: listings.map(|listing| listing.into_view(pictures_url)).collect(),
        }
    }
}

/// A visible curated collection, with a page of its listings.
#[derive(Serialize, OutputType)]
#[describe(paged)]
pub(super) struct PublicCollectionDetail {
    /// Slug in URLs.
    slug: String,
    /// Title of the collection in the best matching locale.
    title: String,
    /// Description of the collection's theme, in the best matching locale.
    description: Option<String>,
    /// Number of its listings that are currently on the storefront, across all pages.
    listings_count: i32,
    /// Listings on this page, in the collection's order.
    data: Vec<ListingSummary>,
    /// Cursor information of the page.
    page: Page,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_public_collections_list, marketplace_public_collections_get];

/// List public collections.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 25))]
async fn marketplace_public_collections_list(
    cx: &RequestContext,
    locale: Option<String>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<PublicCollection>, Fault> {
    let reader = Reader { locale: preference(locale) };
    let Rows { rows, page } = ON_SHOW.page(cx, &reader, &PageRequest::new(None, limit, cursor)).await?;
    cx.note_languages(rows.iter().filter_map(|row| row.locale.as_ref()));
    let pictures_url = &cx.services.settings.pictures_url;
    let data: Vec<PublicCollection> = rows.into_iter().map(|row| row.into_view(pictures_url)).collect();
    cx.note_languages(data.iter().flat_map(|collection| &collection.listings).map(|listing| &listing.locale));
    Ok(List { data, page })
}

/// Get a public collection.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 25))]
async fn marketplace_public_collections_get(
    cx: &RequestContext,
    collection_slug: String,
    locale: Option<String>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<PublicCollectionDetail, Fault> {
    let locale = preference(locale);
    let found = store::get_visible(&cx.db, &collection_slug, locale.as_deref()).await?;
    let found = found.ok_or_else(|| Fault::not_found("collection"))?;
    if found.slug != collection_slug {
        return Err(Fault::moved("collection_slug", found.slug));
    }
    let of = CollectionMembership { collection_uuid: found.collection_uuid, locale };
    let Rows { rows, page } = LISTINGS.page(cx, &of, &PageRequest::new(None, limit, cursor)).await?;
    let pictures_url = &cx.services.settings.pictures_url;
    let data: Vec<ListingSummary> = rows.into_iter().map(|row| row.listing.into_view(pictures_url)).collect();
    cx.note_languages(found.locale.iter().chain(data.iter().map(|listing| &listing.locale)));
    Ok(PublicCollectionDetail {
        slug: found.slug,
        title: found.title,
        description: found.description,
        listings_count: found.listings_count,
        data,
        page,
    })
}
