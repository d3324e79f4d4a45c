//! The walk of a request from its head to its answer.
//!
//! Refusals come in one order (specification: decisions, The contract): 401, 403, 404, 422. A path that
//! names nothing is 404 before anybody is asked who they are.

use std::net::{IpAddr, Ipv4Addr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use futures_util::FutureExt as _;
use http::{Method, Response, header, request::Parts};
use labs_schema::ask::{Attachment, Caller, Channel, Credentials};
use labs_schema::engine::{Call, IdempotencyKey, Precondition, Question};
use labs_schema::{Code, Engine, Fault};
use serde_json::{Map, Value};

use crate::answer::{self, Asked};
use crate::bind::{self, Bound, Condition};
use crate::contract::{Access, Operation};
use crate::edge::budget::{Allowance, Spending};
use crate::edge::server::Peer;
use crate::edge::{address, bearer, headers, request_id};
use crate::exceptions;
use crate::rest::Rest;
use crate::routes::Match;
use body::Arriving;
use seats::Seat;

pub(crate) mod body;
pub(crate) mod checks;
mod layers;
pub(crate) mod places;
pub(crate) mod refusals;
mod seats;

/// Longest user agent kept, in bytes.
const LONGEST_AGENT: usize = 256;

/// The service over HTTP: the contract's operations, which find their routes themselves, because the library's own router
/// refuses paths with a custom verb; the pages and the playground's door beside them.
pub(crate) fn router(rest: &Arc<Rest>) -> Router {
    layers::around(rest)
}

/// What is known of a request while it is walked, for the headers of whatever answer it gets.
pub(crate) struct Walk<'a> {
    /// The request's id.
    pub(crate) request_id: String,
    /// Where it comes from.
    pub(crate) address: IpAddr,
    /// The promise it addresses.
    pub(crate) operation: Option<&'a Operation>,
    /// What is left of the budget it was booked on.
    pub(crate) allowance: Option<Allowance>,
    /// Whether a page of a foreign origin brought the refresh cookie.
    is_foreign: bool,
}

impl<'a> Walk<'a> {
    /// The beginning of every walk.
    pub(crate) fn begin(rest: &Rest, parts: &Parts) -> Self {
        Self {
            request_id: request_id::of(&parts.headers),
            address: Self::address(rest, parts),
            operation: None,
            allowance: None,
            is_foreign: false,
        }
    }

    /// Where a request comes from, behind the proxies that are trusted.
    pub(crate) fn address(rest: &Rest, parts: &Parts) -> IpAddr {
        let peer = parts.extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0);
        address::of(peer, &parts.headers, &rest.settings.trusted_proxies)
    }

    /// Who asks, as far as the request says it.
    pub(crate) fn caller(&self, parts: &Parts, channel: Channel) -> Caller {
        let agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        Caller {
            principal: None,
            address: self.address,
            user_agent: agent.map(|agent| agent.chars().take(LONGEST_AGENT).collect()),
            request_id: self.request_id.clone(),
            channel,
            credentials: Credentials::default(),
        }
    }

    /// Books the request on the budgets of its network.
    ///
    /// # Errors
    /// [`Code::RateLimited`].
    pub(crate) fn spend_anonymous(&mut self, rest: &Rest) -> Result<(), Fault> {
        let now = rest.engine.services().clock.now();
        let spending = self.operation.map_or(Spending::Whole, Spending::of);
        self.book(rest.meter.spend_anonymous(address::network(self.address), spending, now))
    }

    /// Verifies the token and books the request on its account's budget; one whose token is refused is booked
    /// on its network's.
    ///
    /// # Errors
    /// What the token deserves, or [`Code::RateLimited`].
    pub(crate) async fn authenticate(&mut self, rest: &Rest, parts: &Parts, caller: &mut Caller) -> Result<(), Fault> {
        let known = match bearer::token(&parts.headers) {
            Ok(token) => rest.engine.authenticate(token, self.address).await.map_err(|mut fault| {
                fault.parts_mut().invalid_token = true;
                fault
            }),
            Err(fault) => Err(fault),
        };
        match known {
            Ok(principal) => {
                let services = rest.engine.services();
                let booked = rest.meter.spend(&services.budgets, &principal.budget, services.clock.now()).await;
                if let (Err((fault, _)), Some(operation)) = (&booked, self.operation)
                    && let Some(budget) = fault.parts().budget
                {
                    services.usage.note_refusal(&principal.budget.account, &operation.id, budget);
                }
                caller.principal = Some(principal);
                self.book(booked)
            }
            Err(fault) => {
                self.spend_anonymous(rest)?;
                Err(fault)
            }
        }
    }

    fn book(&mut self, booked: Result<Allowance, (Fault, Option<Allowance>)>) -> Result<(), Fault> {
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

    /// The headers that every answer carries.
    pub(crate) fn finish(mut self, rest: &Rest, mut response: Response<Body>) -> Response<Body> {
        if self.allowance.is_none() {
            let now = rest.engine.services().clock.now();
            self.allowance = Some(rest.meter.look_anonymous(address::network(self.address), now));
        }
        let is_good = is_good(response.status());
        let out = response.headers_mut();
        if let Some(allowance) = &self.allowance {
            headers::allowance(out, allowance);
        }
        headers::text(out, http::HeaderName::from_static("x-request-id"), &self.request_id);
        headers::security(out, rest.settings.base_url.starts_with("https:"));
        let is_public_read = self
            .operation
            .is_some_and(|operation| operation.access == Access::Public && operation.method == Method::GET);
        headers::caching(out, is_public_read && is_good);
        response
    }
}

