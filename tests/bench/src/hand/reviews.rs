//! The customer reviews of a listing, with the distribution of their ratings.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use labs_schema::Engine;
use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;

use super::{Bearer, Page, Refusal};
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

/// The customer reviews of a listing, a different one each time.
pub(crate) static CASE: Case = Case {
    name: "marketplace_listings_list_reviews",
    bar: 0.9,
    caller: Caller::Partner,
    route: "/v1/marketplace/public/listings/{slug}/reviews",
    handler: || get(list),
    request: |numbers, at| {
        load::get(&format!("/v1/marketplace/public/listings/app-{}/reviews", 1 + at.drawn() % numbers.apps), None)
    },
    varying: &[],
};

static APP: Statement = Statement::with(&["select app_uuid from listing where slug = $1 and visible"]);
static REVIEWS: Statement = Statement::with(&[
    "join listing as l on l.app_uuid = r.app_uuid where (r.app_uuid = $1) and (r.state = 'PUBLISHED') \
     order by r.has_text::integer desc, r.written_at desc, r.review_uuid desc limit 21",
]);
static SPREAD: Statement = Statement::with(&["as \"counts!\" from customer_rating where app_uuid = $1"]);
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 3] = [&APP, &REVIEWS, &SPREAD];

async fn list(
    State(engine): State<Engine>,
    bearer: Bearer,
    Path(slug): Path<String>,
) -> Result<Json<Reviews>, Refusal> {
    bearer.require("storefront")?;
    let mut connection = engine.pool().acquire().await?;
    let app: Option<Uuid> = sqlx::query_scalar(APP.text()?).bind(slug).fetch_optional(&mut *connection).await?;
    let app = app.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let mut data: Vec<Review> = sqlx::query_as(REVIEWS.text()?).bind(app).fetch_all(&mut *connection).await?;
    let counts: Vec<i32> = sqlx::query_scalar(SPREAD.text()?).bind(app).fetch_one(&mut *connection).await?;
    drop(connection);
    let page = Page::cut(&mut data, |review| format!("{}~{}", review.written_at, review.uuid));
    Ok(Json(Reviews { data, page, ratings: Ratings::new(&counts) }))
}

#[derive(Serialize)]
struct Reviews {
    data: Vec<Review>,
    page: Page,
    ratings: Ratings,
}

#[derive(FromRow, Serialize)]
struct Review {
    uuid: Uuid,
    rating: i32,
    title: Option<String>,
    body: Option<String>,
    locale: String,
    version_number: Option<String>,
    is_current_version: bool,
    written_at: Time,
    #[sqlx(json(nullable))]
    reply: Option<Reply>,
}

#[derive(Deserialize, Serialize)]
struct Reply {
    body: String,
    replied_at: Time,
    to_earlier_text: bool,
}

#[derive(Serialize)]
struct Ratings {
    average: Option<f64>,
    count: i32,
    stars: Vec<Stars>,
}

#[derive(Serialize)]
struct Stars {
    rating: i32,
    count: i32,
}

impl Ratings {
    /// Computes the mean of the counts, from five stars down to one, with two decimals.
    fn new(counts: &[i32]) -> Self {
        let stars: Vec<Stars> =
            (1..=5).rev().zip(counts).map(|(rating, count)| Stars { rating, count: *count }).collect();
        let count: i32 = stars.iter().map(|star| star.count).sum();
        let sum: i32 = stars.iter().map(|star| star.rating * star.count).sum();
        let average = (count > 0).then(|| (f64::from(sum) / f64::from(count) * 100.0).round() / 100.0);
        Self { average, count, stars }
    }
}
