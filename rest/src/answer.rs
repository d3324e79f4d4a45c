//! Converts results of the engine into HTTP responses.

mod document;
mod range;
pub(crate) mod reuse;

use axum::body::Body;
use base64::Engine as _;
use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use labs_core::context::{CreatedId, Download, RefreshCookie};
use labs_core::engine::Answer;
use labs_core::fault::{Moved, Reason};
use labs_core::{Code, Fault};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::bind::{Condition, EntityTag};
use crate::contract::{Computed, Operation};
use crate::exceptions::well_known::PROTECTED_RESOURCE;
use crate::front::coding::{self, OnlyTag};
use crate::front::{bearer, headers};
use crate::observer::RefusedFor;
use crate::problem::{Problem, status};

/// Parts of the request that determine how its response is written.
pub(crate) struct AnswerContext<'a> {
    /// The operation of the request.
    pub(crate) operation: &'a Operation,
    /// Whether the response has no body (HEAD).
    pub(crate) is_head: bool,
    /// Variables of the operation.
    pub(crate) variables: &'a Map<String, Value>,
    /// `If-Match` of a read, as sent. For a write, it is compared before the write.
    pub(crate) if_match: Option<&'a Condition>,
    /// `If-None-Match`, as sent.
    pub(crate) if_none_match: Option<&'a Condition>,
    /// All headers.
    pub(crate) headers: &'a HeaderMap,
    /// The raw query, for the link to the next page.
    pub(crate) query: &'a str,
}

impl AnswerContext<'_> {
    /// Whether the caller names a representation that it has.
    pub(crate) fn is_conditional(&self) -> bool {
        let names_tags = matches!(self.if_none_match, Some(Condition::Tags(_)));
        names_tags || self.if_match.is_some() || self.headers.contains_key(header::IF_RANGE)
    }
}

/// Whether a response to a conditional request states that the caller has the current representation, or contains a
/// part of it.
pub(crate) fn is_current_for_client(response: &Response<Body>) -> bool {
    matches!(response.status(), StatusCode::NOT_MODIFIED | StatusCode::PARTIAL_CONTENT)
}

