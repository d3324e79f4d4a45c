//! The request's id: the caller's, if well formed, else a fresh one (specification: decisions, Answers).

use http::HeaderMap;
use uuid::Uuid;

/// Longest id taken from a caller.
const LONGEST: usize = 128;

/// The id to use and to answer with.
#[must_use]
pub fn of(headers: &HeaderMap) -> String {
    let mut sent = headers.get_all("x-request-id").iter();
    match (sent.next().and_then(|value| value.to_str().ok()), sent.next()) {
        (Some(id), None) if is_well_formed(id) => id.to_owned(),
        _ => trace_id(headers).unwrap_or_else(fresh),
    }
}

/// The trace id of a well-formed `traceparent` (W3C Trace Context), so that logs join across services.
fn trace_id(headers: &HeaderMap) -> Option<String> {
    let text = headers.get("traceparent")?.to_str().ok()?;
    let mut parts = text.split('-');
    let (version, trace, parent) = (parts.next()?, parts.next()?, parts.next()?);
    let hexadecimal = |part: &str, length: usize| {
        part.len() == length
            && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && part.bytes().any(|byte| byte != b'0')
    };
    let known = version == "00" || (hexadecimal(version, 2) && version != "ff");
    (known && hexadecimal(trace, 32) && hexadecimal(parent, 16)).then(|| trace.to_owned())
}

fn is_well_formed(id: &str) -> bool {
    (1..=LONGEST).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'))
}

#[expect(clippy::disallowed_methods, reason = "a request's id decides nothing and is made where the request begins")]
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
    fn a_well_formed_id_is_kept_and_another_is_replaced() {
        assert_eq!(of(&headers("x-request-id", "order-17.a_b:c")), "order-17.a_b:c");
        assert_ne!(of(&headers("x-request-id", "a b")), "a b");
        assert_ne!(of(&headers("x-request-id", &"a".repeat(129))), "a".repeat(129));
    }

    #[test]
    fn a_trace_names_the_request() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(of(&headers("traceparent", &format!("00-{trace}-00f067aa0ba902b7-01"))), trace);
        assert_ne!(
            of(&headers("traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01")),
            "0".repeat(32)
        );
    }
}
