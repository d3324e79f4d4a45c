//! The baseline: handlers as an engineer would write them by hand, around the service's own statements, pool and token
//! check. No contract, budget, idempotency or audit.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch};
use axum::{Json, Router};
use labs_schema::Engine;
use labs_schema::principal::Principal;
use labs_schema::scope::Scope;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::hand_of_board;
use crate::rows::{Client, ClientRow, Listing, ListingRow};
use crate::rows_of_apps::{App, AppRow, DraftRow};
use crate::statements;

struct Hand {
    engine: Engine,
    listing: &'static str,
    apps: &'static str,
    app: &'static str,
    client: &'static str,
    hold: &'static str,
    present: &'static str,
    set_draft: &'static str,
}

/// Returns the router of the handlers.
pub(crate) fn router(engine: Engine) -> anyhow::Result<Router> {
    let of_board = hand_of_board::router(engine.clone())?;
    let hand = Arc::new(Hand {
        engine,
        listing: statements::LISTING,
        apps: statements::apps()?,
        app: statements::app()?,
        client: statements::client()?,
        hold: statements::hold()?,
        present: statements::present()?,
        set_draft: statements::set_draft()?,
    });
    Ok(Router::new()
        .route("/v1/marketplace/public/listings/{slug}", get(listing_get))
        .route("/v1/marketplace/apps", get(apps_list))
        .route("/v1/marketplace/apps/{uuid}", patch(app_update))
        .route("/v1/admin/machine-clients/{uuid}", get(client_get))
        .with_state(hand)
        .merge(of_board))
}

/// The principal of the request's bearer token.
struct Bearer(Arc<Principal>);

impl FromRequestParts<Arc<Hand>> for Bearer {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, hand: &Arc<Hand>) -> Result<Self, Refusal> {
        authenticate(&hand.engine, &parts.headers).await.map(Self)
    }
}

/// Returns the principal of the bearer token, by the service's own check.
pub(crate) async fn authenticate(engine: &Engine, headers: &HeaderMap) -> Result<Arc<Principal>, Refusal> {
    let text = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = text.and_then(|text| text.strip_prefix("Bearer ")).ok_or(Refusal(StatusCode::UNAUTHORIZED))?;
    let known = engine.authenticate(token, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
    known.map_err(|_| Refusal(StatusCode::UNAUTHORIZED))
}

impl Bearer {
    fn require(&self, scope: &'static str) -> Result<(), Refusal> {
        let scope = Scope::parse(scope).ok_or(Refusal(StatusCode::INTERNAL_SERVER_ERROR))?;
        self.0.require(scope).map_err(|_| Refusal(StatusCode::FORBIDDEN))
    }
}

/// Status of an error response.
pub(crate) struct Refusal(pub(crate) StatusCode);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        crate::report::complain(&error);
        Self(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

async fn listing_get(
    State(hand): State<Arc<Hand>>,
    bearer: Bearer,
    Path(slug): Path<String>,
) -> Result<Json<Listing>, Refusal> {
    bearer.require("storefront")?;
    let row: Option<ListingRow> =
        sqlx::query_as(hand.listing).bind(slug).bind(None::<String>).fetch_optional(hand.engine.pool()).await?;
    Ok(Json(row.ok_or(Refusal(StatusCode::NOT_FOUND))?.into()))
}

#[derive(Serialize)]
pub(crate) struct Page {
    pub(crate) next_cursor: Option<String>,
    pub(crate) has_more: bool,
}

#[derive(Serialize)]
struct AppList {
    data: Vec<App>,
    page: Page,
}

async fn apps_list(State(hand): State<Arc<Hand>>, bearer: Bearer) -> Result<Json<AppList>, Refusal> {
    bearer.require("marketplace.apps")?;
    let mut rows: Vec<AppRow> =
        sqlx::query_as(hand.apps).bind(bearer.0.partner_uuid).fetch_all(hand.engine.pool()).await?;
    let has_more = rows.len() > 20;
    rows.truncate(20);
    let last = rows.last().filter(|_| has_more);
    let next_cursor = last.map(|row| format!("{}~{}", row.created_at, row.app_uuid));
    Ok(Json(AppList { data: rows.into_iter().map(App::from).collect(), page: Page { next_cursor, has_more } }))
}

#[derive(Deserialize)]
struct Change {
    tagline: String,
}

async fn app_update(
    State(hand): State<Arc<Hand>>,
    bearer: Bearer,
    Path(uuid): Path<Uuid>,
    Json(change): Json<Change>,
) -> Result<Json<App>, Refusal> {
    bearer.require("marketplace.apps:write")?;
    let owner = bearer.0.partner_uuid;
    let mut transaction = hand.engine.pool().begin().await?;
    sqlx::query(hand.hold).bind(uuid).bind(owner).fetch_one(&mut *transaction).await?;
    let draft: DraftRow =
        sqlx::query_as(hand.present).bind(uuid).bind(owner).bind(None::<String>).fetch_one(&mut *transaction).await?;
    sqlx::query(hand.set_draft)
        .bind(uuid)
        .bind(draft.slug)
        .bind(draft.default_locale)
        .bind(draft.support_email)
        .bind(draft.support_url)
        .bind(draft.privacy_url)
        .bind(draft.website_url)
        .bind(draft.terms_url)
        .bind(draft.locale)
        .bind(draft.name)
        .bind(change.tagline)
        .bind(draft.description)
        .bind(fresh_uuid())
        .bind("MACHINE_CLIENT")
        .bind(bearer.0.uuid)
        .bind(["tagline"].as_slice())
        .execute(&mut *transaction)
        .await?;
    let row: AppRow = sqlx::query_as(hand.app).bind(owner).bind(uuid).fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(Json(row.into()))
}

/// Returns a new id.
#[expect(clippy::disallowed_methods, reason = "no test moves the benchmark's clock")]
pub(crate) fn fresh_uuid() -> Uuid {
    Uuid::now_v7()
}

async fn client_get(
    State(hand): State<Arc<Hand>>,
    bearer: Bearer,
    Path(uuid): Path<Uuid>,
) -> Result<Json<Client>, Refusal> {
    bearer.require("labs.admin.clients")?;
    let row: Option<ClientRow> = sqlx::query_as(hand.client).bind(uuid).fetch_optional(hand.engine.pool()).await?;
    Ok(Json(row.ok_or(Refusal(StatusCode::NOT_FOUND))?.into()))
}
