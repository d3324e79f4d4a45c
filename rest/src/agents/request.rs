//! The HTTP request of a call.

use axum::body::Body;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::call::CallArguments;
use super::server::ToolError;
use crate::contract::{Operation, ParameterIn, Segment};
use crate::front::server::Peer;
use crate::rest::Rest;
use crate::routes::Match;

/// Characters of a path value that are not encoded (RFC 3986, section 2.3). All others are, so that a value cannot leave
/// its segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Headers of the message that its call has too: they identify the caller, its address and the trace.
const CARRIED: [HeaderName; 5] = [
    header::AUTHORIZATION,
    header::HOST,
    header::USER_AGENT,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("traceparent"),
];
/// Headers that an agent may set.
static SETTABLE: [HeaderName; 3] =
    [header::ACCEPT_LANGUAGE, HeaderName::from_static("idempotency-key"), header::IF_MATCH];
/// The tool returns JSON. It accepts other media types so that an error in another one is not rejected.
const ACCEPT: HeaderValue = HeaderValue::from_static("application/json, */*;q=0.1");

/// A request before it is sent.
#[derive(Debug)]
pub(super) struct PlannedRequest {
    method: Method,
    path: String,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Option<(String, Value)>,
}

impl PlannedRequest {
    /// Plans the request of an operation.
    ///
    /// # Errors
    /// A sentence, if an argument cannot be a part of the request. The service itself checks everything else.
    pub(super) fn of(rest: &Rest, operation: &Operation, arguments: &CallArguments) -> Result<Self, ToolError> {
        let path = path_of(operation, arguments.path.as_ref().unwrap_or(&Map::new()))?;
        // Encoded values stay in their segments; if one did not, the path would name another operation.
        match rest.routes().find(&operation.method, &path) {
            Match::Operation { operation: found, .. } if found.id == operation.id => {}
            _ => {
                return Err("The path parameters do not lead to this operation. Check their values.".to_owned().into());
            }
        }
        let body = arguments.body.clone().map(|body| (media_type_of(operation), body));
        let query = arguments.query.as_ref().map(query_of).transpose()?.unwrap_or_default();
        let headers = arguments.headers.as_ref().map(headers_of).transpose()?.unwrap_or_default();
        Ok(Self { method: operation.method.clone(), path, query, headers, body })
    }

    /// Plans a request without a body.
    pub(super) fn plain(method: Method, path: &str, query: &[(&str, &str)]) -> Self {
        let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { method, path: path.to_owned(), query, headers: HeaderMap::new(), body: None }
    }

    /// Path of the request, percent-encoded.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the request as an agent sees it.
    pub(super) fn to_json(&self) -> Value {
        let headers = self.headers.iter().map(|(name, value)| {
            (name.as_str().to_owned(), Value::from(String::from_utf8_lossy(value.as_bytes()).into_owned()))
        });
        json!({
            "method": self.method.as_str(),
            "path": self.path,
            "query": self.query,
            "headers": headers.collect::<Map<_, _>>(),
            "body": self.body.as_ref().map(|(_, body)| body),
        })
    }

    /// Builds the request, with the caller's credentials and address.
    ///
    /// # Errors
    /// A sentence, if the path and the query are not a valid address.
    pub(super) fn to_request(&self, message: &Parts, request_id: &str) -> Result<Request<Body>, ToolError> {
        let mut target = self.path.clone();
        if !self.query.is_empty() {
            let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.query).finish();
            target = format!("{target}?{encoded}");
        }
        let body = self.body.as_ref().map(|(_, body)| body.to_string());
        let unusable = |_| ToolError::Text("The parameters do not form a valid address. Shorten them.".to_owned());
        let mut request = Request::builder()
            .method(self.method.clone())
            .uri(target)
            .version(message.version)
            .body(body.map_or_else(Body::empty, Body::from))
            .map_err(unusable)?;
        let headers = request.headers_mut();
        for name in CARRIED {
            for value in message.headers.get_all(&name) {
                headers.append(&name, value.clone());
            }
        }
        headers.extend(self.headers.clone());
        headers.insert(header::ACCEPT, ACCEPT);
        if let Ok(id) = HeaderValue::from_str(request_id) {
            headers.insert(HeaderName::from_static("x-request-id"), id);
        }
        if let Some((media_type, body)) = &self.body {
            if let Ok(media_type) = HeaderValue::from_str(media_type) {
                headers.insert(header::CONTENT_TYPE, media_type);
            }
            headers.insert(header::CONTENT_LENGTH, body.to_string().len().into());
        }
        if let Some(peer) = message.extensions.get::<Peer>() {
            request.extensions_mut().insert(*peer);
        }
        Ok(request)
    }
}

