//! Span of an outgoing request, as OpenTelemetry defines it for HTTP clients. The receiver continues the trace by
//! `traceparent` (W3C Trace Context, 3.2).

use labs_schema::trace;
use opentelemetry::global::BoxedSpan;
use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind, Status, Tracer as _};
use opentelemetry::{Context, KeyValue};

/// An outgoing request: a child of the current span, or a separate trace.
pub(crate) struct OutgoingSpan(BoxedSpan);

impl OutgoingSpan {
    /// Starts the span; none if no traces are collected.
    pub(crate) fn begin(method: &'static str, host: &str) -> Option<Self> {
        let begun = SpanBuilder::from_name(method).with_kind(SpanKind::Client).with_attributes([
            KeyValue::new("http.request.method", method),
            KeyValue::new("server.address", host.to_owned()),
        ]);
        trace::tracer().map(|tracer| Self(tracer.build_with_context(begun, &Context::current())))
    }

    /// Returns the header value that identifies the span.
    pub(crate) fn traceparent(&self) -> String {
        let names = self.0.span_context();
        format!("00-{}-{}-{:02x}", names.trace_id(), names.span_id(), names.trace_flags())
    }

    /// Ends the span with the status of a response, and the reason if it failed.
    pub(crate) fn end(mut self, status: Option<u16>, error: Option<&'static str>) {
        if let Some(status) = status {
            self.0.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        }
        if let Some(error) = error {
            self.0.set_attribute(KeyValue::new("error.type", error));
            self.0.set_status(Status::error(error));
        }
        self.0.end();
    }
}
