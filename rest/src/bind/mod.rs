//! From an HTTP request to the variables of a fixed document (ARCHITECTURE.md).
//!
//! Text becomes JSON by the contract's schemas, is checked against them, and what does not fit is
//! refused before anything runs: everything that is wrong at once, each by name.

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
pub(crate) use media::{EMPTY_OBJECT, brings_body, is_coded, unread};
pub use path::path;
pub(crate) use percent::query_pairs;
use refusal::Findings;
pub use refusal::Refusal;

/// A request as it came, with its body read whole.
pub struct Request<'a> {
    /// The values of the path's parameters, from [`path`].
    pub path: &'a Map<String, Value>,
    /// The raw query, without the question mark.
    pub query: Option<&'a str>,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body's bytes; empty when there is none.
    pub body: Bytes,
}

/// What a request binds to its document.
#[derive(Debug, Default)]
pub struct Bound {
    /// Path and query parameters by name, other header parameters in snake_case, the body as `body`.
    /// What was left out and has no default is not among them.
    pub variables: Map<String, Value>,
    /// `Idempotency-Key`, if the operation takes it and it came.
    pub idempotency_key: Option<String>,
    /// `If-Match`, likewise.
    pub if_match: Option<Condition>,
    /// `If-None-Match`, likewise.
    pub if_none_match: Option<Condition>,
    /// The files of a multipart body, or the one body that is bytes as they are.
    pub attachments: Vec<Attachment>,
}

impl Bound {
    /// What makes a repeat under one `Idempotency-Key` the same request: SHA-256 of every variable and every file.
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

/// Binds a request to its operation. It waits for nothing: the body is there.
///
/// # Errors
/// In this order: [`Refusal::UnsupportedMediaType`], then [`Refusal::Malformed`] or [`Refusal::Invalid`] with
/// everything that is wrong in query, headers and body (docs/decisions.md#errors).
pub async fn bind(contract: &Contract, operation: &Operation, request: Request<'_>) -> Result<Bound, Refusal> {
    let mut bound = Bound { variables: request.path.clone(), ..Bound::default() };
    let form = form(operation, request.headers)?;
    let mut findings = Findings::default();
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
/// What is wrong with it, in a sentence.
pub fn value(bytes: &[u8]) -> Result<Value, String> {
    let mut findings = Findings::default();
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
