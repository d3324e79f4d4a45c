//! Calling an operation by its id, and holding the answer against the contract.

use std::sync::LazyLock;

use http::Method;
use labs_rest::contract::{Access, Contract, Operation};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::Harness;

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let contract = Contract::embedded().unwrap_or_else(|problems| panic!("{problems:?}"));
    contract.compile_responses().unwrap_or_else(|problems| panic!("{problems:?}"));
    contract
});

/// The contract that the tests hold answers against.
pub(crate) fn contract() -> &'static Contract {
    &CONTRACT
}

/// A call in the making.
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

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The operation that was called.
    pub(crate) operation: &'static str,
    /// The status.
    pub(crate) status: u16,
    /// The headers.
    pub(crate) headers: HeaderMap,
    /// The body's bytes.
    pub(crate) bytes: Vec<u8>,
    /// The body as JSON; null when it is none.
    pub(crate) json: Value,
}

impl<'h> Call<'h> {
    pub(super) fn new(harness: &'h Harness, id: &str) -> Self {
        let operation = contract().operation(id).unwrap_or_else(|| panic!("the contract has no operation {id}"));
        let (path, headers) = (operation.path.clone(), HeaderMap::new());
        Self { harness, operation, path, query: Vec::new(), headers, body: Body::Nothing }
    }

    /// Fills a parameter of the path.
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

    /// Sends a JSON body.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.raw("application/json", &body.to_string())
    }

    /// Sends a form.
    pub(crate) fn form(self, fields: &[(&str, &str)]) -> Self {
        let mut pairs = reqwest::Url::parse("http://form.invalid/").unwrap();
        pairs.query_pairs_mut().extend_pairs(fields);
        self.raw("application/x-www-form-urlencoded", pairs.query().unwrap_or_default())
    }

    /// Sends text of a media type.
    pub(crate) fn raw(mut self, media_type: &str, body: &str) -> Self {
        self.headers.insert("content-type", HeaderValue::from_str(media_type).unwrap());
        self.body = Body::Text(body.to_owned());
        self
    }

    /// Sends parts.
    pub(crate) fn multipart(mut self, form: reqwest::multipart::Form) -> Self {
        self.body = Body::Multipart(form);
        self
    }

    /// Sends the call and holds the answer against the contract.
    pub(crate) async fn send(self) -> Answer {
        let (operation, answer) = self.dispatch().await;
        check(operation, &answer);
        answer
    }

    /// Sends the call; the answer must have this status.
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
    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// A header's text; empty when there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The problem's code; empty when the answer is no problem.
    pub(crate) fn code(&self) -> &str {
        self.json["code"].as_str().unwrap_or_default()
    }

    /// A field's text.
    pub(crate) fn str(&self, field: &str) -> &str {
        self.json[field].as_str().unwrap_or_else(|| panic!("{} has no text {field}: {}", self.operation, self.text()))
    }

    /// The refresh token that the answer set.
    pub(crate) fn cookie(&self) -> String {
        let set = self.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
        let mut tokens =
            set.filter_map(|text| text.strip_prefix("__Host-refresh=")).map(|text| text.split(';').next().unwrap());
        tokens.next().unwrap_or_else(|| panic!("{} set no refresh cookie", self.operation)).to_owned()
    }
}

/// Whether the answer is one that the contract promises: status, body, code and the headers of every answer.
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
    // Lines of JSON are no JSON, and a single one only looks like it.
    let is_json = media_type == "application/json" || media_type.ends_with("+json");
    if let (Some(schema), true) = (schema, is_json && !answer.json.is_null()) {
        let errors = contract().check(schema, &answer.json);
        assert!(errors.is_empty(), "{}\ndoes not fit its schema: {errors:?}", said());
    }
}

/// Whether who may keep the answer is told: what has a tag is kept by its reader alone and asked for again, and whatever has
/// none is kept by nobody; but for what everybody may read.
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
