//! Lists of one listing for the storefront: its media, its versions and related listings.

use std::collections::HashMap;

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::{List, Page};
use uuid::Uuid;

use crate::listings::list::{
    CHOSEN, ChosenListings, ListingMediaFilter, OfListing, OfReader, PICTURES, RELEASES, ReleaseRow,
};
use crate::listings::rules::{self, RelatedReason};
use crate::listings::store;
use crate::listings::types::{ListingMedia, ListingRelease, ListingSummary, RelatedListing, RelatedListingList};
use crate::release::permissions_only_in;
use crate::versions::AppPermission;

/// Default number of related listings (the contract's `marketplace_listings_list_related`).
const RELATED: usize = 12;
/// Maximum number of related listings.
const MOST_RELATED: usize = 20;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_listings_list_media,
    marketplace_listings_list_versions,
    marketplace_listings_list_related,
];

/// List a listing's media.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 600))]
async fn marketplace_listings_list_media(
    cx: &RequestContext,
    listing_slug: String,
    filter: Option<ListingMediaFilter>,
    locale: Option<String>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<ListingMedia>, Fault> {
    let of = OfListing { slug: listing_slug, filter: filter.unwrap_or_default(), locale: preference(locale) };
    let found = PICTURES.page(cx, &of, &PageRequest::new(None, limit, cursor)).await?;
    if found.rows.is_empty() {
        ensure_visible(cx, &of.slug).await?;
    }
    let pictures_url = &cx.services.settings.pictures_url;
    Ok(found.map(|row| Ok(row.into_view(pictures_url)))?.list())
}

/// List a listing's versions.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 600))]
async fn marketplace_listings_list_versions(
    cx: &RequestContext,
    listing_slug: String,
    locale: Option<String>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<ListingRelease>, Fault> {
    let of = OfReader { slug: listing_slug, locale: preference(locale) };
    let found = RELEASES.page(cx, &of, &PageRequest::new(None, limit, cursor)).await?;
    if found.rows.is_empty() {
        ensure_visible(cx, &of.slug).await?;
    }
    cx.note_languages(found.rows.iter().filter_map(|row| row.locale.as_ref()));
    Ok(found.map(|row| Ok(into_release(row, of.locale.as_deref())))?.list())
}

/// List related listings.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 600))]
async fn marketplace_listings_list_related(
    cx: &RequestContext,
    listing_slug: String,
    locale: Option<String>,
    limit: Option<i32>,
) -> Result<RelatedListingList, Fault> {
    let found = store::related_page(&cx.db, &listing_slug).await?;
    if found.is_empty() {
        ensure_visible(cx, &listing_slug).await?;
    }
    let most = limit.and_then(|limit| usize::try_from(limit).ok()).map_or(RELATED, |limit| limit.min(MOST_RELATED));
    let data = load_related(cx, rules::mix(&found, most), preference(locale)).await?;
    cx.note_languages(data.iter().map(|related| &related.listing.locale));
    Ok(RelatedListingList { data, page: Page { next_cursor: None, has_more: false } })
}

/// Rejects the request if the listing is not visible.
async fn ensure_visible(cx: &RequestContext, slug: &str) -> Result<(), Fault> {
    if store::is_visible(&cx.db, slug).await? { Ok(()) } else { Err(Fault::not_found("listing")) }
}

/// Loads the displayed columns of chosen listings, in their order, and omits listings that were removed in between.
async fn load_related(
    cx: &RequestContext,
    chosen: Vec<(RelatedReason, Uuid)>,
    locale: Option<String>,
) -> Result<Vec<RelatedListing>, Fault> {
    let chosen_uuids = chosen.iter().map(|(_, app_uuid)| *app_uuid).collect();
    let most = i32::try_from(chosen.len().max(1)).unwrap_or(i32::MAX);
    let page = PageRequest::new(None, Some(most), None);
    let shown = CHOSEN.page(cx, &ChosenListings { app_uuids: chosen_uuids, locale }, &page).await?.rows.into_iter();
    let pictures_url = &cx.services.settings.pictures_url;
    let mut shown: HashMap<Uuid, ListingSummary> =
        shown.map(|row| (row.app_uuid, row.into_view(pictures_url))).collect();
    let views = chosen.into_iter().filter_map(|(reason, app_uuid)| {
        let listing = shown.remove(&app_uuid)?;
        Some(RelatedListing { reason, listing })
    });
    Ok(views.collect())
}

/// Converts a version to the form for a reader with this preference.
fn into_release(row: ReleaseRow, preference: Option<&str>) -> ListingRelease {
    let own = row.permissions.map(|permissions| permissions.0).unwrap_or_default();
    let former = row.former_permissions.map(|permissions| permissions.0).unwrap_or_default();
    let for_reader = |permissions: Vec<AppPermission>| {
        permissions.into_iter().map(|permission| permission.for_reader(preference)).collect()
    };
    ListingRelease {
        number: row.number,
        published_at: row.published_at,
        is_current: row.is_current,
        locale: row.locale,
        release_notes: row.release_notes,
        permissions_added: for_reader(permissions_only_in(&own, &former)),
        permissions_removed: for_reader(permissions_only_in(&former, &own)),
    }
}
