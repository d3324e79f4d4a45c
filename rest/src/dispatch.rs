//! Dispatches a request to an operation of the contract, or to one of the other paths.

mod layers;
mod operation;
mod pages;
mod readable;

use std::sync::Arc;

use axum::Router;

use crate::rest::Rest;

/// Builds the HTTP service: the operations of the contract, the pages and the playground. The operations have their own
/// routing, because axum's router rejects paths with a custom verb.
pub fn router(rest: &Arc<Rest>) -> Router {
    layers::wrap(rest)
}
