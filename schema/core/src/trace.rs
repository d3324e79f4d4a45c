//! Tracing spans of the service's work (OpenTelemetry).
//!
//! The span of a request begins in the HTTP layer. Work for the request belongs to that span if it is sampled. No spans
//! are created while no traces are collected, or for work outside requests, such as jobs. Names and attributes come
//! from the code and the contract, never from input of callers.

mod statement;

use std::sync::OnceLock;

use futures_util::future::Either;
use opentelemetry::Context;
use opentelemetry::global::{self, BoxedTracer};
use opentelemetry::trace::{
    FutureExt as _, Link, SpanBuilder, SpanContext, TraceContextExt as _, Tracer as _, WithContext,
};

pub use statement::{StatementName, statement};

/// Tracer, available once [`begin`] was called.
static TRACER: OnceLock<BoxedTracer> = OnceLock::new();

/// Work that can belong to a span.
pub type Traced<F> = Either<WithContext<F>, F>;

/// Enables tracing with the provider of the process ([`global`]).
pub fn begin() {
    TRACER.get_or_init(|| global::tracer("labs"));
}

/// Returns the tracer; `None` while no traces are collected.
#[must_use]
pub fn tracer() -> Option<&'static BoxedTracer> {
    TRACER.get()
}

/// Whether the current work belongs to a sampled span.
#[must_use]
pub fn is_sampled() -> bool {
    tracer().is_some() && Context::map_current(|now| now.span().span_context().is_sampled())
}

/// Runs work in this span, if there is one.
pub fn in_span<F: Future>(span: Option<Context>, work: F) -> Traced<F> {
    match span {
        Some(span) => Either::Left(work.with_context(span)),
        None => Either::Right(work),
    }
}

/// Runs detached work in the current span.
pub fn detached<F: Future>(work: F) -> Traced<F> {
    in_span(is_sampled().then(Context::current), work)
}

/// Runs work in a separate span, which ends with it.
pub fn step<F: Future>(name: &'static str, work: F) -> Traced<F> {
    let begun = tracer().filter(|_| is_sampled()).map(|tracer| {
        Context::map_current(|now| now.with_span(tracer.build_with_context(SpanBuilder::from_name(name), now)))
    });
    in_span(begun, work)
}

/// Returns the current span, if it is sampled.
pub(crate) fn current_span() -> Option<SpanContext> {
    is_sampled().then(|| Context::map_current(|now| now.span().span_context().clone()))
}

/// Runs work for several callers in a separate span: a child of the first caller's span, with links to the others.
pub(crate) fn in_shared_span<F: Future>(name: &'static str, asking: Vec<SpanContext>, work: F) -> Traced<F> {
    let mut asking = asking.into_iter();
    let begun = tracer().zip(asking.next()).map(|(tracer, first)| {
        let first = Context::new().with_remote_span_context(first);
        let links = asking.map(Link::with_context).collect();
        first.with_span(tracer.build_with_context(SpanBuilder::from_name(name).with_links(links), &first))
    });
    in_span(begun, work)
}
