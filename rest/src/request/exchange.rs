//! A request and its response: the data for the headers of every response.

use std::net::{IpAddr, Ipv4Addr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{Method, Response, header};
use labs_core::Fault;
use labs_core::context::{Caller, Channel, Credentials};
use labs_core::deprecation::Deprecation;
use labs_core::principal::Principal;
use labs_core::usage::Refusal;
use opentelemetry::Context;

use crate::answer;
use crate::contract::{Access, Operation};
use crate::deprecations;
use crate::front::budget::{Allowance, Spending};
use crate::front::request_span::RequestSpan;
use crate::front::server::Peer;
use crate::front::{address, bearer, headers, request_id};
use crate::observer::{AnsweredRequest, RefusedFor};
use crate::rest::Rest;

/// Maximum length of a stored user agent, in bytes.
const LONGEST_AGENT: usize = 256;

/// The known data of a request, for the headers of its response.
pub(crate) struct Exchange<'a> {
    /// Public base address of the service.
    base_url: &'a str,
    /// Id of the request.
    pub(crate) request_id: String,
    /// Start time.
    began: Instant,
    /// Span of the request, if traces are collected.
    span: Option<RequestSpan>,
    /// The caller, once known.
    principal: Option<Arc<Principal>>,
    /// Account of a genuine token that was refused.
    refused_account: Option<String>,
    /// Address of the caller.
    pub(crate) address: IpAddr,
    /// Operation of the request.
    pub(crate) operation: Option<&'a Operation>,
    /// The remaining budget after this request.
    pub(crate) allowance: Option<Allowance>,
    /// Deprecations that affect the request.
    pub(crate) deprecated: Vec<Arc<Deprecation>>,
    /// Whether a page from a foreign origin sent the refresh cookie.
    pub(crate) is_foreign: bool,
    /// Whether the call that the request made has its own log line and counts.
    pub(crate) is_relayed: bool,
}

impl<'a> Exchange<'a> {
    /// Creates the initial state of a request.
    pub(crate) fn begin(rest: &'a Rest, parts: &Parts) -> Self {
        Self {
            base_url: &rest.settings.base_url,
            request_id: request_id::of(&parts.headers),
            began: Instant::now(),
            span: None,
            principal: None,
            refused_account: None,
            address: Self::address(rest, parts),
            operation: None,
            allowance: None,
            deprecated: Vec::new(),
            is_foreign: false,
            is_relayed: false,
        }
    }

