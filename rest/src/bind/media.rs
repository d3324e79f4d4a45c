//! Selects the media type of the body among the operation's media types.

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};

use super::refusal::Refusal;
use crate::contract::{BodyForm, BodyKind, FieldCode, FieldError, Operation};

/// Returns the form that the body's `Content-Type` names; none if the request has no body. Only headers are read, so
/// that the service can reject the request before it reads the body.
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] if the type is missing, duplicated, not one of the operation's, or has another
/// character encoding than UTF-8, and if the body is coded; [`Refusal::Invalid`] for a body to an operation without
/// one.
pub fn form<'o>(operation: &'o Operation, headers: &HeaderMap) -> Result<Option<&'o BodyForm>, Refusal> {
    let Some(body) = &operation.body else {
        let is_small = length(headers).is_none_or(|length| length <= EMPTY_OBJECT);
        let is_readable = is_small && !(is_coded(headers) && has_body(headers));
        return if is_readable { Ok(None) } else { Err(refuse_body()) };
    };
    let refusal = || Refusal::UnsupportedMediaType { accepted: body.media_types().map(str::to_owned).collect() };
    if is_coded(headers) {
        return Err(Refusal::UnsupportedCoding);
    }
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = types.next() else {
        return if has_body(headers) { Err(refusal()) } else { Ok(None) };
    };
    if types.next().is_some() {
        return Err(refusal());
    }
    let value = value.to_str().map_err(|_| refusal())?;
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let form = body.forms.iter().find(|form| covers(&form.media_type, &essence)).ok_or_else(refusal)?;
    if matches!(form.kind, BodyKind::Json | BodyKind::MergePatch | BodyKind::Form) && !parts.all(is_utf8) {
        return Err(refusal());
    }
    Ok(Some(form))
}

/// Maximum length in bytes of a body that is an empty object, with some white space.
pub(crate) const EMPTY_OBJECT: usize = 16;

/// Whether a body has no content: it is empty, or the empty object that several HTTP clients send with every POST.
pub(super) fn is_empty_body(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    let inside = body.strip_prefix(b"{").and_then(|body| body.strip_suffix(b"}"));
    body.is_empty() || inside.is_some_and(|inside| inside.trim_ascii().is_empty())
}

/// Returns the error of a body to an operation without one: the caller expects it to have an effect.
pub(crate) fn refuse_body() -> Refusal {
    let message = "This operation does not accept a body. Omit it, or send {}.";
    Refusal::Invalid { errors: vec![FieldError::pointer("", FieldCode::NotAllowed, message)] }
}

/// Whether the headers announce a body.
pub(crate) fn has_body(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH).map(|length| length.as_bytes() != b"0");
    length.unwrap_or_else(|| headers.contains_key(TRANSFER_ENCODING))
}

/// Returns the length that the headers announce, if any.
fn length(headers: &HeaderMap) -> Option<usize> {
    let length = headers.get(CONTENT_LENGTH)?;
    // An invalid length is never the length of an empty object.
    Some(length.to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX))
}

/// Whether the body has a content coding, for example gzip (RFC 9110 section 8.4). The service decodes none: a small
/// coded body may expand far beyond the size limit.
pub(crate) fn is_coded(headers: &HeaderMap) -> bool {
    let names = headers.get_all(CONTENT_ENCODING).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    names.map(<[u8]>::trim_ascii).any(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"))
}

/// Whether a media type of the contract, possibly a range, covers the sent one.
fn covers(range: &str, essence: &str) -> bool {
    match range.strip_suffix('*') {
        Some("*/") => essence.contains('/'),
        Some(prefix) => essence.starts_with(prefix),
        None => range == essence,
    }
}

/// Whether a parameter of a content type is compatible with UTF-8.
fn is_utf8(parameter: &str) -> bool {
    match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    }
}
