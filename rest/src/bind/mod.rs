//! Binds an HTTP request to the variables of a fixed document (ARCHITECTURE.md).
//!
//! The contract's schemas convert text to JSON and validate it. An invalid request is rejected before anything runs,
//! with all errors at once, each with its name.

mod attachments;
mod body;
mod condition;
mod form;
mod headers;
mod json;
mod media;
pub(crate) mod orders;
mod path;
mod percent;
mod query;
mod refusal;
mod text;

use bytes::Bytes;
use http::HeaderMap;
use serde_json::{Map, Value};

use crate::contract::{Contract, Operation};
pub use attachments::Attachment;
pub(crate) use body::VARIABLE as BODY;
pub use condition::{Condition, EntityTag};
pub use media::form;
pub(crate) use media::{EMPTY_OBJECT, has_body, is_coded, refuse_body};
pub use path::path;
pub(crate) use percent::query_pairs;
use refusal::ErrorCollector;
pub use refusal::Refusal;

/// A request with its complete body.
pub struct Request<'a> {
    /// Values of the path parameters, from [`path`].
    pub path: &'a Map<String, Value>,
    /// The raw query, without the question mark.
    pub query: Option<&'a str>,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// Bytes of the body; empty for a request without a body.
    pub body: Bytes,
}

/// The values that a request binds to its document.
#[derive(Debug, Default)]
pub struct BoundRequest {
    /// Path and query parameters by name, other header parameters in snake_case, the body as `body`. Omitted values
    /// without a default are absent.
    pub variables: Map<String, Value>,
    /// `Idempotency-Key`, if the operation accepts it and it was sent.
    pub idempotency_key: Option<String>,
    /// `If-Match`, if the operation accepts it and it was sent.
    pub if_match: Option<Condition>,
    /// `If-None-Match`, if the operation accepts it and it was sent.
    pub if_none_match: Option<Condition>,
    /// Files of a multipart body, or the one body that is raw bytes.
    pub attachments: Vec<Attachment>,
}

impl BoundRequest {
    /// Returns the fingerprint that identifies a repeated request under one `Idempotency-Key`: SHA-256 of every
    /// variable and every file.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let mut context = aws_lc_rs::digest::Context::new(&aws_lc_rs::digest::SHA256);
        context.update(&serde_json::to_vec(&self.variables).unwrap_or_default());
        for file in &self.attachments {
            context.update(&file.bytes);
        }
        let mut fingerprint = [0; 32];
        fingerprint.copy_from_slice(context.finish().as_ref());
        fingerprint
    }
}

/// Binds a request to its operation. It does not wait for input: the body is complete.
///
/// # Errors
/// In this order: [`Refusal::UnsupportedMediaType`], then [`Refusal::Malformed`] or [`Refusal::Invalid`] with all
/// errors in query, headers and body (docs/decisions/api.md#problem-documents).
pub async fn bind(contract: &Contract, operation: &Operation, request: Request<'_>) -> Result<BoundRequest, Refusal> {
    let mut bound = BoundRequest { variables: request.path.clone(), ..BoundRequest::default() };
    let form = form(operation, request.headers)?;
    let mut findings = ErrorCollector::default();
    let mut checked = query::read(operation, request.query, &mut findings);
    headers::read(operation, request.headers, &mut checked, &mut bound, &mut findings);
    text::check(contract, operation, &mut checked, &mut findings);
    body::read(contract, operation, form, &request, &mut bound, &mut findings).await?;
    bound.variables.append(&mut checked);
    findings.into_result().map(|()| bound)
}

/// Reads a JSON text that belongs to no operation (the playground's), under the same limits.
///
/// # Errors
/// A sentence that describes the error.
pub fn value(bytes: &[u8]) -> Result<Value, String> {
    let mut findings = ErrorCollector::default();
    let value = json::read(bytes, &mut findings);
    match findings.into_result() {
        Err(Refusal::Malformed { detail, .. }) => Err(detail),
        Err(Refusal::Invalid { errors }) => {
            Err(errors.into_iter().map(|error| error.message).next().unwrap_or_default())
        }
        _ => value.ok_or_else(|| "The body is not valid JSON.".to_owned()),
    }
}

#[cfg(test)]
mod tests;
