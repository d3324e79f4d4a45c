//! Id of a request: the caller's, if well formed, else a new one (docs/decisions/api.md#request-id).

use http::HeaderMap;
use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
use uuid::Uuid;

/// Maximum length of a caller's id.
const LONGEST: usize = 128;

/// Returns the id to use and to return.
#[must_use]
pub fn of(headers: &HeaderMap) -> String {
    let mut sent = headers.get_all("x-request-id").iter();
    match (sent.next().and_then(|value| value.to_str().ok()), sent.next()) {
        (Some(id), None) if is_well_formed(id) => id.to_owned(),
        _ => trace_parent(headers).map_or_else(fresh, |parent| parent.trace_id().to_string()),
    }
}

/// Returns the parent span of the request, from a single well-formed `traceparent` (W3C Trace Context, 3.2), so that
/// logs and traces are linked across services. `tracestate` is ignored, because it may contain anything.
pub(crate) fn trace_parent(headers: &HeaderMap) -> Option<SpanContext> {
    let mut sent = headers.get_all("traceparent").iter();
    let (Some(text), None) = (sent.next(), sent.next()) else { return None };
    let mut parts = text.to_str().ok()?.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let hexadecimal = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let names = |part: &str, length: usize| hexadecimal(part, length) && part.bytes().any(|byte| byte != b'0');
    // A later version may have more fields after the flags.
    let known = hexadecimal(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
    if !known || !names(trace, 32) || !names(parent, 16) || !hexadecimal(flags, 2) {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
    let (trace, parent) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(parent).ok()?);
    Some(SpanContext::new(trace, parent, flags, true, TraceState::NONE))
}

fn is_well_formed(id: &str) -> bool {
    (1..=LONGEST).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'))
}

#[expect(clippy::disallowed_methods, reason = "a request id influences no decision and is created at the edge")]
fn fresh() -> String {
    Uuid::now_v7().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn valid_request_id_is_kept_and_invalid_replaced() {
        assert_eq!(of(&headers("x-request-id", "order-17.a_b:c")), "order-17.a_b:c");
        assert_ne!(of(&headers("x-request-id", "a b")), "a b");
        assert_ne!(of(&headers("x-request-id", &"a".repeat(129))), "a".repeat(129));
    }

    #[test]
    fn trace_id_becomes_request_id() {
        let (trace, nothing) = ("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32));
        let named = |id: &str, text: &str| of(&headers("traceparent", text)) == id;
        for good in
            ["00-TRACE-00f067aa0ba902b7-01", "00-TRACE-00f067aa0ba902b7-00", "01-TRACE-00f067aa0ba902b7-01-more"]
        {
            assert!(named(trace, &good.replace("TRACE", trace)), "{good}");
        }
        for bad in [
            "00-TRACE-00f067aa0ba902b7",
            "00-TRACE-00f067aa0ba902b7-zz",
            "00-TRACE-00f067aa0ba902b7-01-more",
            "00-TRACE-0000000000000000-01",
            "ff-TRACE-00f067aa0ba902b7-01",
        ] {
            assert!(!named(trace, &bad.replace("TRACE", trace)), "{bad}");
        }
        assert!(!named(&nothing, &format!("00-{nothing}-00f067aa0ba902b7-01")));
        let mut twice = headers("traceparent", &format!("00-{trace}-00f067aa0ba902b7-01"));
        twice.append("traceparent", format!("00-{trace}-00f067aa0ba902b7-01").parse().unwrap());
        assert_ne!(of(&twice), trace);
    }
}
