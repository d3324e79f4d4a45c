//! Tests of the binder with the small contract of `tests-fixtures`.

mod bodies;
mod parameters;

use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};

use super::*;
use crate::contract::sample::contract;
use crate::contract::{FieldCode, FieldError, FieldPlace};

const APP: &str = "019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47";

/// A request as a test writes it.
#[derive(Default)]
struct Call {
    path: Vec<(&'static str, String)>,
    query: Option<String>,
    headers: HeaderMap,
    body: Bytes,
}

impl Call {
    fn path(mut self, name: &'static str, value: &str) -> Call {
        self.path.push((name, value.to_owned()));
        self
    }

    fn query(mut self, query: &str) -> Call {
        self.query = Some(query.to_owned());
        self
    }

    fn header(mut self, name: &'static str, value: &str) -> Call {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
        self
    }

    fn body(mut self, media_type: &str, body: impl Into<Vec<u8>>) -> Call {
        self.headers.insert(CONTENT_TYPE, media_type.parse().unwrap());
        self.body = Bytes::from(body.into());
        self
    }

    fn json(self, body: &str) -> Call {
        self.body("application/json", body)
    }

    async fn bind(&self, operation: &str) -> Result<BoundRequest, Refusal> {
        let operation = contract().operation(operation).unwrap();
        let path: Vec<(&str, &str)> = self.path.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let request = Request {
            path: &super::path(contract(), operation, &path)?,
            query: self.query.as_deref(),
            headers: &self.headers,
            body: self.body.clone(),
        };
        bind(contract(), operation, request).await
    }

    /// Returns the variables that the request binds.
    async fn variables(&self, operation: &str) -> Value {
        Value::Object(self.bind(operation).await.unwrap().variables)
    }

    /// Returns the errors of the request: status, and places with codes.
    async fn refused(&self, operation: &str) -> (u16, Vec<(String, FieldCode)>) {
        match self.bind(operation).await.unwrap_err() {
            Refusal::NotFound => (404, Vec::new()),
            Refusal::UnsupportedMediaType { .. } | Refusal::UnsupportedCoding => (415, Vec::new()),
            Refusal::Malformed { errors, .. } => (400, errors.into_iter().map(place).collect()),
            Refusal::Invalid { errors } => (422, errors.into_iter().map(place).collect()),
        }
    }

    async fn detail(&self, operation: &str) -> String {
        match self.bind(operation).await.unwrap_err() {
            Refusal::Malformed { detail, .. } => detail,
            Refusal::Invalid { errors } => {
                errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join(" | ")
            }
            other => panic!("{other:?}"),
        }
    }
}

fn place(error: FieldError) -> (String, FieldCode) {
    match error.place {
        FieldPlace::Pointer(name) | FieldPlace::Parameter(name) => (name, error.code),
    }
}

fn one(status: u16, name: &str, code: FieldCode) -> (u16, Vec<(String, FieldCode)>) {
    (status, vec![(name.to_owned(), code)])
}

fn list(query: &str) -> Call {
    Call::default().query(query)
}

fn create(body: &str) -> Call {
    Call::default().json(body)
}

const LIST: &str = "marketplace_apps_list";
const CREATE: &str = "marketplace_apps_create";
const GOOD: &str = r#"{"name": "Tables", "contact": {"kind": "EMAIL", "email": "a@b.example"}}"#;
