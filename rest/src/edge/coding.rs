//! The codings that a caller takes answers in (RFC 9110 section 12.5.3).

use axum::BoxError;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

/// What follows the entity tag of a representation in the one that a coding made of it.
const MARKS: [(&str, &str); 2] = [("gzip", "-gzip"), ("br", "-br")];

/// Marks an answer whose coding is settled, so that it is not compressed on its way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled;

/// Marks an answer of which the caller wants nothing but the tag, whatever it is: it asked with `If-None-Match: *`. Which
/// form would leave is known only when its coding is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnlyTag;

/// Lets every answer go out as it is when nothing better is taken. The library would call it 406 once the operation
/// is done, which denies what was committed; the RFC lets a server answer as if nothing had been asked for.
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

/// Tells the coded form of a representation by its entity tag from the plain one, because a strong tag stands for the
/// same bytes (RFC 9110 section 8.8.3.3), and leaves out the representation of [`OnlyTag`].
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

fn without_content(mut response: Response<Body>) -> Response<Body> {
    *response.body_mut() = Body::empty();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    for name in [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_LENGTH, header::CONTENT_DISPOSITION] {
        response.headers_mut().remove(name);
    }
    response
}

/// An entity tag without what its coding added: whoever holds one form of a representation has read it.
pub(crate) fn strip_coding_mark(tag: &str) -> &str {
    MARKS.iter().find_map(|(_, mark)| tag.strip_suffix(mark)).unwrap_or(tag)
}

/// Whether the form that an entity tag was given for is one that the caller takes. Who says nothing of codings takes all.
pub(crate) fn is_taken(tag: &str, headers: &HeaderMap) -> bool {
    let coding = MARKS.iter().find(|(_, mark)| tag.ends_with(mark)).map(|(name, _)| *name);
    coding.is_none_or(|coding| !headers.contains_key(header::ACCEPT_ENCODING) || takes(headers, &[coding]))
}

/// Whether the caller takes gzip, by its name or as one of all.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    takes(headers, &["gzip", "x-gzip"])
}

fn takes(headers: &HeaderMap, coding: &[&str]) -> bool {
    let sent = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let listed: Vec<(String, bool)> = sent.flat_map(|value| value.split(',')).map(parse_coding).collect();
    let told = |names: &[&str]| listed.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, taken)| *taken);
    told(coding).or_else(|| told(&["*"])).unwrap_or(false)
}

/// A coding of the list, and whether its weight is more than nothing.
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
    fn each_coding_of_a_representation_has_a_tag_of_its_own() {
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
    fn of_an_answer_whose_tag_alone_is_wanted_the_tag_of_its_form_is_left() {
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
    fn gzip_is_taken_when_it_or_all_is_named_with_a_weight() {
        let takes = |sent: &str| {
            takes_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_str(sent).unwrap())]))
        };
        for sent in ["gzip", "br, GZIP;q=0.5", "x-gzip", "*", "identity;q=0, *;q=0.1"] {
            assert!(takes(sent), "{sent}");
        }
        for sent in ["", "br", "identity", "gzip;q=0", "gzip; q=0.000, *", "*;q=0"] {
            assert!(!takes(sent), "{sent}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
