//! A trace collector that stores its input.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use http::{HeaderMap, StatusCode};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Attribute;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::harness::LONGEST_WAIT;

/// A local collector, which also simulates the platform's API.
#[derive(Clone, Default)]
pub(super) struct Collector(Arc<Mutex<Received>>);

#[derive(Default)]
pub(super) struct Received {
    pub(super) spans: Vec<Span>,
    pub(super) resources: Vec<String>,
    pub(super) bytes: Vec<u8>,
    /// Trace headers that the platform's API received.
    pub(super) of_platform: Vec<String>,
}

impl Collector {
    /// Starts to listen and returns its address.
    pub(super) async fn start(&self) -> String {
        self.start_at("127.0.0.1:0".parse().unwrap()).await
    }

    pub(super) async fn start_at(&self, address: SocketAddr) -> String {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/v1/traces", axum::routing::post(take))
            .route("/v1/app-usage/days/{day}", axum::routing::get(refuse))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}")
    }

    /// Waits until a span of this name is in the trace, then returns the trace's spans.
    pub(super) async fn trace(&self, trace: &str, name: &str) -> Vec<Span> {
        self.until(name, |received| {
            let of_trace = received.spans.iter().filter(|span| hex::encode(&span.trace_id) == trace);
            let spans: Vec<Span> = of_trace.cloned().collect();
            spans.iter().any(|span| span.name == name).then_some(spans)
        })
        .await
    }

    /// Waits until the closure finds its result in the received data.
    pub(super) async fn until<T>(&self, what: &str, found: impl Fn(&Received) -> Option<T>) -> T {
        let until = Instant::now() + LONGEST_WAIT;
        loop {
            let seen = found(&self.0.lock().unwrap());
            if let Some(seen) = seen {
                return seen;
            }
            assert!(Instant::now() < until, "{what} was not received: {:?}", self.names());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the data received so far.
    pub(super) fn received(&self) -> MutexGuard<'_, Received> {
        self.0.lock().unwrap()
    }

    fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().spans.iter().map(|span| span.name.clone()).collect()
    }
}

async fn take(State(collector): State<Collector>, headers: HeaderMap, body: Bytes) -> StatusCode {
    assert_eq!(headers["content-type"], "application/x-protobuf");
    assert_eq!(headers["x-tenant"], "labs of mara");
    let sent = ExportTraceServiceRequest::decode(body.clone()).unwrap();
    let mut received = collector.0.lock().unwrap();
    received.bytes.extend_from_slice(&body);
    for of_resource in sent.resource_spans {
        let attributes = of_resource.resource.unwrap().attributes;
        let text = |wanted: &str| {
            let found = attributes.iter().find(|attribute| attribute.key == wanted)?;
            match found.value.clone()?.value? {
                Attribute::StringValue(text) => Some(text),
                _ => None,
            }
        };
        received.resources.push(format!("{:?} {:?}", text("service.name"), text("deployment.environment.name")));
        received.spans.extend(of_resource.scope_spans.into_iter().flat_map(|of_scope| of_scope.spans));
    }
    StatusCode::OK
}

async fn refuse(State(collector): State<Collector>, Path(_): Path<String>, headers: HeaderMap) -> StatusCode {
    let told = headers.get("traceparent").map(|value| value.to_str().unwrap().to_owned());
    collector.0.lock().unwrap().of_platform.extend(told);
    StatusCode::SERVICE_UNAVAILABLE
}

/// Returns the value of a span's attribute.
pub(super) fn attribute(span: &Span, name: &str) -> Option<Value> {
    let found = span.attributes.iter().find(|attribute| attribute.key == name)?;
    match found.value.clone()?.value? {
        Attribute::StringValue(text) => Some(json!(text)),
        Attribute::IntValue(number) => Some(json!(number)),
        _ => panic!("{name} of {span:?}"),
    }
}

/// Returns the span with this name.
pub(super) fn of_name<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
        panic!("no {name} among {names:?}")
    })
}
