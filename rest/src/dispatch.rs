//! Dispatches a request to an operation of the contract, or to one of the other paths.

mod layers;
mod operation;
mod pages;
mod readable;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use http::Response;

use crate::rest::Rest;

/// Builds the HTTP service: the operations of the contract, the pages and the playground. The operations have their own
/// routing, because axum's router rejects paths with a custom verb.
pub fn router(rest: &Arc<Rest>) -> Router {
    layers::wrap(rest)
}

/// Dispatches a request that the service itself makes, to an operation of the contract. It takes the same steps as a
/// request of a client behind the layers, which the response does not need.
pub(crate) async fn call(rest: &Arc<Rest>, request: Request) -> Response<Body> {
    operation::operation(State(Arc::clone(rest)), request).await
}
