//! Resolvers of listings for the storefront.

mod lists;

use std::sync::Arc;

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::Rows;
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_shared::images::{MediaVariantName, deliver};
use uuid::Uuid;

use super::index::get_facets;
use super::list::{FoundRow, ListingFilter, ListingSort, Search};
use super::store::{self, ListingKey};
use super::types::{Listing, ListingFacets, ListingList};
use crate::public_cache::{PublicCache, get_stamp};

pub(crate) use lists::OPERATIONS as LISTS_OPERATIONS;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_listings_search, marketplace_listings_get, marketplace_listings_get_media_content];

/// Search listings.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 25))]
async fn marketplace_listings_search(
    cx: &RequestContext,
    filter: Option<ListingFilter>,
    locale: Option<String>,
    sort: Option<ListingSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<ListingList, Fault> {
    let mut search = Search::new(filter.unwrap_or_default(), preference(locale));
    let mut found = search.page(cx, sort, limit, cursor.clone()).await?;
    let mut substitute = match &search.typed {
        Some(typed) if found.rows.is_empty() => store::get_substitute(&cx.db, typed, search.locale.as_deref()).await?,
        _ => None,
    };
    if let Some(other) = &substitute {
        search.substitute = Some(other.text.clone());
        found = search.page(cx, sort, limit, cursor).await?;
        if found.rows.is_empty() {
            (search.substitute, substitute) = (None, None);
        }
    }
    let facets = facets(cx, &search, found.rows.first()).await?;
    let is_respelt = substitute.as_ref().is_some_and(|other| other.is_respelt);
    let left_out = substitute.map(|other| other.left_out).unwrap_or_default();
    let corrected_to = search.substitute.filter(|_| is_respelt);
    let corrected_from = search.typed.filter(|_| is_respelt);
    let (Rows { rows, page }, pictures_url) = (found, &cx.services.settings.pictures_url);
    let data: Vec<_> = rows.into_iter().map(|row| row.into_view(pictures_url)).collect();
    cx.note_languages(data.iter().map(|listing| &listing.locale));
    Ok(ListingList { data, page, facets, corrected_from, corrected_to, left_out })
}

/// Get a listing.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 600))]
async fn marketplace_listings_get(
    cx: &RequestContext,
    listing_slug: String,
    locale: Option<String>,
) -> Result<Listing, Fault> {
    let key = ListingKey { slug: listing_slug, locale: preference(locale) };
    let db = cx.db.outside_transaction();
    let found = if cx.db.may_share() {
        let each = move |keys| {
            let db = db.clone();
            async move { db.limit_time(store::get_each(&db, keys)).await }
        };
        cx.services.state::<PublicCache>().listings.get(key, each).await?
    } else {
        store::get_each(&db, vec![key]).await?.pop().flatten()
    };
    let listing = found.ok_or_else(|| Fault::not_found("listing"))?.into_view(&cx.services.settings.pictures_url);
    cx.note_language(&listing.locale);
    Ok(listing)
}

/// Get the content of a listing's media item.
#[operation(query, access = "storefront", may_lag, answers_file)]
async fn marketplace_listings_get_media_content(
    cx: &RequestContext,
    listing_slug: String,
    media_uuid: Uuid,
    variant: Option<MediaVariantName>,
) -> Result<bool, Fault> {
    let found = store::get_media(&cx.db, &listing_slug, media_uuid).await?;
    let shown = found.ok_or_else(|| Fault::not_found("media item of this listing"))?;
    let called = format!("{listing_slug}-{}", shown.called);
    deliver(cx, &shown.stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
    Ok(true)
}

/// Returns the facets of the result. The stamp of the first row identifies the state of the storefront.
async fn facets(cx: &RequestContext, search: &Search, first: Option<&FoundRow>) -> Result<Arc<ListingFacets>, Fault> {
    let stamp = match first {
        Some(row) => row.stamp.clone(),
        None => get_stamp(&cx.db).await?,
    };
    get_facets(cx, search, &stamp).await
}
