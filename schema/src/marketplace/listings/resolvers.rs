//! What a storefront may ask of listings.

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::pictures;
use super::rules;
use super::store::{self, Filter, FoundRow};
use super::types::{Listing, ListingFacets, ListingList, ListingMediaSize};
use crate::access::access;
use crate::ask::Asking;
use crate::fault::Fault;
use crate::page::Window;
use crate::whole::Whole;

/// Reads of listings by the storefront.
#[derive(Default)]
pub(crate) struct ListingsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ListingsQuery {
    /// Full-text search over what is published, with filters, order and facets.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the promise")]
    #[graphql(directive = access::apply("storefront".into()))]
    async fn marketplace_listings_search(
        &self,
        ctx: &Context<'_>,
        q: Option<String>,
        category: Option<Vec<String>>,
        partner: Option<String>,
        rating_from: Option<f64>,
        language: Option<Vec<String>>,
        locale: Option<String>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<ListingList, Fault> {
        let ask = ctx.ask();
        let words = q.as_deref().and_then(rules::words);
        let order = rules::order(sort.as_deref(), words.is_some())?;
        let filter = Filter { words, categories: category, partner, rating_from, languages: language, locale };
        let list = "marketplace_listings_search";
        let window = Window::read(&ask.services.cursors, list, &(order, &filter), limit, cursor.as_deref())?;
        let rows = store::page(&ask.db, &filter, order, &window).await?;
        let facets = if ctx.look_ahead().field("facets").exists() {
            store::facets_get(&ask.db, &filter).await?
        } else {
            ListingFacets::default()
        };
        let (rows, page) = window.cut(rows, |row: &FoundRow| row.keys(order));
        Ok(ListingList { data: rows.into_iter().map(Into::into).collect(), page, facets })
    }

    /// One published listing in the best locale.
    #[graphql(directive = access::apply("storefront".into()))]
    async fn marketplace_listings_get(
        &self,
        ctx: &Context<'_>,
        listing_slug: String,
        locale: Option<String>,
    ) -> Result<Whole<Listing>, Fault> {
        let found = store::get(&ctx.ask().db, &listing_slug, locale.as_deref()).await?;
        found.map(Whole).ok_or_else(|| Fault::not_found("listing"))
    }

    /// The bytes of a picture that a listing shows, in one of four sizes. They leave beside the answer.
    #[graphql(directive = access::apply("storefront".into()))]
    async fn marketplace_listings_get_media_content(
        &self,
        ctx: &Context<'_>,
        listing_slug: String,
        media_uuid: Uuid,
        #[graphql(default_with = "ListingMediaSize::Original")] variant: ListingMediaSize,
    ) -> Result<bool, Fault> {
        let ask = ctx.ask();
        let found = store::media_get(&ask.db, &listing_slug, media_uuid).await?;
        let row = found.ok_or_else(|| Fault::not_found("picture of this listing"))?;
        pictures::deliver(ask, &listing_slug, row, variant).await?;
        Ok(true)
    }
}