fn is_good(status: http::StatusCode) -> bool {
    status.is_success() || status == http::StatusCode::NOT_MODIFIED
}

/// Answers an operation of the contract.
async fn operation(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let mut walk = Walk::begin(&rest, &parts);
    let response = match survived(walk_operation(&rest, &parts, body, &mut walk)).await {
        Ok(response) => response,
        Err(fault) => refuse(&fault, &parts, &walk),
    };
    walk.finish(&rest, response)
}

/// A panic is one request's 500, never the process's.
pub(crate) async fn survived<T>(walked: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let outcome = AssertUnwindSafe(walked).catch_unwind().await;
    outcome.unwrap_or_else(|_| Err(Fault::internal("a request panicked")))
}

fn refuse(fault: &Fault, parts: &Parts, walk: &Walk<'_>) -> Response<Body> {
    let mut response = answer::refusal(fault, parts.uri.path(), &walk.request_id, walk.operation);
    // A foreign page must not be able to sign anybody out, not even by being refused.
    let by_cookie = walk.operation.is_some_and(|operation| operation.access == Access::Cookie) && !walk.is_foreign;
    if by_cookie && response.status() == http::StatusCode::UNAUTHORIZED {
        answer::clear_cookie(&mut response);
    }
    response
}

async fn walk_operation<'a>(
    rest: &'a Rest,
    parts: &Parts,
    body: Body,
    walk: &mut Walk<'a>,
) -> Result<Response<Body>, Fault> {
    checks::head(parts)?;
    let path = parts.uri.path();
    let (operation, values) = match rest.routes.find(&parts.method, path) {
        Match::Operation { operation, values } => (operation.as_ref(), values),
        Match::MethodNotAllowed { allow } if parts.method == Method::OPTIONS => {
            walk.spend_anonymous(rest)?;
            return Ok(options(&allow));
        }
        Match::MethodNotAllowed { allow } => {
            walk.spend_anonymous(rest)?;
            let fault = Fault::new(Code::MethodNotAllowed, format!("This path knows {}.", join(&allow)));
            let mut response = refuse(&fault, parts, walk);
            headers::text(response.headers_mut(), header::ALLOW, &join(&allow));
            return Ok(response);
        }
        Match::NotFound => {
            walk.spend_anonymous(rest)?;
            return Err(Fault::new(Code::NotFound, "Nothing is here. The reference at /reference lists every path."));
        }
    };
    walk.operation = Some(operation);
    let mut seat = Seat::of(operation, &rest.seats)?;
    let mut caller = walk.caller(parts, Channel::Rest);
    admit(rest, parts, operation, walk, &mut caller).await?;
    let network = address::network(walk.address).to_string();
    let _place = body::place(&rest.uploads, operation, &network, &caller).await?;
    let question = rest.questions.get(&operation.id);
    let arriving = Arriving { body, seat: &mut seat, places: &rest.bodies, network: &network };
    let bound = match (checked(rest, parts, arriving, operation, &caller, &values).await, question) {
        (Ok(bound), _) => bound,
        (Err((fault, _)), None) => return Err(fault),
        (Err((fault, variables)), Some(question)) => {
            return Err(rest.engine.refuse(&question.root, &caller, &variables, fault).await);
        }
    };
    match question {
        Some(question) => ask(rest, parts, operation, question, caller, bound).await,
        None => exceptions::serve(rest, operation, parts, &caller, &bound).await,
    }
}

/// Who calls, whether they may, and whether the budget lasts.
async fn admit(
    rest: &Rest,
    parts: &Parts,
    operation: &Operation,
    walk: &mut Walk<'_>,
    caller: &mut Caller,
) -> Result<(), Fault> {
    match &operation.access {
        Access::Any | Access::Scope(_) => {
            if let Err(fault) = walk.authenticate(rest, parts, caller).await {
                return Err(refused_early(rest, operation, caller, fault).await);
            }
        }
        Access::Public => walk.spend_anonymous(rest)?,
        Access::Client => {
            walk.spend_anonymous(rest)?;
            caller.credentials.client = bearer::basic(&parts.headers)?;
        }
        Access::Cookie => {
            walk.spend_anonymous(rest)?;
            walk.is_foreign = true;
            checks::origin(rest, &parts.headers)?;
            walk.is_foreign = false;
            caller.credentials.refresh = bearer::refresh_cookie(&parts.headers);
        }
    }
    if operation.id == "auth_tokens_issue" {
        caller.credentials.client = bearer::basic(&parts.headers)?;
    }
    rest.meter.spend_attempt(&operation.id, address::network(walk.address))?;
    if let Some(question) = rest.questions.get(&operation.id)
        && let Err(fault) = Engine::guard(question.root.access, caller)
    {
        return Err(rest.engine.refuse(&question.root, caller, &Map::new(), fault).await);
    }
    count(rest, operation, caller);
    Ok(())
}

