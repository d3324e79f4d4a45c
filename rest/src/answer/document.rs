//! Writes a document as a response: with its entity tag and, for a file, the requested range.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use labs_core::Fault;
use labs_core::context::{Document, DocumentContent};

use super::{AnswerContext, attachment, range, repr_digest, write_conditional};
use crate::front::coding::{CodingSettled, OnlyTag};
use crate::front::headers;

/// Writes a document.
///
/// # Errors
/// [`labs_core::Code::PreconditionFailed`] if `If-Match` has another tag, [`labs_core::Code::RangeNotSatisfiable`]
/// if the range is outside the file.
pub(super) fn answer(requested: &AnswerContext<'_>, document: Document) -> Result<Response<Body>, Fault> {
    let Document { media_type, etag, content } = document;
    let mut head = Response::new(Body::empty());
    headers::text(head.headers_mut(), header::CONTENT_TYPE, &media_type);
    headers::text(head.headers_mut(), header::ETAG, &format!("\"{etag}\""));
    let conditions = (requested.if_match, requested.if_none_match);
    let (file_name, sha256, length, open) = match content {
        DocumentContent::Text(bytes) => {
            return write_conditional(head.map(|_| Body::from(bytes)), conditions, requested.headers);
        }
        DocumentContent::File { file_name, sha256, length, open } => (file_name, sha256, length, open),
    };
    // A content coding would be another representation, with another digest and other ranges.
    head.extensions_mut().insert(CodingSettled);
    let mut response = write_conditional(head, conditions, requested.headers)?;
    // Conditions are evaluated before ranges (RFC 9110 section 13.2.2).
    if response.status() != StatusCode::OK || response.extensions().get::<OnlyTag>().is_some() {
        return Ok(response);
    }
    // Only GET supports ranges (RFC 9110 section 14.2).
    let part = if requested.is_head { None } else { range::requested_part(requested.headers, &etag, length)? };
    let out = response.headers_mut();
    headers::text(out, header::CONTENT_DISPOSITION, &attachment(&file_name));
    repr_digest(out, &sha256);
    out.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let part_range = part.clone().unwrap_or(0..length);
    out.insert(header::CONTENT_LENGTH, HeaderValue::from(part_range.end.saturating_sub(part_range.start)));
    if let Some(part) = part {
        let last = part.end.saturating_sub(1);
        headers::text(out, header::CONTENT_RANGE, &format!("bytes {}-{last}/{length}", part.start));
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    if !requested.is_head {
        *response.body_mut() = Body::from_stream(open(part_range));
    }
    Ok(response)
}
