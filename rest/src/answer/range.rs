//! `Range` and `If-Range`: the requested part of a file (RFC 9110 sections 13.1.5 and 14).

use std::ops::Range;

use http::{HeaderMap, header};
use labs_core::Fault;
use labs_core::fault::Reason;

/// Returns the requested range of a file with this length and tag. Returns none for the whole file: without `Range`,
/// with several ranges, with a malformed one, or if `If-Range` names another representation.
///
/// # Errors
/// [`labs_core::Code::RangeNotSatisfiable`] if the range begins after the last byte.
pub(super) fn requested_part(headers: &HeaderMap, tag: &str, length: u64) -> Result<Option<Range<u64>>, Fault> {
    let mut sent = headers.get_all(header::RANGE).iter();
    let Some(Part { first, last }) = sent.next().and_then(|value| value.to_str().ok()).and_then(Part::parse) else {
        return Ok(None);
    };
    if sent.next().is_some() || !is_same(headers, tag) {
        return Ok(None);
    }
    let (from, until) = match (first, last) {
        (Some(first), last) => (first, last.map_or(length, |last| last.saturating_add(1).min(length))),
        (None, last) => (length.saturating_sub(last.unwrap_or_default()), length),
    };
    if from >= until {
        let detail =
            format!("The file has {length} bytes, and Range starts after its end. Request a range within the file.");
        return Err(Fault::of(Reason::RangeNotSatisfiable(length), detail));
    }
    Ok(Some(from..until))
}

/// Whether `If-Range` is absent or names the current representation. A date never matches: the service sends none.
fn is_same(headers: &HeaderMap, tag: &str) -> bool {
    let mut sent = headers.get_all(header::IF_RANGE).iter();
    match (sent.next(), sent.next()) {
        (None, _) => true,
        (Some(named), None) => named.to_str().is_ok_and(|named| named.trim() == format!("\"{tag}\"")),
        (Some(_), Some(_)) => false,
    }
}

/// One range: from the first byte to the last one inclusive; without a first byte, a number of bytes at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    first: Option<u64>,
    last: Option<u64>,
}

impl Part {
    /// Reads one range in bytes; none for anything else.
    fn parse(sent: &str) -> Option<Self> {
        let (unit, part) = sent.split_once('=')?;
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (first, last) = part.trim().split_once('-')?;
        let part = Self { first: number(first)?, last: number(last)? };
        let is_reversed = part.first.zip(part.last).is_some_and(|(first, last)| last < first);
        let is_empty = part.first.is_none() && part.last.is_none();
        (!is_reversed && !is_empty).then_some(part)
    }
}

/// Reads a number or an empty text; none for anything else. A number that is too large counts as beyond every file.
fn number(text: &str) -> Option<Option<u64>> {
    if text.is_empty() {
        return Some(None);
    }
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| Some(text.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn of(sent: &[(HeaderName, &'static str)]) -> Result<Option<Range<u64>>, u64> {
        let headers = sent.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
        requested_part(&headers, "tag", 10).map_err(|fault| match fault.reason() {
            Reason::RangeNotSatisfiable(length) => *length,
            _ => 0,
        })
    }

    #[test]
    fn single_range_is_served_and_other_ranges_return_whole_body() {
        let part = |sent: &'static str| of(&[(header::RANGE, sent)]);
        for (sent, expected) in [
            ("bytes=0-0", 0..1),
            ("bytes=2-4", 2..5),
            ("BYTES= 2-4", 2..5),
            ("bytes=9-", 9..10),
            ("bytes=0-", 0..10),
            ("bytes=0-99999999999999999999999", 0..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
        ] {
            assert_eq!(part(sent), Ok(Some(expected)), "{sent}");
        }
        for sent in
            ["", "bytes", "bytes=", "bytes=-", "bytes=4-2", "bytes=0-1,3-4", "bytes=a-b", "bytes=+1-2", "lines=0-1"]
        {
            assert_eq!(part(sent), Ok(None), "{sent}");
        }
        for sent in ["bytes=10-", "bytes=10-20", "bytes=99999999999999999999999-", "bytes=-0"] {
            assert_eq!(part(sent), Err(10), "{sent}");
        }
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&[(header::RANGE, "bytes=0-1"), (header::RANGE, "bytes=3-4")]), Ok(None));
    }

    #[test]
    fn if_range_with_another_tag_returns_whole_body() {
        let with = |named: &'static str| of(&[(header::RANGE, "bytes=2-4"), (header::IF_RANGE, named)]);
        assert_eq!(with("\"tag\""), Ok(Some(2..5)));
        for other in ["\"another\"", "W/\"tag\"", "tag", "Thu, 01 Jan 2026 00:00:00 GMT"] {
            assert_eq!(with(other), Ok(None), "{other}");
        }
    }
}
