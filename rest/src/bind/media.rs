//! Which of the media types that an operation reads has the body?

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};

use super::refusal::Refusal;
use crate::contract::{BodyForm, BodyKind, FieldCode, FieldError, Operation};

/// The form that the body's `Content-Type` names. None when the request brings no body. It looks at
/// headers only, so that the refusal comes before the body is read.
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] when the type is missing, doubled, none of the operation's, or
/// in another character encoding than UTF-8, and when the body is coded; [`Refusal::Invalid`] for a body where none is
/// read.
pub fn form<'o>(operation: &'o Operation, headers: &HeaderMap) -> Result<Option<&'o BodyForm>, Refusal> {
    let Some(body) = &operation.body else {
        let is_small = length(headers).is_none_or(|length| length <= EMPTY_OBJECT);
        let is_readable = is_small && !(is_coded(headers) && brings_body(headers));
        return if is_readable { Ok(None) } else { Err(unread()) };
    };
    let refusal = || Refusal::UnsupportedMediaType { accepted: body.media_types().map(str::to_owned).collect() };
    if is_coded(headers) {
        return Err(Refusal::UnsupportedCoding);
    }
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = types.next() else {
        return if brings_body(headers) { Err(refusal()) } else { Ok(None) };
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

/// Most bytes of a body that is an empty object, with some white space.
pub(crate) const EMPTY_OBJECT: usize = 16;

/// Whether a body says nothing: it is empty, or the empty object that several HTTP clients send with every POST.
pub(super) fn says_nothing(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    let inside = body.strip_prefix(b"{").and_then(|body| body.strip_suffix(b"}"));
    body.is_empty() || inside.is_some_and(|inside| inside.trim_ascii().is_empty())
}

/// The refusal of a body where none is read: a caller who sends one means something by it.
pub(crate) fn unread() -> Refusal {
    let message = "This operation does not accept a body. Omit it, or send {}.";
    Refusal::Invalid { errors: vec![FieldError::pointer("", FieldCode::NotAllowed, message)] }
}

/// Whether the headers announce a body.
pub(crate) fn brings_body(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH).map(|length| length.as_bytes() != b"0");
    length.unwrap_or_else(|| headers.contains_key(TRANSFER_ENCODING))
}

/// The length that the headers announce; none where they announce none.
fn length(headers: &HeaderMap) -> Option<usize> {
    let length = headers.get(CONTENT_LENGTH)?;
    // A length that is no number is none of an empty object.
    Some(length.to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX))
}

/// Whether a body comes in a coding, gzip for example (RFC 9110 section 8.4). Nothing is decoded here: a little of it may
/// hold far more than a body may have.
pub(crate) fn is_coded(headers: &HeaderMap) -> bool {
    let names = headers.get_all(CONTENT_ENCODING).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    names.map(<[u8]>::trim_ascii).any(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"))
}

/// Whether a media type of the contract, possibly a range, covers one that was sent.
fn covers(range: &str, essence: &str) -> bool {
    match range.strip_suffix('*') {
        Some("*/") => essence.contains('/'),
        Some(prefix) => essence.starts_with(prefix),
        None => range == essence,
    }
}

/// Whether a parameter of a content type leaves the text UTF-8.
fn is_utf8(parameter: &str) -> bool {
    match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    }
}
