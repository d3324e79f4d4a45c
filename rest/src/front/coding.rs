//! Content codings that a caller accepts (RFC 9110 section 12.5.3).

use axum::BoxError;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

/// Minimum size of a compressed body, in bytes.
pub(crate) const WORTH_COMPRESSING: u64 = 1024;

/// Suffix of the entity tag of a coded representation.
const MARKS: [(&str, &str); 2] = [("gzip", "-gzip"), ("br", "-br")];

/// Marks a response that must not be compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodingSettled;

/// Marks a response to `If-None-Match: *`: the caller needs only the tag. The form that would be sent is known only
/// after the coding is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnlyTag;

/// Allows every response without a coding if no better one is accepted. The library would return 406 after the
/// operation has run, which hides a committed change; the RFC allows a server to ignore the header.
pub(crate) fn allow_identity(mut request: Request) -> Request {
    let headers = request.headers_mut();
    let sent: Vec<HeaderValue> = headers.get_all(header::ACCEPT_ENCODING).iter().cloned().collect();
    if !sent.is_empty() {
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity;q=0.001"));
        for value in sent {
            headers.append(header::ACCEPT_ENCODING, value);
        }
    }
    request
}

/// Distinguishes the entity tag of a coded form from the plain one, because a strong tag identifies exact bytes (RFC
/// 9110 section 8.8.3.3), and removes the body of an [`OnlyTag`] response.
pub(crate) fn mark_tag<B>(response: Response<B>) -> Response<Body>
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let mut response = response.map(Body::new);
    let headers = response.headers_mut();
    let coding = headers.get(header::CONTENT_ENCODING);
    if let Some((_, mark)) = coding.and_then(|coding| MARKS.iter().find(|(name, _)| coding == name)) {
        let plain = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()?.strip_suffix('"'));
        if let Some(marked) = plain.and_then(|plain| HeaderValue::from_str(&format!("{plain}{mark}\"")).ok()) {
            headers.insert(header::ETAG, marked);
        }
    }
    if response.extensions().get::<OnlyTag>().is_some() { without_content(response) } else { response }
}

/// Converts a response into 304 without the headers that describe its body.
pub(crate) fn without_content(mut response: Response<Body>) -> Response<Body> {
    *response.body_mut() = Body::empty();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    for name in [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_LENGTH, header::CONTENT_DISPOSITION] {
        response.headers_mut().remove(name);
    }
    response
}

/// Returns an entity tag without its coding suffix: every form of a representation has the same content.
pub(crate) fn strip_coding_mark(tag: &str) -> &str {
    MARKS.iter().find_map(|(_, mark)| tag.strip_suffix(mark)).unwrap_or(tag)
}

/// Whether the caller accepts the coding of an entity tag. Without `Accept-Encoding`, every coding is accepted.
pub(crate) fn is_taken(tag: &str, headers: &HeaderMap) -> bool {
    let coding = MARKS.iter().find(|(_, mark)| tag.ends_with(mark)).map(|(name, _)| *name);
    coding.is_none_or(|coding| !headers.contains_key(header::ACCEPT_ENCODING) || accepts(headers, &[coding]))
}

/// Whether the caller accepts brotli, by its name or by `*`.
pub(crate) fn accepts_brotli(headers: &HeaderMap) -> bool {
    accepts(headers, &["br"])
}

/// Whether the caller accepts gzip, by its name or by `*`.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    accepts(headers, &["gzip", "x-gzip"])
}

fn accepts(headers: &HeaderMap, coding: &[&str]) -> bool {
    let sent = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let listed: Vec<(String, bool)> = sent.flat_map(|value| value.split(',')).map(parse_coding).collect();
    let told = |names: &[&str]| listed.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, taken)| *taken);
    told(coding).or_else(|| told(&["*"])).unwrap_or(false)
}

/// Parses an entry of the list: the coding, and whether its weight is above zero.
fn parse_coding(entry: &str) -> (String, bool) {
    let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
    let weight = weight.replace(' ', "").to_ascii_lowercase();
    let refused = weight.strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok()) == Some(0.0);
    (name.trim().to_ascii_lowercase(), !refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_coding_has_its_etag() {
        let tag = |coding: &'static str| {
            let mut response = Response::new(Body::empty());
            response.headers_mut().insert(header::ETAG, HeaderValue::from_static("\"abc\""));
            if !coding.is_empty() {
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
            }
            mark_tag(response).headers()[header::ETAG].to_str().unwrap().to_owned()
        };
        assert_eq!(["", "gzip", "br"].map(tag), ["\"abc\"", "\"abc-gzip\"", "\"abc-br\""]);
        assert_eq!(["abc", "abc-gzip", "abc-br", "abc-zstd"].map(strip_coding_mark), ["abc", "abc", "abc", "abc-zstd"]);
        assert!(mark_tag(Response::new(Body::empty())).headers().is_empty());
    }

    #[test]
    fn etag_only_response_keeps_etag_of_its_coding() {
        let mut response = Response::new(Body::from("a body"));
        response.extensions_mut().insert(OnlyTag);
        for (name, value) in
            [(header::ETAG, "\"abc\""), (header::CONTENT_ENCODING, "gzip"), (header::CONTENT_TYPE, "text/plain")]
        {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        let left = mark_tag(response);
        assert_eq!((left.status(), left.headers().len()), (StatusCode::NOT_MODIFIED, 1));
        assert_eq!(left.headers()[header::ETAG], "\"abc-gzip\"");
    }

    #[test]
    fn gzip_is_used_if_accepted_with_positive_weight() {
        let accepts = |sent: &str| {
            accepts_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_str(sent).unwrap())]))
        };
        for sent in ["gzip", "br, GZIP;q=0.5", "x-gzip", "*", "identity;q=0, *;q=0.1"] {
            assert!(accepts(sent), "{sent}");
        }
        for sent in ["", "br", "identity", "gzip;q=0", "gzip; q=0.000, *", "*;q=0"] {
            assert!(!accepts(sent), "{sent}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
