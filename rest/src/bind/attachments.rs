//! `multipart/form-data` bodies: fields and files (RFC 7578).

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value};

use super::refusal::ErrorCollector;
use super::{Request, form};
use crate::contract::{BodyForm, Contract, FieldCode, FieldError, below, quote_name};

/// Maximum number of parts of a body.
const MOST_PARTS: usize = 50;

/// A file that was sent with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Name of the part; `body` if the file is the whole body.
    pub name: String,
    /// File name as sent; never use it as a trusted path.
    pub file_name: Option<String>,
    /// Media type as sent; decide by the content.
    pub media_type: String,
    /// Content of the file.
    pub bytes: Bytes,
}

/// The parts of a body.
pub(super) struct Parts {
    /// Fields by name, typed by their schemas.
    pub(super) fields: Map<String, Value>,
    /// Files in the order sent.
    pub(super) files: Vec<Attachment>,
}

/// Reads the parts. If they cannot be read, the function records the reason and returns none.
pub(super) async fn read(
    contract: &Contract,
    form: &BodyForm,
    request: &Request<'_>,
    findings: &mut ErrorCollector,
) -> Option<Parts> {
    let mut parts = Parts { fields: Map::new(), files: Vec::new() };
    match read_parts(contract, form, request, &mut parts, findings).await {
        Ok(()) => Some(parts),
        Err(StopReason::Unreadable) => {
            let detail = "The service cannot parse the multipart body. Separate its parts with the boundary named in \
                          Content-Type.";
            findings.add_malformed(detail);
            None
        }
        Err(StopReason::Noted) => None,
    }
}

/// Reason why reading stopped.
enum StopReason {
    Unreadable,
    Noted,
}

async fn read_parts(
    contract: &Contract,
    form: &BodyForm,
    request: &Request<'_>,
    parts: &mut Parts,
    findings: &mut ErrorCollector,
) -> Result<(), StopReason> {
    let mut multipart = open(request).await?;
    while let Some(part) = multipart.next_field().await.map_err(|_| StopReason::Unreadable)? {
        let Some(name) = part.name().map(str::to_owned) else {
            findings.add_malformed("A part of the multipart body has no name. Name every part.");
            return Err(StopReason::Noted);
        };
        let file_name = part.file_name().map(quote_name);
        let media_type = part.content_type().unwrap_or("application/octet-stream").to_owned();
        let bytes = part.bytes().await.map_err(|_| StopReason::Unreadable)?;
        let known = parts.fields.contains_key(&name) || parts.files.iter().any(|file| file.name == name);
        if known {
            findings.add_malformed_at(form::err_duplicate_field(&name));
            return Err(StopReason::Noted);
        }
        if parts.fields.len() + parts.files.len() >= MOST_PARTS {
            findings.add_malformed(format!("Send at most {MOST_PARTS} parts."));
            return Err(StopReason::Noted);
        }
        if is_file(contract, form, &name) {
            parts.files.push(Attachment { name, file_name, media_type, bytes });
        } else {
            text(contract, form, &name, &bytes, parts, findings);
        }
    }
    Ok(())
}

async fn open(request: &Request<'_>) -> Result<Multipart, StopReason> {
    let content_type = request.headers.get(CONTENT_TYPE).ok_or(StopReason::Unreadable)?;
    let mut whole = http::Request::builder()
        .method(http::Method::POST)
        .header(CONTENT_TYPE, content_type)
        .body(Body::from(request.body.clone()))
        .map_err(|_| StopReason::Unreadable)?;
    // The edge has already limited the body.
    DefaultBodyLimit::disable().apply(&mut whole);
    Multipart::from_request(whole, &()).await.map_err(|_| StopReason::Unreadable)
}

fn text(
    contract: &Contract,
    form: &BodyForm,
    name: &str,
    bytes: &[u8],
    parts: &mut Parts,
    findings: &mut ErrorCollector,
) {
    let pointer = below("", name);
    let Ok(text) = std::str::from_utf8(bytes) else {
        let message = "This field is not valid UTF-8. Encode its text as UTF-8.";
        findings.add_malformed_at(FieldError::pointer(pointer, FieldCode::Syntax, message));
        return;
    };
    if let Some(value) = form::field(contract, form, name, text, findings) {
        parts.fields.insert(name.to_owned(), value);
    }
}

/// Whether the form's schema declares this part as a file.
fn is_file(contract: &Contract, form: &BodyForm, name: &str) -> bool {
    let schema = contract.resolve(contract.schema(form.schema));
    let property = schema.get("properties").and_then(|properties| properties.get(name));
    property.is_some_and(|property| contract.is_file(property))
}
