//! The headers of every response.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::budget::Allowance;

/// Headers that a browser's script may read from another origin.
pub const EXPOSED: &[&str] = &[
    "etag",
    "link",
    "location",
    "retry-after",
    "x-request-id",
    "ratelimit",
    "ratelimit-policy",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-ratelimit-daily-limit",
    "x-ratelimit-daily-remaining",
    "x-ratelimit-daily-reset",
    "deprecation",
    "sunset",
    "x-labs-deprecation",
    "idempotency-replayed",
    "x-audit-chain-head",
    "repr-digest",
    "accept-ranges",
    "content-disposition",
    "content-range",
];

/// The same budgets as in the other headers, in the form of the IETF draft `draft-ietf-httpapi-ratelimit-headers-10`,
/// which generic clients read.
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Adds the remaining budgets (docs/decisions/edge.md#request-budgets).
pub fn set_allowance(headers: &mut HeaderMap, allowance: &Allowance) {
    number(headers, "x-ratelimit-limit", allowance.limit.into());
    number(headers, "x-ratelimit-remaining", allowance.remaining.into());
    number(headers, "x-ratelimit-reset", allowance.reset);
    number(headers, "x-ratelimit-daily-limit", allowance.daily.limit);
    number(headers, "x-ratelimit-daily-remaining", allowance.daily.remaining);
    number(headers, "x-ratelimit-daily-reset", allowance.daily.reset);
    let (burst, daily) = (allowance, &allowance.daily);
    text(headers, RATE_LIMIT_POLICY, &format!("\"burst\";q={};w=1, \"daily\";q={};w=86400", burst.limit, daily.limit));
    let left = (burst.remaining, burst.reset, daily.remaining, daily.reset);
    text(headers, RATE_LIMIT, &format!("\"burst\";r={};t={}, \"daily\";r={};t={}", left.0, left.1, left.2, left.3));
}

/// Sets `Cache-Control`, unless the response has one: public responses are cached for a minute, responses with an
/// entity tag only by the caller, all others never.
pub fn set_caching(headers: &mut HeaderMap, is_for_everybody: bool) {
    if headers.contains_key(header::CACHE_CONTROL) {
        return;
    }
    let policy = match (is_for_everybody, headers.contains_key(header::ETAG)) {
        (true, _) => "public, max-age=60",
        // The caller revalidates each time.
        (false, true) => "private, no-cache",
        (false, false) => "no-store",
    };
    insert_static(headers, header::CACHE_CONTROL, policy);
}

/// Policy of responses that are not pages: a browser that shows one loads and runs nothing.
const POLICY: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";

/// Adds headers that protect the caller's browser from attacks.
pub fn set_security(headers: &mut HeaderMap, over_tls: bool) {
    insert_static(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    insert_static(headers, header::REFERRER_POLICY, "no-referrer");
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    if !headers.contains_key(&policy) {
        insert_static(headers, policy, "same-site");
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        insert_static(headers, header::CONTENT_SECURITY_POLICY, POLICY);
    }
    if over_tls {
        insert_static(headers, header::STRICT_TRANSPORT_SECURITY, "max-age=63072000; includeSubDomains");
    }
}

/// Adds a header with a text of the service; an invalid header value is left out.
pub fn text(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn number(headers: &mut HeaderMap, name: &'static str, value: u64) {
    headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
}

fn insert_static(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}
