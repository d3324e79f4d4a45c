//! Spans of what the service does, for whoever collects traces (OpenTelemetry).
//!
//! The span of a request begins at the edge. What is done for the request becomes a part of it, where it is sampled. Nothing is
//! made while nobody collects traces, nor for what no request asks for: jobs leave none. Names and attributes are words of the
//! code and of the contract, never what somebody sent.

mod statement;

use std::sync::OnceLock;

use futures_util::future::Either;
use opentelemetry::Context;
use opentelemetry::global::{self, BoxedTracer};
use opentelemetry::trace::{
    FutureExt as _, Link, SpanBuilder, SpanContext, TraceContextExt as _, Tracer as _, WithContext,
};

pub use statement::{StatementName, statement};

/// What makes spans, once [`begin`] was called.
static TRACER: OnceLock<BoxedTracer> = OnceLock::new();

/// Work that may be a part of a span.
pub type Traced<F> = Either<WithContext<F>, F>;

/// Makes spans from now on, by the provider of the process ([`global`]).
pub fn begin() {
    TRACER.get_or_init(|| global::tracer("labs"));
}

/// What makes spans; none while nobody collects them.
#[must_use]
pub fn tracer() -> Option<&'static BoxedTracer> {
    TRACER.get()
}

/// Whether what is done now is a part of a span that is sampled.
#[must_use]
pub fn is_sampled() -> bool {
    tracer().is_some() && Context::map_current(|now| now.span().span_context().is_sampled())
}

/// Work as a part of this span, if there is one.
pub fn within<F: Future>(span: Option<Context>, work: F) -> Traced<F> {
    match span {
        Some(span) => Either::Left(work.with_context(span)),
        None => Either::Right(work),
    }
}

/// Work that is done apart from where it is begun, as a part of the same span.
pub fn apart<F: Future>(work: F) -> Traced<F> {
    within(is_sampled().then(Context::current), work)
}

/// Work as a span of its own, which ends with it.
pub fn step<F: Future>(name: &'static str, work: F) -> Traced<F> {
    let begun = tracer().filter(|_| is_sampled()).map(|tracer| {
        Context::map_current(|now| now.with_span(tracer.build_with_context(SpanBuilder::from_name(name), now)))
    });
    within(begun, work)
}

/// The span of whoever asks now, if it is sampled.
pub(crate) fn asking() -> Option<SpanContext> {
    is_sampled().then(|| Context::map_current(|now| now.span().span_context().clone()))
}

/// Work that answers several at once, as a span of its own: a part of the first one's, with links to the others'.
pub(crate) fn shared<F: Future>(name: &'static str, asking: Vec<SpanContext>, work: F) -> Traced<F> {
    let mut asking = asking.into_iter();
    let begun = tracer().zip(asking.next()).map(|(tracer, first)| {
        let first = Context::new().with_remote_span_context(first);
        let links = asking.map(Link::with_context).collect();
        first.with_span(tracer.build_with_context(SpanBuilder::from_name(name).with_links(links), &first))
    });
    within(begun, work)
}
