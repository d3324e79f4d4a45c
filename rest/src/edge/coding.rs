//! The codings that a caller takes answers in (RFC 9110 section 12.5.3).

use axum::extract::Request;
use http::{HeaderMap, HeaderValue, header};

/// Marks an answer whose coding is settled, so that it is not compressed on its way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled;

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

/// Whether the caller takes gzip, by its name or as one of all.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let sent = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let listed: Vec<(String, bool)> = sent.flat_map(|value| value.split(',')).map(wanted).collect();
    let told = |names: &[&str]| listed.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, taken)| *taken);
    told(&["gzip", "x-gzip"]).or_else(|| told(&["*"])).unwrap_or(false)
}

/// A coding of the list, and whether its weight is more than nothing.
fn wanted(entry: &str) -> (String, bool) {
    let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
    let weight = weight.replace(' ', "").to_ascii_lowercase();
    let refused = weight.strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok()) == Some(0.0);
    (name.trim().to_ascii_lowercase(), !refused)
}

#[cfg(test)]
mod tests {
    use super::*;

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
