//! What came back from the engine, as HTTP says it.

use axum::body::Body;
use base64::Engine as _;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use labs_schema::ask::{Download, RefreshCookie};
use labs_schema::engine::Answer;
use labs_schema::{Code, Fault};
use serde_json::{Map, Value};

use crate::bind::{Condition, EntityTag};
use crate::contract::{Access, Operation};
use crate::edge::{bearer, headers};
use crate::problem::{Problem, status};

/// What of the request decides how its answer is written.
pub(crate) struct Asked<'a> {
    /// The promise.
    pub(crate) operation: &'a Operation,
    /// Its variables.
    pub(crate) variables: &'a Map<String, Value>,
    /// `If-None-Match`, as sent.
    pub(crate) if_none_match: Option<&'a Condition>,
    /// All headers.
    pub(crate) headers: &'a HeaderMap,
    /// The raw query, for the link to the next page.
    pub(crate) query: &'a str,
}

/// Writes an answer.
pub(crate) fn success(asked: &Asked<'_>, answer: Answer) -> Response<Body> {
    let mut extras = answer.extras;
    let mut response = match extras.download.take() {
        Some(download) => file(asked, download),
        None => json(asked, answer.body),
    };
    if let Some(cookie) = extras.cookie {
        set_cookie(&mut response, &cookie);
    }
    if answer.replayed {
        response.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    response
}

/// Writes a refusal (RFC 9457).
pub(crate) fn refusal(
    fault: &Fault,
    instance: &str,
    request_id: &str,
    operation: Option<&Operation>,
) -> Response<Body> {
    let parts = fault.parts();
    let problem = Problem::of(fault, instance, request_id, operation.map(|operation| operation.id.as_str()));
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status(parts.code, parts.oauth_error);
    let media_type = if parts.oauth_error.is_some() { "application/json" } else { "application/problem+json" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Some(seconds) = parts.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(challenge) = www_authenticate(fault) {
        headers::text(headers, header::WWW_AUTHENTICATE, &challenge);
    }
    response
}

/// The strong validator of a representation, without its quotation marks: the same bytes, the same tag.
pub(crate) fn etag(body: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, body);
    let half = digest.as_ref().get(..16).unwrap_or_default();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(half)
}

fn json(asked: &Asked<'_>, body: Bytes) -> Response<Body> {
    let success = StatusCode::from_u16(asked.operation.success).unwrap_or(StatusCode::OK);
    if success == StatusCode::NO_CONTENT {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = success;
        return response;
    }
    let tag = asked.operation.sends_etag.then(|| etag(&body));
    if let (Some(tag), Some(sent)) = (&tag, asked.if_none_match)
        && let Some(held) = sent.find_weakly(tag, asked.headers)
    {
        return coded_not_modified(&held);
    }
    let location = if success == StatusCode::CREATED { location(asked, &body) } else { None };
    let link = if asked.operation.is_list { next_link(asked, &body) } else { None };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = success;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(tag) = tag {
        headers::text(headers, header::ETAG, &format!("\"{tag}\""));
    }
    if let Some(location) = location {
        headers::text(headers, header::LOCATION, &location);
    }
    if let Some(link) = link {
        headers::text(headers, header::LINK, &link);
    }
    response
}

fn file(asked: &Asked<'_>, download: Download) -> Response<Body> {
    // A picture is asked for again and again; what the caller keeps of it is good only while the service says so.
    let is_kept = download.etag.is_some()
        && download.media_type.starts_with("image/")
        && asked.operation.access != Access::Public;
    let sent = download.etag.as_deref().zip(asked.if_none_match);
    let mut response = match sent.and_then(|(tag, sent)| sent.find_weakly(tag, asked.headers)).as_ref() {
        Some(held) => not_modified(held),
        None => whole(download),
    };
    if is_kept {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    response
}

fn whole(download: Download) -> Response<Body> {
    let mut response = Response::new(Body::from_stream(download.stream));
    let headers = response.headers_mut();
    headers::text(headers, header::CONTENT_TYPE, &download.media_type);
    headers::text(
        headers,
        header::CONTENT_DISPOSITION,
        &format!("attachment; filename=\"{}\"", safe_name(&download.file_name)),
    );
    if let Some(head) = download.chain_head {
        let name = http::HeaderName::from_static("x-audit-chain-head");
        headers::text(headers, name, &format!("{}:{}", head.position, head.hash));
    }
    if let Some(length) = download.length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    if let Some(tag) = download.etag {
        headers::text(headers, header::ETAG, &format!("\"{tag}\""));
    }
    response
}

/// The caller holds what is there now, of a representation that may leave in several codings.
pub(crate) fn coded_not_modified(tag: &EntityTag) -> Response<Body> {
    let mut response = not_modified(tag);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

fn not_modified(tag: &EntityTag) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    headers::text(response.headers_mut(), header::ETAG, &tag.to_string());
    response
}

/// Where the created thing is: the contract's `x-location` with the fields of the answer and of the path
/// filled in.
fn location(asked: &Asked<'_>, body: &[u8]) -> Option<String> {
    let template = asked.operation.location.as_deref()?;
    let made: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let mut out = String::with_capacity(template.len() + 36);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        out.push_str(before);
        out.push_str(made.get(name).or_else(|| asked.variables.get(name))?.as_str()?);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}

/// The link to the next page: the same request with the cursor of the answer (RFC 8288). The cursor stands at
/// the end of the body, so it is looked for from there.
fn next_link(asked: &Asked<'_>, body: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"\"next_cursor\":\"";
    let start = body.windows(KEY.len()).rposition(|window| window == KEY)? + KEY.len();
    let cursor = body.get(start..)?.split(|byte| *byte == b'"').next()?;
    let cursor = std::str::from_utf8(cursor).ok()?;
    let kept =
        asked.query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("cursor=") && *pair != "cursor");
    let query: Vec<&str> = kept.collect();
    let separator = if query.is_empty() { "" } else { "&" };
    let path = fill_path(asked)?;
    Some(format!("<{path}?{}{separator}cursor={cursor}>; rel=\"next\"", query.join("&")))
}

fn fill_path(asked: &Asked<'_>) -> Option<String> {
    let mut path = asked.operation.path.clone();
    for (name, value) in asked.variables {
        if let Some(text) = value.as_str() {
            path = path.replace(&format!("{{{name}}}"), text);
        }
    }
    (!path.contains('{')).then_some(path)
}

fn set_cookie(response: &mut Response<Body>, cookie: &RefreshCookie) {
    let (value, max_age) = match cookie {
        RefreshCookie::Set { token, max_age } => (token.as_str(), *max_age),
        RefreshCookie::Clear => ("", 0),
    };
    let text =
        format!("{}={value}; Path=/; Max-Age={max_age}; HttpOnly; Secure; SameSite=Strict", bearer::REFRESH_COOKIE);
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// Clears the refresh cookie on a refusal that says the session is over.
pub(crate) fn clear_cookie(response: &mut Response<Body>) {
    set_cookie(response, &RefreshCookie::Clear);
}

/// The challenge of a 401 (RFC 6750 section 3; RFC 6749 section 5.2 for clients).
fn www_authenticate(fault: &Fault) -> Option<String> {
    let parts = fault.parts();
    if parts.oauth_error == Some("invalid_client") {
        return Some("Basic realm=\"labs\", charset=\"UTF-8\"".to_owned());
    }
    match parts.code {
        Code::Unauthenticated => Some("Bearer realm=\"labs\"".to_owned()),
        Code::TokenExpired | Code::TokenRevoked => Some("Bearer realm=\"labs\", error=\"invalid_token\"".to_owned()),
        Code::InvalidCredentials | Code::MfaRequired | Code::RefreshReused if parts.oauth_error.is_none() => {
            Some("Bearer realm=\"labs\"".to_owned())
        }
        Code::ScopeMissing => parts
            .required_scope
            .as_ref()
            .map(|scope| format!("Bearer realm=\"labs\", error=\"insufficient_scope\", scope=\"{scope}\"")),
        _ => None,
    }
}

/// A file name that no header can be broken with.
fn safe_name(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_') { letter } else { '_' })
        .collect()
}