/// Returns the JSON media type of an operation's body; for an operation without one, the service rejects the body.
fn media_type_of(operation: &Operation) -> String {
    let forms = operation.body.iter().flat_map(|body| &body.forms);
    let json = forms.into_iter().find(|form| form.kind.is_json());
    json.map_or_else(|| "application/json".to_owned(), |form| form.media_type.clone())
}

fn path_of(operation: &Operation, values: &Map<String, Value>) -> Result<String, ToolError> {
    let names: Vec<&str> = operation.parameters_in(ParameterIn::Path).map(|known| known.name.as_str()).collect();
    let expected = || match names.as_slice() {
        [] => format!("`{}` has no path parameters: omit `path`.", operation.id),
        names => format!("`path` must have the parameters {} of `{}`.", names.join(", "), operation.id),
    };
    if values.len() != names.len() || values.keys().any(|name| !names.contains(&name.as_str())) {
        return Err(expected().into());
    }
    let mut path = String::new();
    for segment in &operation.segments {
        path.push('/');
        match segment {
            Segment::Fixed(text) => path.push_str(text),
            Segment::Parameter(name) => {
                let text = values.get(name).and_then(scalar).ok_or_else(expected)?;
                if text.is_empty() || text == "." || text == ".." {
                    return Err(format!("The path parameter {name} must not be empty, `.` or `..`.").into());
                }
                path.extend(utf8_percent_encode(&text, SEGMENT));
            }
        }
    }
    if let Some(verb) = &operation.verb {
        path.push(':');
        path.push_str(verb);
    }
    Ok(path)
}

fn query_of(values: &Map<String, Value>) -> Result<Vec<(String, String)>, ToolError> {
    let mut pairs = Vec::new();
    for (name, value) in values {
        let several = match value {
            Value::Null => continue,
            Value::Array(several) => several.as_slice(),
            one => std::slice::from_ref(one),
        };
        for value in several {
            let text = scalar(value).ok_or_else(|| {
                format!("The query parameter {name} must be a text, a number, a boolean, or an array of them.")
            })?;
            pairs.push((name.clone(), text));
        }
    }
    Ok(pairs)
}

fn headers_of(values: &Map<String, Value>) -> Result<HeaderMap, ToolError> {
    let mut headers = HeaderMap::new();
    for (name, value) in values {
        let settable = SETTABLE.iter().find(|known| known.as_str().eq_ignore_ascii_case(name));
        let settable = settable.ok_or_else(|| {
            format!(
                "The header {name:?} cannot be set. `headers` may have Accept-Language, Idempotency-Key and If-Match."
            )
        })?;
        let value = value.as_str().and_then(|text| HeaderValue::from_str(text).ok());
        let value = value.ok_or_else(|| format!("The header {settable} must be one line of text."))?;
        headers.insert(settable, value);
    }
    Ok(headers)
}

/// Returns a scalar as text; none for anything else.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::sample::contract;

    fn archive(value: Value) -> Result<String, String> {
        let operation = contract().operation("marketplace_apps_archive").unwrap();
        let values = Map::from_iter([("app_uuid".to_owned(), value)]);
        path_of(operation, &values).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn path_values_cannot_leave_their_segment() {
        assert_eq!(archive(json!("a-b_1.~")).unwrap(), "/v1/marketplace/apps/a-b_1.~:archive");
        for (value, encoded) in [
            ("a/b", "a%2Fb"),
            ("../x", "..%2Fx"),
            ("x:restore", "x%3Arestore"),
            ("a?b#c", "a%3Fb%23c"),
            ("%2e%2e", "%252e%252e"),
            ("a\r\nb", "a%0D%0Ab"),
            ("ä", "%C3%A4"),
        ] {
            assert_eq!(archive(json!(value)).unwrap(), format!("/v1/marketplace/apps/{encoded}:archive"));
        }
        for refused in [json!(""), json!("."), json!(".."), json!(null), json!(["a"]), json!({})] {
            archive(refused.clone()).expect_err(&refused.to_string());
        }
    }

    #[test]
    fn only_listed_headers_can_be_set() {
        let of = |name: &str, value: &str| headers_of(&Map::from_iter([(name.to_owned(), json!(value))]));
        assert_eq!(of("if-match", "\"a\"").unwrap()[header::IF_MATCH], "\"a\"");
        for (name, value) in
            [("Authorization", "Bearer x"), ("Host", "x"), ("X-Forwarded-For", "1.1.1.1"), ("If-Match", "a\r\nb: c")]
        {
            of(name, value).expect_err(name);
        }
    }
}
