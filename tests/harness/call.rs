//! Calls an operation by its id and validates the response against the contract.

use std::sync::LazyLock;

use http::Method;
use labs_rest::contract::{Access, Contract, Operation};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::Harness;

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let contract = Contract::embedded().unwrap_or_else(|problems| panic!("{problems:?}"));
    contract.compile_all().unwrap_or_else(|problems| panic!("{problems:?}"));
    contract
});

/// Returns the contract that the tests validate responses against.
pub(crate) fn contract() -> &'static Contract {
    &CONTRACT
}

/// A call that is being built.
pub(crate) struct Call<'h> {
    harness: &'h Harness,
    operation: &'static Operation,
    path: String,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Body,
}

enum Body {
    Nothing,
    Text(String),
    Multipart(reqwest::multipart::Form),
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Id of the operation.
    pub(crate) operation: &'static str,
    /// HTTP status.
    pub(crate) status: u16,
    /// Response headers.
    pub(crate) headers: HeaderMap,
    /// Bytes of the body.
    pub(crate) bytes: Vec<u8>,
    /// Body as JSON; null if it is not JSON.
    pub(crate) json: Value,
}

impl<'h> Call<'h> {
    pub(super) fn new(harness: &'h Harness, id: &str) -> Self {
        let operation = contract().operation(id).unwrap_or_else(|| panic!("the contract has no operation {id}"));
        let (path, headers) = (operation.path.clone(), HeaderMap::new());
        Self { harness, operation, path, query: Vec::new(), headers, body: Body::Nothing }
    }

    /// Sets a path parameter.
    pub(crate) fn path(mut self, name: &str, value: impl ToString) -> Self {
        let place = format!("{{{name}}}");
        assert!(self.path.contains(&place), "{} has no path parameter {name}", self.operation.id);
        self.path = self.path.replace(&place, &value.to_string());
        self
    }

    /// Adds a query parameter.
    pub(crate) fn query(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        self
    }

    /// Sends this access token.
    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Sends this refresh cookie.
    pub(crate) fn cookie(self, token: &str) -> Self {
        self.header("cookie", &format!("__Host-refresh={token}"))
    }

    /// Sets a JSON body.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.raw("application/json", &body.to_string())
    }

    /// Sets a form body.
    pub(crate) fn form(self, fields: &[(&str, &str)]) -> Self {
        let mut pairs = reqwest::Url::parse("http://form.invalid/").unwrap();
        pairs.query_pairs_mut().extend_pairs(fields);
        self.raw("application/x-www-form-urlencoded", pairs.query().unwrap_or_default())
    }

    /// Sets a text body with a media type.
    pub(crate) fn raw(mut self, media_type: &str, body: &str) -> Self {
        self.headers.insert("content-type", HeaderValue::from_str(media_type).unwrap());
        self.body = Body::Text(body.to_owned());
        self
    }

    /// Sets a multipart body.
    pub(crate) fn multipart(mut self, form: reqwest::multipart::Form) -> Self {
        self.body = Body::Multipart(form);
        self
    }

    /// Sends the call and validates the response against the contract.
    pub(crate) async fn send(self) -> Answer {
        let (operation, answer) = self.dispatch().await;
        check(operation, &answer);
        answer
    }

    /// Sends the call and requires this status.
    pub(crate) async fn expect(self, status: u16) -> Answer {
        let answer = self.send().await;
        assert_eq!(answer.status, status, "{}: {}", answer.operation, answer.text());
        answer
    }

    async fn dispatch(self) -> (&'static Operation, Answer) {
        assert!(!self.path.contains('{'), "{} still has unfilled parameters: {}", self.operation.id, self.path);
        let mut url = reqwest::Url::parse(&format!("{}{}", self.harness.base_url, self.path)).unwrap();
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        let method = Method::from_bytes(self.operation.method.as_str().as_bytes()).unwrap();
        let request = self.harness.http().request(method, url).headers(self.headers);
        let request = match self.body {
            Body::Nothing => request,
            Body::Text(text) => request.body(text),
            Body::Multipart(form) => request.multipart(form),
        };
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.unwrap().to_vec();
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        (self.operation, Answer { operation: &self.operation.id, status, headers, bytes, json })
    }
}

