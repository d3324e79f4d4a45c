//! The baseline: handlers as an engineer would write them by hand with axum, sqlx and serde, around the service's own
//! statements, pool and token check. No contract, budget or idempotency. Each file has the handlers of one domain,
//! their rows, and the cases that compare them with the service.

pub(crate) mod apps;
pub(crate) mod board;
pub(crate) mod changelog;
pub(crate) mod clients;
pub(crate) mod comments;
mod kept;
pub(crate) mod listings;
pub(crate) mod reviews;
pub(crate) mod search;
pub(crate) mod suggestions;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use labs_schema::Engine;
use labs_schema::principal::Principal;
use labs_schema::scope::Scope;
use serde::Serialize;
use uuid::Uuid;

use crate::cases::CASES;
#[cfg(test)]
use crate::statements::Statement;

/// Number of entries per page.
const PAGE: usize = 20;

/// Returns the router of all handlers. Cases that request the same path share a handler.
pub(crate) fn router(engine: Engine) -> Router {
    let mut routes: Vec<&str> = Vec::new();
    let mut router = Router::new();
    for case in CASES {
        if !routes.contains(&case.route) {
            routes.push(case.route);
            router = router.route(case.route, (case.handler)());
        }
    }
    router.with_state(engine)
}

/// Returns the statements of all handlers.
#[cfg(test)]
pub(crate) fn statements() -> impl Iterator<Item = &'static Statement> {
    let lists = [
        &apps::STATEMENTS[..],
        &board::STATEMENTS,
        &changelog::STATEMENTS,
        &clients::STATEMENTS,
        &comments::STATEMENTS,
        &reviews::STATEMENTS,
        &search::STATEMENTS,
        &suggestions::STATEMENTS,
    ];
    lists.into_iter().flatten().copied().collect::<Vec<_>>().into_iter()
}

/// The principal of the request's bearer token.
struct Bearer(Arc<Principal>);

impl FromRequestParts<Engine> for Bearer {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, engine: &Engine) -> Result<Self, Refusal> {
        authenticate(engine, &parts.headers).await.map(Self)
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
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) StatusCode);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        crate::report::complain(&error.to_string());
        Self(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Self {
        crate::report::complain(&format!("{error:#}"));
        Self(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// Page of a list.
#[derive(Serialize)]
struct List<T> {
    data: Vec<T>,
    page: Page,
}

/// End of a page.
#[derive(Serialize)]
struct Page {
    next_cursor: Option<String>,
    has_more: bool,
}

impl Page {
    /// Removes the row that only shows whether more rows follow. `cursor` returns the cursor after the last row.
    fn cut<T>(rows: &mut Vec<T>, cursor: impl FnOnce(&T) -> String) -> Self {
        let has_more = rows.len() > PAGE;
        rows.truncate(PAGE);
        Self { next_cursor: rows.last().filter(|_| has_more).map(cursor), has_more }
    }
}

/// Returns a new id.
#[expect(clippy::disallowed_methods, reason = "no test moves the benchmark's clock")]
pub(crate) fn fresh_uuid() -> Uuid {
    Uuid::now_v7()
}
