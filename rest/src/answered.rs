//! What is told of a request once its answer is known, to whoever counts and to the log. Nothing of it says who asked,
//! from where, or what the path named.

use std::time::Duration;

use http::StatusCode;
use labs_schema::{Code, PrincipalType};
use opentelemetry::trace::TraceId;

use crate::contract::Operation;

/// The target of the log's lines, one for each request. A filter lets them through, or not.
pub const REQUESTS: &str = "labs::requests";

/// A request that was answered.
pub struct Answered<'a> {
    /// The operation of the contract; none for what is beside it, and for paths that name nothing.
    pub operation: Option<&'a Operation>,
    /// What was answered.
    pub status: StatusCode,
    /// Why it was refused, if it was.
    pub code: Option<Code>,
    /// What kind of caller it was; none for a stranger.
    pub principal: Option<PrincipalType>,
    /// The request's id.
    pub request_id: &'a str,
    /// The trace that it is a part of, where traces are collected.
    pub trace_id: Option<TraceId>,
    /// From its head to the head of its answer.
    pub took: Duration,
}

/// Somebody who counts what is answered. It is called before each answer leaves, so it must not wait.
pub trait Observer: Send + Sync {
    /// One more answer.
    fn note(&self, answered: &Answered<'_>);
}

/// The code of a refusal, as an extension of its answer.
#[derive(Clone, Copy)]
pub(crate) struct RefusedFor(pub(crate) Code);

impl Answered<'_> {
    /// Writes the request's line; none where nothing may tell whose the request was. The moment of a vote beside the lines of
    /// what else happened then, some of which the audit knows by their ids, would tell it (docs/decisions.md#board).
    pub(crate) fn log(&self) {
        if self.operation.is_some_and(|operation| operation.unattributed) {
            return;
        }
        tracing::info!(
            target: REQUESTS,
            operation = self.operation.map(|operation| operation.id.as_str()),
            status = self.status.as_u16(),
            code = self.code.map(Code::name),
            took_ms = self.took.as_micros() as f64 / 1000.0,
            request_id = self.request_id,
            trace_id = self.trace_id.map(tracing::field::display),
            principal = self.principal.map(PrincipalType::name),
            "answered"
        );
    }
}