impl Answer {
    /// Returns the body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Returns the value of a header; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the code of the problem document; empty for any other body.
    pub(crate) fn code(&self) -> &str {
        self.json["code"].as_str().unwrap_or_default()
    }

    /// Returns a string field of the body.
    pub(crate) fn str(&self, field: &str) -> &str {
        self.json[field].as_str().unwrap_or_else(|| panic!("{} has no text {field}: {}", self.operation, self.text()))
    }

    /// Returns the refresh token that the response set.
    pub(crate) fn cookie(&self) -> String {
        let set = self.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
        let mut tokens =
            set.filter_map(|text| text.strip_prefix("__Host-refresh=")).map(|text| text.split(';').next().unwrap());
        tokens.next().unwrap_or_else(|| panic!("{} set no refresh cookie", self.operation)).to_owned()
    }
}

/// Checks that the contract allows the response: status, body, code, and the headers of every response.
fn check(operation: &Operation, answer: &Answer) {
    let id = &operation.id;
    let said = || format!("{id} answered {}: {}", answer.status, answer.text());
    let Some(promised) = operation.responses.get(&answer.status) else {
        panic!("the contract of {id} promises no {}: {}", answer.status, answer.text())
    };
    for name in [
        "x-request-id",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "x-ratelimit-daily-limit",
        "x-ratelimit-daily-remaining",
        "x-ratelimit-daily-reset",
    ] {
        assert!(!answer.header(name).is_empty(), "{} without {name}", said());
    }
    for name in promised.headers.iter().filter(|name| ["ETag", "Location", "Retry-After"].contains(&name.as_str())) {
        assert!(!answer.header(name).is_empty(), "{} without {name}", said());
    }
    caching(operation, answer);
    if !promised.codes.is_empty() && answer.status >= 400 {
        assert!(
            promised.codes.iter().any(|code| code == answer.code()),
            "{}: the contract names {:?}",
            said(),
            promised.codes
        );
    }
    if answer.bytes.is_empty() {
        return;
    }
    let media_type = answer.header("content-type").split(';').next().unwrap_or_default();
    let Some(schema) = promised.media.iter().find(|(known, _)| covers(known, media_type)).map(|(_, schema)| *schema)
    else {
        panic!("{} as {media_type}; the contract promises {:?}", said(), promised.media.keys());
    };
    // JSON lines are not JSON, even if a single line looks like it.
    let is_json = media_type == "application/json" || media_type.ends_with("+json");
    if let (Some(schema), true) = (schema, is_json && !answer.json.is_null()) {
        let errors = contract().check(schema, &answer.json);
        assert!(errors.is_empty(), "{}\ndoes not fit its schema: {errors:?}", said());
    }
}

/// Checks `Cache-Control`: a private response with an ETag must be revalidated by its reader, a response without an
/// ETag must not be stored, and a public GET response may be cached for a short time.
fn caching(operation: &Operation, answer: &Answer) {
    let (kept, tag) = (answer.header("cache-control"), answer.header("etag"));
    let is_public = operation.access == Access::Public && operation.method == Method::GET;
    let allowed: &[&str] = match (is_public, tag.is_empty()) {
        (true, _) => &["public, max-age=60", "no-store"],
        (false, false) => &["private, no-cache"],
        (false, true) => &["no-store"],
    };
    assert!(
        allowed.contains(&kept),
        "{} answered {} with {kept:?} beside the tag {tag:?}",
        operation.id,
        answer.status
    );
}

fn covers(known: &str, media_type: &str) -> bool {
    known == media_type || known == "*/*" || known.strip_suffix("/*").is_some_and(|kind| media_type.starts_with(kind))
}
