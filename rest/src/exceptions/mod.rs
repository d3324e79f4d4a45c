//! What cannot be a question to the schema, named one by one: what is known without the database, the
//! contract itself, a verdict about another call, the pages, and the playground's door.

mod explain;
mod pages;
mod playground;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use http::{Response, request::Parts};
use labs_schema::Fault;
use labs_schema::ask::Caller;

use crate::contract::Operation;
use crate::rest::Rest;

pub use status::{Probe, Probes};

/// The operations that have no document.
pub const SERVED_DIRECTLY: &[&str] = &[
    "system_health_get",
    "system_readiness_get",
    "system_contract_get",
    "publication_api_reference_get",
    "system_me_explain",
];

/// The paths beside the contract: the pages and the playground's door.
pub(crate) fn router() -> Router<Arc<Rest>> {
    pages::router().merge(playground::router())
}

/// Answers an operation that has no document.
pub(crate) async fn serve(
    rest: &Rest,
    operation: &Operation,
    parts: &Parts,
    caller: &Caller,
    values: &[(&str, &str)],
) -> Result<Response<Body>, Fault> {
    match operation.id.as_str() {
        "system_health_get" => Ok(status::health()),
        "system_readiness_get" => Ok(status::readiness(rest).await),
        "system_contract_get" | "publication_api_reference_get" => Ok(status::contract(rest, parts)),
        "system_me_explain" => explain::explain(rest, operation, parts, caller, values).await,
        other => Err(Fault::internal(format!("{other} has neither a document nor an exception"))),
    }
}
