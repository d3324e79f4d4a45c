//! Search of the storefront with facets: by words, and the page of a category.

use axum::Json;
use axum::extract::{Query, State};
use axum::routing::get;
use labs_schema::Engine;
use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json as Column;
use uuid::Uuid;

use super::kept::Kept;
use super::listings::{Category, Icon, IconRow, Rating, Vendor};
use super::{Bearer, Page, Refusal};
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

const ROUTE: &str = "/v1/marketplace/public/listings";

/// A search with a word of every listing, in one of thirty categories.
pub(crate) static SEARCH: Case = Case {
    name: "marketplace_listings_search",
    bar: 0.9,
    caller: Caller::Partner,
    route: ROUTE,
    handler: || get(search),
    request: |_, at| load::get(&format!("{ROUTE}?q=table&category=category-{}", 1 + at.drawn() % 30), None),
    varying: &[],
};

/// The page of one of thirty categories.
pub(crate) static CATEGORY: Case = Case {
    name: "marketplace_listings_search (a category)",
    request: |_, at| load::get(&format!("{ROUTE}?category=category-{}", 1 + at.drawn() % 30), None),
    ..SEARCH
};

static BY_RELEVANCE: Statement = Statement::with(&[
    "listing_fit(",
    "and c.slug = any($2))) is true)), query as materialized",
    "desc limit 1) as t order by found.rank desc, found.rating_score desc, found.app_uuid desc limit 21",
]);
static BY_TIME: Statement = Statement::with(&[
    "select 0 as rank, l.slug",
    "where (l.visible) and ((l.app_uuid in (select lc.app_uuid",
    "and c.slug = any($2))) is true) order by l.published_at desc, l.app_uuid desc limit 21",
]);
/// The service counts facets in memory; a handler counts them in the database.
const FACETS: &str = include_str!("facets.sql");
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 2] = [&BY_RELEVANCE, &BY_TIME];

/// Facets by the stamp of the storefront and the question.
static KNOWN: Kept<Facets> = Kept::new();

#[derive(Debug, Deserialize)]
struct Question {
    q: Option<String>,
    category: Option<String>,
}

async fn search(
    State(engine): State<Engine>,
    bearer: Bearer,
    Query(question): Query<Question>,
) -> Result<Json<Found>, Refusal> {
    bearer.require("storefront")?;
    let statement = if question.q.is_some() { &BY_RELEVANCE } else { &BY_TIME };
    let texts = ["".to_owned(), question.q.clone().unwrap_or_default()];
    let category: Vec<String> = question.category.iter().cloned().collect();
    let mut rows: Vec<FoundRow> = sqlx::query_as(statement.text()?)
        .bind(texts.as_slice())
        .bind(category.as_slice())
        .fetch_all(engine.pool())
        .await?;
    let page = Page::cut(&mut rows, |row| format!("{}~{}~{}", row.rank, row.rating_score, row.app_uuid));
    let stamp = rows.first().map(|row| row.stamp.clone()).unwrap_or_default();
    let facets = KNOWN.get(format!("{stamp} {question:?}"), facets(&engine, &question.q, &category)).await?;
    let pictures_url = &engine.services().settings.pictures_url;
    let data = rows.into_iter().map(|row| row.summary(pictures_url)).collect();
    Ok(Json(Found { data, page, facets, corrected_from: None, corrected_to: None, left_out: Vec::new() }))
}

async fn facets(engine: &Engine, q: &Option<String>, category: &[String]) -> Result<Facets, Refusal> {
    let query = sqlx::query_as::<_, FacetsRow>(FACETS).bind(None::<String>).bind(q).bind(category);
    let query = query.bind(None::<String>).bind(None::<f64>).bind(None::<Vec<String>>).bind(None::<bool>);
    let row = query.fetch_one(engine.pool()).await?;
    let ratings = [4, 3, 2, 1].into_iter().zip(row.ratings);
    Ok(Facets {
        total: row.total,
        categories: row.categories.map(|categories| categories.0).unwrap_or_default(),
        languages: row.languages.map(|languages| languages.0).unwrap_or_default(),
        ratings: ratings.map(|(at_least, count)| RatingFacet { at_least, count }).collect(),
        vendors: row.vendors.map(|vendors| vendors.0).unwrap_or_default(),
        verified: row.verified,
    })
}

#[derive(FromRow)]
struct FoundRow {
    slug: String,
    app_uuid: Uuid,
    name: String,
    tagline: String,
    locale: String,
    vendor_slug: String,
    vendor_name: String,
    vendor_verified: bool,
    categories: Option<Column<Vec<Category>>>,
    icon: Option<Column<IconRow>>,
    rating_average: f64,
    rating_count: i32,
    rating_score: i64,
    version_number: String,
    first_published_at: Time,
    published_at: Time,
    rank: i32,
    stamp: String,
}

impl FoundRow {
    fn summary(self, pictures_url: &str) -> Summary {
        Summary {
            slug: self.slug,
            app_uuid: self.app_uuid,
            name: self.name,
            tagline: self.tagline,
            locale: self.locale,
            vendor: Vendor { slug: self.vendor_slug, name: self.vendor_name, verified: self.vendor_verified },
            categories: self.categories.map(|categories| categories.0).unwrap_or_default(),
            icon: self.icon.map(|icon| icon.0.icon(pictures_url)),
            rating: Rating::new(self.rating_average, self.rating_count),
            version_number: self.version_number,
            first_published_at: self.first_published_at,
            published_at: self.published_at,
        }
    }
}

#[derive(FromRow)]
struct FacetsRow {
    total: i32,
    categories: Option<Column<Vec<CategoryFacet>>>,
    languages: Option<Column<Vec<LanguageFacet>>>,
    ratings: Vec<i32>,
    vendors: Option<Column<Vec<VendorFacet>>>,
    verified: i32,
}

#[derive(Serialize)]
struct Found {
    data: Vec<Summary>,
    page: Page,
    facets: std::sync::Arc<Facets>,
    corrected_from: Option<String>,
    corrected_to: Option<String>,
    left_out: Vec<String>,
}

#[derive(Serialize)]
struct Summary {
    slug: String,
    app_uuid: Uuid,
    name: String,
    tagline: String,
    locale: String,
    vendor: Vendor,
    categories: Vec<Category>,
    icon: Option<Icon>,
    rating: Rating,
    version_number: String,
    first_published_at: Time,
    published_at: Time,
}

#[derive(Serialize)]
struct Facets {
    total: i32,
    categories: Vec<CategoryFacet>,
    languages: Vec<LanguageFacet>,
    ratings: Vec<RatingFacet>,
    vendors: Vec<VendorFacet>,
    verified: i32,
}

#[derive(Deserialize, Serialize)]
struct CategoryFacet {
    slug: String,
    name: String,
    parent_slug: Option<String>,
    count: i32,
}

#[derive(Deserialize, Serialize)]
struct LanguageFacet {
    locale: String,
    count: i32,
}

#[derive(Serialize)]
struct RatingFacet {
    at_least: i32,
    count: i32,
}

#[derive(Deserialize, Serialize)]
struct VendorFacet {
    slug: String,
    name: String,
    verified: bool,
    count: i32,
}
