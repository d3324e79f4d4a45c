//! Which way a request goes: to an operation of the contract, or to one of the paths beside it.

mod layers;
mod operation;
mod pages;
mod readable;

use std::sync::Arc;

use axum::Router;

use crate::rest::Rest;

/// The service over HTTP: the contract's operations, which find their routes themselves, because the library's own router
/// refuses paths with a custom verb; the pages and the playground beside them.
pub fn router(rest: &Arc<Rest>) -> Router {
    layers::around(rest)
}
