//! The data about an answered request that observers and the log receive. It never contains the caller, the network or
//! the path.

use std::time::Duration;

use http::StatusCode;
use labs_core::fault::SpentBudget;
use labs_core::{Code, Fault, PrincipalType};
use opentelemetry::trace::TraceId;

use crate::contract::Operation;

/// Log target of the request lines, one per request. A filter enables or disables them.
pub const REQUESTS: &str = "labs::requests";

/// An answered request.
pub struct AnsweredRequest<'a> {
    /// Operation of the contract; none for requests outside the contract, and for unknown paths.
    pub operation: Option<&'a Operation>,
    /// Status of the response.
    pub status: StatusCode,
    /// Code of the error, if the request failed.
    pub code: Option<Code>,
    /// Kind of the caller; none for an anonymous one.
    pub principal: Option<PrincipalType>,
    /// Id of the request.
    pub request_id: &'a str,
    /// The trace of the request, if traces are collected.
    pub trace_id: Option<TraceId>,
    /// Time from the request head to the response head.
    pub took: Duration,
}

/// Counts answered requests. It is called before each response is sent, so it must not block.
pub trait Observer: Send + Sync {
    /// Records one response.
    fn note(&self, answered: &AnsweredRequest<'_>);
}

/// Cause of an error, as an extension of its response.
#[derive(Clone)]
pub(crate) struct RefusedFor {
    /// Code of the error.
    pub(crate) code: Code,
    /// Spent budget.
    pub(crate) budget: Option<SpentBudget>,
    /// Scope that the caller lacks.
    pub(crate) required_scope: Option<String>,
}

impl RefusedFor {
    /// Returns the cause that a fault states.
    pub(crate) fn of(fault: &Fault) -> Self {
        let required_scope = fault.required_scope().map(str::to_owned);
        Self { code: fault.code(), budget: fault.spent_budget(), required_scope }
    }

    /// Whether support needs to explain this response to the caller: who they are, what they may do, or how much, was
    /// the reason.
    pub(crate) fn limits_caller(&self, status: StatusCode) -> bool {
        let of_caller = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::TOO_MANY_REQUESTS];
        of_caller.contains(&status) || self.code == Code::EntitlementExceeded
    }
}

impl AnsweredRequest<'_> {
    /// Writes the log line of the request, unless the operation is unattributed. The time of a vote next to the lines
    /// of other requests, some recorded in the audit log by id, would reveal the voter
    /// (docs/decisions/board.md#counts-by-account-exclude-votes).
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