/// A refusal before anything was asked. Whoever is known, may ask and has spent the budget leaves a record of it
/// (specification: decisions, Audit), the first time in a minute: a program in a loop must not fill a log of which nothing
/// can be deleted, and the ledger of refusals counts all of them. A token that is no good leaves none.
async fn refused_early(rest: &Rest, operation: &Operation, caller: &Caller, fault: Fault) -> Fault {
    let (Some(question), Some(principal)) = (rest.questions.get(&operation.id), &caller.principal) else {
        return fault;
    };
    let about = (principal.budget.account.clone(), operation.id.clone());
    let is_told =
        Engine::guard(question.root.access, caller).is_err() || !rest.told.entry(about).or_insert(()).is_fresh();
    if is_told {
        return fault;
    }
    rest.engine.refuse(&question.root, caller, &Map::new(), fault).await
}

/// Counts a request that was let in, and the scope that a program used for it.
fn count(rest: &Rest, operation: &Operation, caller: &Caller) {
    let Some(principal) = &caller.principal else { return };
    let usage = &rest.engine.services().usage;
    usage.note(&principal.budget.account, &operation.id);
    if let (Some(scope), Some(_)) = (operation.access.scope(), &principal.client_id) {
        usage.note_scope(principal.uuid, scope);
    }
}

type Unbound = (Fault, Map<String, Value>);

/// Whether the request fits the promise: its partner, its path, what it accepts, its body, its parameters.
async fn checked(
    rest: &Rest,
    parts: &Parts,
    arriving: Arriving<'_, '_>,
    operation: &Operation,
    caller: &Caller,
    values: &[(&str, &str)],
) -> Result<Bound, Unbound> {
    let plain = |fault: Fault| (fault, Map::new());
    checks::partner(&operation.path, caller, values).map_err(plain)?;
    let path =
        bind::path(&rest.contract, operation, values).map_err(|refusal| plain(refusals::fault(operation, refusal)))?;
    let with_path = |fault: Fault| (fault, path.clone());
    let refused = |refusal| with_path(refusals::fault(operation, refusal));
    body::check_accept(operation, &parts.headers).map_err(with_path)?;
    let form = bind::form(operation, &parts.headers).map_err(refused)?;
    let body = body::read(form, parts, arriving).await.map_err(with_path)?;
    let request = bind::Request { path: &path, query: parts.uri.query(), headers: &parts.headers, body };
    bind::bind(&rest.contract, operation, request).await.map_err(refused)
}

async fn ask(
    rest: &Rest,
    parts: &Parts,
    operation: &Operation,
    question: &Arc<Question>,
    caller: Caller,
    bound: Bound,
) -> Result<Response<Body>, Fault> {
    let idempotency =
        bound.idempotency_key.as_ref().map(|key| IdempotencyKey { key: key.clone(), fingerprint: bound.fingerprint() });
    let of_write = bound.if_match.as_ref().filter(|_| operation.is_write());
    let precondition = of_write.and_then(|tags| precondition(rest, operation, &bound, tags.clone()));
    let call = Call {
        question: Arc::clone(question),
        caller,
        variables: bound.variables.clone(),
        attachment: bound.attachments.into_iter().next().map(|file| Attachment { bytes: file.bytes }),
        idempotency,
        precondition,
    };
    let answer = rest.engine.ask(call).await?;
    let asked = Asked {
        operation,
        variables: &bound.variables,
        if_match: bound.if_match.as_ref().filter(|_| !operation.is_write()),
        if_none_match: bound.if_none_match.as_ref(),
        headers: &parts.headers,
        query: parts.uri.query().unwrap_or_default(),
    };
    answer::success(&asked, answer)
}

/// `If-Match` speaks of the representation that GET answers on the same path.
fn precondition(rest: &Rest, operation: &Operation, bound: &Bound, tags: Condition) -> Option<Precondition> {
    let same = |other: &&Arc<Operation>| other.path == operation.path && other.method == Method::GET;
    let get = rest.contract.operations().iter().find(same)?;
    let question = Arc::clone(rest.questions.get(&get.id)?);
    let named = |name: &str| get.parameters.iter().any(|parameter| parameter.name == name);
    let variables =
        bound.variables.iter().filter(|(name, _)| named(name)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let holds = Arc::new(move |present: &[u8]| tags.matches_strongly(&answer::etag(present)));
    Some(Precondition { question, variables, holds })
}

fn options(allow: &[Method]) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = http::StatusCode::NO_CONTENT;
    headers::text(response.headers_mut(), header::ALLOW, &join(allow));
    response
}

fn join(methods: &[Method]) -> String {
    methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ")
}
