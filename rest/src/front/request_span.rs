//! The span of a request, as OpenTelemetry defines it for HTTP servers. It contains names of the contract, the status
//! and the request id, and never the caller, the network or the request's content.

use std::time::Instant;

use http::request::Parts;
use labs_core::trace;
use labs_core::{Code, PrincipalType};
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt as _, TraceId, Tracer as _,
};
use opentelemetry::{Context, KeyValue, time};

use super::request_id;
use crate::observer::AnsweredRequest;

/// Span of a request, which is exported if it is sampled.
pub(crate) struct RequestSpan {
    names: SpanContext,
    sampled: Option<Context>,
}

impl RequestSpan {
    /// Starts the span, with an operation's id and the template of its path, as a child of the caller's span; none if
    /// no traces are collected.
    pub(crate) fn begin((name, route): (&str, &str), parts: &Parts, began: Instant) -> Option<Self> {
        let tracer = trace::tracer()?;
        let parent = request_id::trace_parent(&parts.headers);
        let parent = parent.map_or_else(Context::new, |parent| Context::new().with_remote_span_context(parent));
        let now = time::now();
        let span = SpanBuilder::from_name(name.to_owned())
            .with_kind(SpanKind::Server)
            .with_start_time(now.checked_sub(began.elapsed()).unwrap_or(now));
        let mut span = tracer.build_with_context(span, &parent);
        let names = span.span_context().clone();
        if !names.is_sampled() {
            return Some(Self { names, sampled: None });
        }
        span.set_attribute(KeyValue::new("http.request.method", parts.method.as_str().to_owned()));
        span.set_attribute(KeyValue::new("http.route", route.to_owned()));
        Some(Self { names, sampled: Some(Context::new().with_span(span)) })
    }

    /// Returns the id of its trace.
    pub(crate) fn trace_id(&self) -> TraceId {
        self.names.trace_id()
    }

    /// Returns the context for child spans, if the span is sampled.
    pub(crate) fn sampled(&self) -> Option<Context> {
        self.sampled.clone()
    }

    /// Ends the span with the response.
    pub(crate) fn end(&self, answered: &AnsweredRequest<'_>) {
        let Some(span) = self.sampled.as_ref().map(Context::span) else { return };
        let status = answered.status;
        let word = |name, word: Option<&'static str>| word.map(|word| KeyValue::new(name, word));
        span.set_attributes(
            [
                Some(KeyValue::new("http.response.status_code", i64::from(status.as_u16()))),
                Some(KeyValue::new("labs.request_id", answered.request_id.to_owned())),
                word("labs.principal", answered.principal.map(PrincipalType::name)),
                word("error.type", answered.code.map(Code::name)),
            ]
            .into_iter()
            .flatten(),
        );
        if status.is_server_error() {
            span.set_status(Status::error(answered.code.map_or("", Code::name)));
        }
        span.end();
    }
}

impl Drop for RequestSpan {
    /// The caller has disconnected. Work that continues belongs to an ended span.
    fn drop(&mut self) {
        if let Some(span) = &self.sampled {
            span.span().end();
        }
    }
}