/// Writes a successful response.
///
/// # Errors
/// [`Code::PreconditionFailed`] if `If-Match` of a read names another representation.
pub(crate) fn write_success(requested: &AnswerContext<'_>, mut answer: Answer) -> Result<Response<Body>, Fault> {
    if let Some(document) = answer.extras.document.take() {
        return document::answer(requested, document);
    }
    let download = answer.extras.download.take();
    let response = match download {
        Some(download) => add_variants(requested, &answer, file(download)),
        None => write_json(requested, &answer),
    };
    let mut response = write_conditional(response, (requested.if_match, requested.if_none_match), requested.headers)?;
    if let Some(cookie) = answer.extras.cookie {
        set_cookie(&mut response, &cookie);
    }
    if answer.replayed {
        response.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// Writes a successful answer that is JSON.
fn write_json(requested: &AnswerContext<'_>, answer: &Answer) -> Response<Body> {
    add_variants(requested, answer, json(requested, answer))
}

/// Adds the headers about the other forms of an answer: its languages, and whether `Accept` selects its form.
fn add_variants(requested: &AnswerContext<'_>, answer: &Answer, mut response: Response<Body>) -> Response<Body> {
    if !answer.extras.languages.is_empty() {
        headers::text(response.headers_mut(), header::CONTENT_LANGUAGE, &answer.extras.languages.join(", "));
    }
    let success = requested.operation.success_response();
    if success.is_some_and(|response| response.json().is_some() && response.media.len() > 1) {
        response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    }
    response
}

/// Applies the conditions of a read to its response, `If-Match` before `If-None-Match` (RFC 9110 section 13.2.2). A
/// response without an entity tag is returned unchanged.
///
/// # Errors
/// [`Code::PreconditionFailed`] if `If-Match` does not match.
pub(crate) fn write_conditional(
    mut response: Response<Body>,
    (if_match, if_none_match): (Option<&Condition>, Option<&Condition>),
    sent: &HeaderMap,
) -> Result<Response<Body>, Fault> {
    let tag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok());
    let Some(tag) = tag.map(|tag| tag.trim_matches('"').to_owned()) else { return Ok(response) };
    if if_match.is_some_and(|condition| !condition.matches_strongly(&tag)) {
        let detail = "The resource does not match If-Match. Omit the header to read the current state.";
        return Err(Fault::new(Code::PreconditionFailed, detail));
    }
    match if_none_match {
        Some(Condition::Any) => {
            response.extensions_mut().insert(OnlyTag);
            Ok(response)
        }
        Some(condition) => Ok(match condition.find_weakly(&tag, sent) {
            Some(held) => not_modified(response, &held),
            None => response,
        }),
        None => Ok(response),
    }
}

/// Writes a problem document (RFC 9457). `base_url` is the address of this service, `instance` the requested path.
pub(crate) fn write_refusal(
    fault: &Fault,
    base_url: &str,
    instance: &str,
    request_id: &str,
    operation: Option<&Operation>,
) -> Response<Body> {
    fault.log(request_id, "a request failed");
    let operation = operation.map(|operation| operation.id.as_str());
    let problem = Problem::of(fault, base_url, instance, request_id, operation);
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status(fault.code(), fault.oauth_error());
    response.extensions_mut().insert(RefusedFor::of(fault));
    let media_type = if fault.oauth_error().is_some() { "application/json" } else { "application/problem+json" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Some(seconds) = fault.seconds_to_wait() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(challenge) = www_authenticate(fault, base_url) {
        headers::text(headers, header::WWW_AUTHENTICATE, &challenge);
    }
    if let Reason::RangeNotSatisfiable(length) = fault.reason() {
        headers::text(headers, header::CONTENT_RANGE, &format!("bytes */{length}"));
    }
    response
}

/// Redirects from a former address to the current one: the requested path with one parameter replaced, and the query as
/// sent.
pub(crate) fn write_redirect(operation: &Operation, requested: &Uri, moved: &Moved) -> Response<Body> {
    let place = format!("{{{}}}", moved.parameter);
    let segments = operation.path.split('/').zip(requested.path().split('/'));
    let present = segments.map(|(template, sent)| if template == place { moved.present.as_str() } else { sent });
    let mut location = present.collect::<Vec<_>>().join("/");
    if let Some(query) = requested.query() {
        location.push('?');
        location.push_str(query);
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    headers::text(response.headers_mut(), header::LOCATION, &location);
    response
}

/// Returns the strong entity tag of a response, without its quotation marks: the hash of the editable fields and, if
/// the response has other fields, a dot and the hash of the whole response. If the response contains a revision, the
/// first part is that revision. Equal bytes have equal tags.
pub(crate) fn etag_of(computed: &Computed, body: &[u8]) -> String {
    if let Some(revision) = computed.revision_of(body) {
        return format!("{revision}.{}", etag(body));
    }
    if computed.is_empty() {
        return etag(body);
    }
    format!("{}.{}", etag(&computed.remove_computed(body)), etag(body))
}

/// Returns the strong entity tag of bytes, without its quotation marks.
pub(crate) fn etag(body: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, body);
    let half = digest.as_ref().get(..16).unwrap_or_default();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(half)
}

/// Returns the status of a success. An operation with both 200 and 201 returns 201 if it created a resource.
fn success_status(operation: &Operation, is_created: bool) -> u16 {
    if is_created && operation.promises(201) { 201 } else { operation.success }
}

fn json(requested: &AnswerContext<'_>, answer: &Answer) -> Response<Body> {
    let success =
        StatusCode::from_u16(success_status(requested.operation, answer.created.is_some())).unwrap_or(StatusCode::OK);
    if success == StatusCode::NO_CONTENT {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = success;
        return response;
    }
    let tag = requested.operation.sends_etag.then(|| etag_of(&requested.operation.computed, &answer.body));
    let location = if success == StatusCode::CREATED { location(requested, answer.created.as_ref()) } else { None };
    let link = answer.next_cursor.as_deref().and_then(|cursor| next_link(requested, cursor));
    let mut response = Response::new(Body::from(answer.body.clone()));
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

fn file(download: Download) -> Response<Body> {
    let mut response = Response::new(Body::from_stream(download.stream));
    let headers = response.headers_mut();
    headers::text(headers, header::CONTENT_TYPE, &download.media_type);
    headers::text(headers, header::CONTENT_DISPOSITION, &attachment(&download.file_name));
    if let Some(head) = download.chain_head {
        let name = http::HeaderName::from_static("x-audit-chain-head");
        headers::text(headers, name, &format!("{}:{}", head.position, head.hash));
    }
    if let Some(sha256) = download.sha256 {
        repr_digest(headers, &sha256);
    }
    if let Some(length) = download.length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    if let Some(tag) = download.etag {
        headers::text(headers, header::ETAG, &format!("\"{tag}\""));
    }
    response
}

/// Converts a response into 304: the caller has the current representation. The caller replaces its stored headers by those
/// of this response (RFC 9111 section 3.2), so it has the same policies as the response with the body.
fn not_modified(response: Response<Body>, tag: &EntityTag) -> Response<Body> {
    let mut response = coding::without_content(response);
    let headers = response.headers_mut();
    headers::text(headers, header::ETAG, &tag.to_string());
    let varies_by_coding = headers.get_all(header::VARY).iter().any(|name| name == "accept-encoding");
    if !varies_by_coding {
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    response
}

/// Returns the address of the created resource: the contract's `x-location` with the path parameters filled in, and the
/// identifier of the resource for any other name.
fn location(requested: &AnswerContext<'_>, created: Option<&CreatedId>) -> Option<String> {
    let template = requested.operation.location.as_deref()?;
    let mut out = String::with_capacity(template.len() + 36);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        out.push_str(before);
        match requested.variables.get(name).and_then(Value::as_str) {
            Some(value) => out.push_str(value),
            None => out.push_str(&created?.to_string()),
        }
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}

/// Returns the link to the next page: the same request with the cursor of the response (RFC 8288).
fn next_link(requested: &AnswerContext<'_>, cursor: &str) -> Option<String> {
    let kept =
        requested.query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("cursor=") && *pair != "cursor");
    let query: Vec<&str> = kept.collect();
    let separator = if query.is_empty() { "" } else { "&" };
    let path = fill_path(requested)?;
    Some(format!("<{path}?{}{separator}cursor={cursor}>; rel=\"next\"", query.join("&")))
}

fn fill_path(requested: &AnswerContext<'_>) -> Option<String> {
    let mut path = requested.operation.path.clone();
    for (name, value) in requested.variables {
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

/// Clears the refresh cookie on an error response about an ended session.
pub(crate) fn clear_cookie(response: &mut Response<Body>) {
    set_cookie(response, &RefreshCookie::Clear);
}

/// Returns the challenge of a 401 (RFC 6750 section 3; RFC 9728 section 5.1; RFC 6749 section 5.2 for clients).
fn www_authenticate(fault: &Fault, base_url: &str) -> Option<String> {
    let bearer =
        |details: &str| format!("Bearer realm=\"labs\"{details}, resource_metadata=\"{base_url}{PROTECTED_RESOURCE}\"");
    if fault.oauth_error() == Some("invalid_client") {
        return Some("Basic realm=\"labs\", charset=\"UTF-8\"".to_owned());
    }
    if matches!(fault.reason(), Reason::InvalidToken(_)) && is_of_token(fault.code()) {
        return Some(bearer(", error=\"invalid_token\""));
    }
    match fault.code() {
        // A caller that sent no token learns only which scheme to use (RFC 6750 section 3.1).
        code if is_of_token(code) => Some(bearer("")),
        Code::InvalidCredentials | Code::MfaRequired | Code::RefreshReused if fault.oauth_error().is_none() => {
            Some(bearer(""))
        }
        Code::ScopeMissing => {
            fault.required_scope().map(|scope| bearer(&format!(", error=\"insufficient_scope\", scope=\"{scope}\"")))
        }
        _ => None,
    }
}

const fn is_of_token(code: Code) -> bool {
    matches!(code, Code::Unauthenticated | Code::TokenExpired | Code::TokenRevoked)
}

/// Sets the SHA-256 of the whole representation (RFC 9530).
fn repr_digest(headers: &mut HeaderMap, sha256: &[u8]) {
    let digest = base64::engine::general_purpose::STANDARD.encode(sha256);
    headers::text(headers, http::HeaderName::from_static("repr-digest"), &format!("sha-256=:{digest}:"));
}

/// Returns a `Content-Disposition` that saves the response as a file with this name (RFC 6266): an ASCII name that is
/// safe in a header and, if that differs, the full name.
fn attachment(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    if plain == name {
        return format!("attachment; filename=\"{plain}\"");
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{}", utf8_percent_encode(name, ATTRIBUTE))
}

/// Characters that `filename*` encodes (RFC 8187 section 3.2.1); file names need no further exceptions.
const ATTRIBUTE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_disposition_encodes_non_ascii_file_names() {
        assert_eq!(attachment("labs.json"), "attachment; filename=\"labs.json\"");
        let told = "attachment; filename=\"Gr__e_2.zip\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%202.zip";
        assert_eq!(attachment("Größe 2.zip"), told);
        assert_eq!(attachment("a\"b"), "attachment; filename=\"a_b\"; filename*=UTF-8''a%22b");
    }
}