    /// Returns the address of a request, behind trusted proxies.
    pub(crate) fn address(rest: &Rest, parts: &Parts) -> IpAddr {
        let peer = parts.extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0);
        address::of(peer, &parts.headers, &rest.settings.trusted_proxies)
    }

    /// Returns the caller, as far as the request identifies it.
    pub(crate) fn caller(&self, parts: &Parts, channel: Channel) -> Caller {
        let agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        Caller {
            principal: None,
            address: self.address,
            user_agent: agent.map(|agent| agent.chars().take(LONGEST_AGENT).collect()),
            request_id: self.request_id.clone(),
            channel,
            credentials: Credentials::default(),
            takes_csv: false,
        }
    }

    /// Starts the request's span, and returns the context for child spans; none for an unattributed request, because
    /// its time next to others would reveal the caller (docs/decisions/board.md#counts-by-account-exclude-votes).
    pub(crate) fn trace(&mut self, (name, route): (&str, &str), parts: &Parts) -> Option<Context> {
        if self.operation.is_some_and(|operation| operation.unattributed) {
            return None;
        }
        self.span = RequestSpan::begin((name, route), parts, self.began);
        self.span.as_ref()?.sampled()
    }

    /// Spends the request from the budgets of its network.
    ///
    /// # Errors
    /// [`Code::RateLimited`] if a budget is spent.
    pub(crate) fn spend_anonymous(&mut self, rest: &Rest) -> Result<(), Fault> {
        let now = rest.engine.services().clock.now();
        let spending = self.operation.map_or(Spending::Whole, Spending::of);
        self.record_spending(rest.limiters.spend_anonymous(address::network(self.address), spending, now))
    }

    /// Spends the request from its network's media budget.
    ///
    /// # Errors
    /// [`Code::RateLimited`] if the budget is spent.
    pub(crate) fn spend_picture(&mut self, rest: &Rest) -> Result<(), Fault> {
        let now = rest.engine.services().clock.now();
        self.record_spending(rest.limiters.spend_picture(address::network(self.address), now))
    }

    /// Verifies the token and spends the request from its account's budget; with an invalid token, from its network's
    /// budget. An unattributed request spends a separate limit instead.
    ///
    /// # Errors
    /// The fault of the token, or [`Code::RateLimited`].
    pub(crate) async fn authenticate(&mut self, rest: &Rest, parts: &Parts, caller: &mut Caller) -> Result<(), Fault> {
        let known = match bearer::token(&parts.headers) {
            Ok(token) => rest.engine.authenticate(token, self.address).await.map_err(Fault::of_token),
            Err(fault) => Err(fault),
        };
        let services = rest.engine.services();
        let now = services.clock.now();
        let unattributed = self.operation.is_some_and(|operation| operation.unattributed);
        match known {
            Ok(principal) => {
                self.principal = Some(principal.clone());
                let booked = if unattributed {
                    rest.limiters.spend_unattributed(&services.budgets, &principal, now).await
                } else {
                    rest.limiters.spend(&services.budgets, &principal.budget, now).await
                };
                caller.principal = Some(principal);
                self.record_spending(booked)
            }
            Err(fault) => {
                self.refused_account = fault.account().map(str::to_owned);
                let booked = if unattributed {
                    self.record_spending(rest.limiters.spend_unattributed_refusal(address::network(self.address), now))
                } else {
                    self.spend_anonymous(rest)
                };
                booked.map_err(|spent| spent.replacing(&fault))?;
                Err(fault)
            }
        }
    }

    /// Spends a message of an agent from the separate limit of its network.
    ///
    /// # Errors
    /// [`Code::RateLimited`] if the limit is spent.
    pub(crate) fn spend_message(&mut self, rest: &Rest) -> Result<(), Fault> {
        let now = rest.engine.services().clock.now();
        rest.limiters.spend_message(address::network(self.address), now).map_err(|(fault, allowance)| {
            self.allowance = allowance;
            fault
        })
    }

    /// Verifies the token, if the request has one, and spends no budget.
    ///
    /// # Errors
    /// The fault of the token.
    pub(crate) async fn verify(&mut self, rest: &Rest, parts: &Parts) -> Result<Option<Arc<Principal>>, Fault> {
        if !parts.headers.contains_key(header::AUTHORIZATION) {
            return Ok(None);
        }
        let token = bearer::token(&parts.headers)?;
        let known = rest.engine.authenticate(token, self.address).await.map_err(Fault::of_token);
        let principal = known.inspect_err(|fault| self.refused_account = fault.account().map(str::to_owned))?;
        self.principal = Some(Arc::clone(&principal));
        Ok(Some(principal))
    }

    /// Spends the request from the budget of the verified caller; without one, from its network's.
    ///
    /// # Errors
    /// [`Code::RateLimited`] if the budget is spent.
    pub(crate) async fn spend_verified(&mut self, rest: &Rest) -> Result<(), Fault> {
        let Some(principal) = self.principal.clone() else { return self.spend_anonymous(rest) };
        let services = rest.engine.services();
        let booked = rest.limiters.spend(&services.budgets, &principal.budget, services.clock.now()).await;
        self.record_spending(booked)
    }

    /// Verifies the token again after the body arrived, because a slow body must not prolong rights that were revoked
    /// in the meantime (docs/decisions/credentials.md#revocation-within-a-second). Spends no budget.
    ///
    /// # Errors
    /// The fault of the token.
    pub(crate) async fn reauthenticate(&self, rest: &Rest, parts: &Parts, caller: &mut Caller) -> Result<(), Fault> {
        if caller.principal.is_some() {
            let token = bearer::token(&parts.headers)?;
            let principal = rest.engine.authenticate(token, self.address).await.map_err(Fault::of_token)?;
            caller.principal = Some(principal);
        }
        Ok(())
    }

    fn record_spending(&mut self, booked: Result<Allowance, (Fault, Option<Allowance>)>) -> Result<(), Fault> {
        match booked {
            Ok(allowance) => {
                self.allowance = Some(allowance);
                Ok(())
            }
            Err((fault, allowance)) => {
                self.allowance = allowance;
                Err(fault)
            }
        }
    }

    /// Builds the error response of this request.
    pub(crate) fn refusal(&self, fault: &Fault, parts: &Parts) -> Response<Body> {
        answer::write_refusal(fault, self.base_url, parts.uri.path(), &self.request_id, self.operation)
    }

    /// Adds the headers of every response, and reports the request to the observer and to the log.
    pub(crate) fn finish(mut self, rest: &Rest, mut response: Response<Body>) -> Response<Body> {
        if !self.is_relayed {
            self.notify_observer(rest, &response);
            self.note_refusal(rest, &response);
        }
        if self.allowance.is_none() {
            let now = rest.engine.services().clock.now();
            self.allowance = Some(rest.limiters.peek_anonymous(address::network(self.address), now));
        }
        let is_good = is_good(response.status());
        let out = response.headers_mut();
        if let Some(allowance) = &self.allowance {
            headers::set_allowance(out, allowance);
        }
        if let Some(operation) = self.operation {
            deprecations::announce(out, &self.deprecated, &operation.id, &rest.settings.base_url);
        }
        headers::text(out, http::HeaderName::from_static("x-request-id"), &self.request_id);
        headers::set_security(out, rest.settings.base_url.starts_with("https:"));
        let is_public_read = self
            .operation
            .is_some_and(|operation| operation.access == Access::Public && operation.method == Method::GET);
        headers::set_caching(out, is_public_read && is_good);
        response
    }

    fn notify_observer(&self, rest: &Rest, response: &Response<Body>) {
        let answered = AnsweredRequest {
            operation: self.operation,
            status: response.status(),
            code: response.extensions().get::<RefusedFor>().map(|refused| refused.code),
            principal: self.principal.as_ref().map(|principal| principal.kind),
            request_id: &self.request_id,
            trace_id: self.span.as_ref().map(RequestSpan::trace_id),
            took: self.began.elapsed(),
        };
        answered.log();
        if let Some(span) = &self.span {
            span.end(&answered);
        }
        if let Some(observer) = &rest.observer {
            observer.note(&answered);
        }
    }

    /// Counts the response if it refuses a known caller, unless the operation is unattributed: a count by account would
    /// reveal the voter (docs/decisions/board.md#counts-by-account-exclude-votes).
    fn note_refusal(&self, rest: &Rest, response: &Response<Body>) {
        let Some(refused) = response.extensions().get::<RefusedFor>() else { return };
        if !refused.limits_caller(response.status()) {
            return;
        }
        let operation = self.operation.filter(|operation| !operation.unattributed);
        let account = self.principal.as_ref().map(|principal| principal.budget.account.as_str());
        let (Some(operation), Some(account)) = (operation, account.or(self.refused_account.as_deref())) else { return };
        let refusal = Refusal {
            account: account.to_owned(),
            operation: operation.id.clone(),
            code: refused.code,
            budget: refused.budget,
            required_scope: refused.required_scope.clone(),
        };
        rest.engine.services().usage.note_refusal(refusal, &self.request_id);
    }
}

fn is_good(status: http::StatusCode) -> bool {
    status.is_success() || status == http::StatusCode::NOT_MODIFIED
}

/// Converts a panic into the 500 of one request; the process continues.
pub(crate) async fn catch_panic<T>(walked: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let outcome = AssertUnwindSafe(walked).catch_unwind().await;
    outcome.unwrap_or_else(|_| Err(Fault::internal("a request handler panicked")))
}
