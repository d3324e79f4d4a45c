//! Processing of a request to an operation of the contract, from its head to its response.
//!
//! Errors have a fixed order (docs/decisions/api.md#order-of-checks): 401, 403, 404, 422. An unknown path is 404 before
//! authentication.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use http::{Method, Response, StatusCode, header, request::Parts};
use labs_core::context::{Attachment, Caller, Channel, NamesRevision};
use labs_core::engine::{Admission, Call, IdempotencyKey, Precondition, Reuse};
use labs_core::fault::Reason;
use labs_core::principal::Principal;
use labs_core::trace;
use labs_core::usage::AnswerKind;
use labs_core::{Code, Fault, PrincipalType};
use serde_json::{Map, Value};

use crate::answer::reuse::{AnswerKey, Lookup};
use crate::answer::{self, AnswerContext};
use crate::bind::{self, BoundRequest, Condition};
use crate::bound::{BoundOperation, Representation};
use crate::contract::{Access, Operation};
use crate::deprecations;
use crate::exceptions;
use crate::front::in_flight::InFlightPermit;
use crate::front::{address, bearer, headers};
use crate::near_path::err_no_such_path;
use crate::request::body::{self, IncomingBody};
use crate::request::{Exchange, catch_panic, checks, refusals};
use crate::rest::Rest;
use crate::routes::Match;

/// Counter name for requests whose path or method belongs to no operation.
const UNMATCHED: &str = "unmatched";

/// Handles a request to an operation of the contract.
pub(super) async fn operation(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let began = Instant::now();
    let (parts, body) = request.into_parts();
    let mut exchange = Exchange::begin(&rest, &parts);
    let response = match catch_panic(answer_operation(&rest, &parts, body, &mut exchange)).await {
        Ok(response) => response,
        Err(fault) => refuse(&fault, &parts, &exchange),
    };
    let operation = exchange.operation.map_or(UNMATCHED, |operation| &operation.id);
    rest.engine.services().usage.note_answer(operation, kind_of(response.status()), began.elapsed());
    exchange.finish(&rest, response)
}

fn kind_of(status: StatusCode) -> AnswerKind {
    match status {
        StatusCode::TOO_MANY_REQUESTS => AnswerKind::Refusal,
        status if status.is_client_error() => AnswerKind::ClientError,
        status if status.is_server_error() => AnswerKind::ServerError,
        _ => AnswerKind::Good,
    }
}

fn refuse(fault: &Fault, parts: &Parts, exchange: &Exchange<'_>) -> Response<Body> {
    if let (Reason::Moved(moved), Some(operation)) = (fault.reason(), exchange.operation) {
        return answer::write_redirect(operation, &parts.uri, moved);
    }
    let mut response = exchange.refusal(fault, parts);
    // A foreign page must not be able to sign a user out, not even through an error response. If no cookie was sent,
    // none was checked: the client may have a valid one.
    let by_cookie =
        exchange.operation.is_some_and(|operation| operation.access == Access::Cookie) && !exchange.is_foreign;
    if by_cookie && response.status() == StatusCode::UNAUTHORIZED && bearer::has_refresh_cookie(&parts.headers) {
        answer::clear_cookie(&mut response);
    }
    response
}

async fn answer_operation<'a>(
    rest: &'a Rest,
    parts: &Parts,
    body: Body,
    exchange: &mut Exchange<'a>,
) -> Result<Response<Body>, Fault> {
    checks::check_head(parts)?;
    let path = parts.uri.path();
    let (operation, values) = match rest.routes().find(&parts.method, path) {
        Match::Operation { operation, values } => (operation.as_ref(), values),
        Match::MethodNotAllowed { allow } if parts.method == Method::OPTIONS => {
            exchange.spend_anonymous(rest)?;
            return Ok(options(&allow));
        }
        Match::MethodNotAllowed { allow } => {
            exchange.spend_anonymous(rest)?;
            let fault = Fault::new(Code::MethodNotAllowed, format!("This path supports only {}.", join(&allow)));
            let mut response = refuse(&fault, parts, exchange);
            headers::text(response.headers_mut(), header::ALLOW, &join(&allow));
            return Ok(response);
        }
        Match::NotFound => {
            exchange.spend_anonymous(rest)?;
            return Err(err_no_such_path(rest.contract(), path));
        }
    };
    exchange.operation = Some(operation);
    let span = exchange.trace((&operation.id, &operation.path), parts);
    trace::in_span(span, answer_found(rest, (parts, body), exchange, operation, &values)).await
}

async fn answer_found<'a>(
    rest: &'a Rest,
    (parts, body): (&Parts, Body),
    exchange: &mut Exchange<'a>,
    operation: &Operation,
    values: &[(&str, &str)],
) -> Result<Response<Body>, Fault> {
    let marks = rest.marks();
    exchange.deprecated = marks.marks_of_head(operation, parts.uri.query(), &parts.headers);
    let Some(bound) = rest.bound(operation) else {
        return Err(Fault::internal(format!("{} is not bound", operation.id)));
    };
    let mut permit = InFlightPermit::acquire(operation, &rest.in_flight)?;
    let guarding = async {
        let caller = Arc::new(identify(rest, parts, operation, exchange).await?);
        let admission = admit(rest, operation, bound, &caller).await?;
        Ok::<_, Fault>((caller, admission))
    };
    let (mut caller, mut admission) = trace::step("guard", guarding).await?;
    count(rest, operation, &caller);
    let network = address::network(exchange.address).to_string();
    let places = if operation.largest_body.is_some() { &rest.large_uploads } else { &rest.uploads };
    let _place = body::place(places, operation, &network, &caller).await?;
    let largest = operation.largest_body;
    let arriving = IncomingBody { body, permit: &mut permit, places: &rest.bodies, network: &network, largest };
    let checked = check_request(rest, parts, arriving, operation, &caller, values).await;
    let sent = checked.as_ref().map_or_else(|(_, variables)| variables, |request| &request.variables);
    exchange.deprecated.extend(marks.marks_of_body(operation, sent.get(bind::BODY)));
    if !operation.unattributed {
        deprecations::count(&rest.engine.services().usage, &exchange.deprecated, &caller);
    }
    let request = match (checked, &admission) {
        (Ok(request), _) => request,
        (Err((fault, _)), None) => return Err(fault),
        (Err((fault, variables)), Some(admission)) => {
            return Err(rest.engine.refuse(admission, &variables, fault).await);
        }
    };
    if operation.body.is_some() {
        let mut present = Caller::clone(&caller);
        exchange.reauthenticate(rest, parts, &mut present).await?;
        caller = Arc::new(present);
        admission = admit(rest, operation, bound, &caller).await?;
    }
    match admission {
        Some(admission) => ask(rest, parts, operation, bound, admission, request).await,
        None => exceptions::serve(rest, operation, parts, &caller, &request).await,
    }
}

/// Admits the caller to a prepared operation. The rejection of an audited call is recorded; for callers other than
/// staff only the first time in a minute (docs/decisions/audit.md#spent-budgets).
async fn admit(
    rest: &Rest,
    operation: &Operation,
    bound: &BoundOperation,
    caller: &Arc<Caller>,
) -> Result<Option<Admission>, Fault> {
    let Some(prepared) = &bound.prepared else { return Ok(None) };
    let fault = match Admission::of(prepared, caller) {
        Ok(admission) => return Ok(Some(admission)),
        Err(fault) => fault,
    };
    let is_recorded = caller.principal.as_ref().is_none_or(|principal| {
        principal.kind == PrincipalType::StaffUser || is_first_in_minute(rest, principal, operation)
    });
    let fault = if is_recorded {
        match rest.engine.admit(prepared, caller).await {
            Ok(admission) => return Ok(Some(admission)),
            Err(fault) => fault,
        }
    } else {
        fault
    };
    Err(rest.engine.name_grants(caller, fault).await)
}

/// Identifies the caller and spends the budget.
async fn identify(
    rest: &Rest,
    parts: &Parts,
    operation: &Operation,
    exchange: &mut Exchange<'_>,
) -> Result<Caller, Fault> {
    let mut caller = exchange.caller(parts, Channel::Rest);
    caller.takes_csv = body::prefers_csv(operation, &parts.headers);
    match &operation.access {
        Access::Any | Access::Scope(_) => {
            if let Err(fault) = exchange.authenticate(rest, parts, &mut caller).await {
                return Err(refuse_early(rest, operation, caller, fault).await);
            }
        }
        Access::Public => exchange.spend_anonymous(rest)?,
        Access::Client => {
            exchange.spend_anonymous(rest)?;
            caller.credentials.client = bearer::basic(&parts.headers)?;
        }
        Access::Cookie => {
            exchange.spend_anonymous(rest)?;
            exchange.is_foreign = true;
            checks::check_origin(rest, &parts.headers)?;
            exchange.is_foreign = false;
            caller.credentials.refresh = bearer::refresh_cookie(&parts.headers);
        }
    }
    if operation.takes_client_credentials {
        caller.credentials.client = bearer::basic(&parts.headers)?;
    }
    rest.limiters.spend_attempt(operation, address::network(exchange.address))?;
    Ok(caller)
}

/// Handles an early rejection. It writes an audit record if the caller is known, has access and has spent the budget
/// (docs/decisions/audit.md#spent-budgets), but only the first time in a minute: a program in a loop must not fill a
/// log that cannot be deleted. The counts of rejected requests include all of them. An invalid token leaves no record.
async fn refuse_early(rest: &Rest, operation: &Operation, caller: Caller, fault: Fault) -> Fault {
    let prepared = rest.bound(operation).and_then(|bound| bound.prepared.as_ref());
    let (Some(prepared), Some(principal)) = (prepared, &caller.principal) else { return fault };
    let principal = Arc::clone(principal);
    let Ok(admission) = Admission::of(prepared, &Arc::new(caller)) else { return fault };
    if is_first_in_minute(rest, &principal, operation) {
        return rest.engine.refuse(&admission, &Map::new(), fault).await;
    }
    fault
}

/// Whether this is the first rejection of an account at an operation in a minute.
fn is_first_in_minute(rest: &Rest, principal: &Principal, operation: &Operation) -> bool {
    let about = (principal.budget.account.clone(), operation.id.clone());
    rest.recorded_refusals.entry(about).or_insert(()).is_fresh()
}

/// Counts an admitted request, and the scope that a machine client used for it. Unattributed requests are not counted.
fn count(rest: &Rest, operation: &Operation, caller: &Caller) {
    let Some(principal) = caller.principal.as_ref().filter(|_| !operation.unattributed) else { return };
    let usage = &rest.engine.services().usage;
    usage.note(&principal.budget.account, &operation.id);
    if let (Some(scope), Some(_)) = (operation.access.scope(), &principal.client_id) {
        usage.note_scope(principal.uuid, scope);
    }
}

type Unbound = (Fault, Map<String, Value>);

/// Checks the request against its operation: partner, path, accepted types, body, parameters.
async fn check_request(
    rest: &Rest,
    parts: &Parts,
    arriving: IncomingBody<'_, '_>,
    operation: &Operation,
    caller: &Caller,
    values: &[(&str, &str)],
) -> Result<BoundRequest, Unbound> {
    let plain = |fault: Fault| (fault, Map::new());
    checks::check_partner(operation, caller, values).map_err(plain)?;
    let path =
        bind::path(&rest.contract, operation, values).map_err(|refusal| plain(refusals::fault(operation, refusal)))?;
    let with_path = |fault: Fault| (fault, path.clone());
    let refused = |refusal| with_path(refusals::fault(operation, refusal));
    body::check_accept(operation, &parts.headers).map_err(with_path)?;
    let form = bind::form(operation, &parts.headers).map_err(refused)?;
    let body = match body::read(form, parts, arriving).await {
        Err(fault) if operation.body.is_none() && fault.code() == Code::PayloadTooLarge => {
            return Err(refused(bind::refuse_body()));
        }
        read => read.map_err(with_path)?,
    };
    let request = bind::Request { path: &path, query: parts.uri.query(), headers: &parts.headers, body: body.clone() };
    match bind::bind(&rest.contract, operation, request).await {
        Ok(bound) => Ok(bound),
        Err(refusal) => {
            let fault = refusals::fault(operation, refusal);
            let fault = match rest.bound(operation).and_then(|bound| bound.prepared.as_ref()) {
                Some(prepared) => refusals::with_further(&rest.engine, prepared, &body, fault).await,
                None => fault,
            };
            Err(with_path(fault))
        }
    }
}

async fn ask(
    rest: &Rest,
    parts: &Parts,
    operation: &Operation,
    bound: &BoundOperation,
    admission: Admission,
    request: BoundRequest,
) -> Result<Response<Body>, Fault> {
    let idempotency = request.idempotency_key.as_ref().map(|key| IdempotencyKey {
        key: key.clone(),
        fingerprint: request.fingerprint(),
        unattributed: operation.unattributed,
    });
    let of_write = request.if_match.as_ref().filter(|_| operation.is_write());
    let precondition = of_write.zip(bound.representation.as_ref());
    let mut call = Call {
        admission,
        variables: request.variables.clone(),
        attachment: request.attachments.into_iter().next().map(|file| Attachment { bytes: file.bytes }),
        idempotency,
        precondition: precondition.map(|(tags, of)| of.precondition(&request.variables, tags.clone())),
        expected: of_write.filter(|_| bound.representation.is_none()).cloned().map(names_revision),
        may_lag: true,
    };
    let requested = AnswerContext {
        operation,
        is_head: parts.method == Method::HEAD,
        variables: &request.variables,
        if_match: request.if_match.as_ref().filter(|_| !operation.is_write()),
        if_none_match: request.if_none_match.as_ref(),
        headers: &parts.headers,
        query: parts.uri.query().unwrap_or_default(),
    };
    let may_lag = rest.engine.may_lag(&call);
    if let Some(reuse) = call.reuse().filter(|_| !may_lag) {
        return answer_reusable(rest, &requested, reuse.clone(), call).await;
    }
    // A caller that has seen a representation must not get an older one: unless a read replica has exactly the same
    // one, the request is sent to the primary.
    if requested.is_conditional() && may_lag {
        let first = rest.engine.ask(call.clone()).await;
        let lagged = first.as_ref().map_or(true, |answer| answer.lagged);
        let response = first.and_then(|answer| answer::write_success(&requested, answer));
        if !lagged || response.as_ref().is_ok_and(answer::is_current_for_client) {
            return response;
        }
        call.may_lag = false;
    }
    answer::write_success(&requested, rest.engine.ask(call).await?)
}

/// Answers a public read from memory, if its answer was stored and the public content is still the same. Read replicas
/// may be behind the primary by different times, so their answers are not stored.
async fn answer_reusable(
    rest: &Rest,
    requested: &AnswerContext<'_>,
    reuse: Reuse,
    call: Call,
) -> Result<Response<Body>, Fault> {
    let (key, now) = (AnswerKey::of(requested), rest.engine.services().clock.now());
    let revision = match rest.answers.look_up(&key, (&reuse, now), rest.engine.revision_of(&reuse.topic)).await? {
        Lookup::Present(answer) => return answer.write(requested).await,
        Lookup::Missing(revision) => revision,
    };
    let answer = rest.engine.ask(call).await.inspect_err(|fault| {
        if !fault.code().is_failure() {
            rest.answers.forget(&key);
        }
    })?;
    match revision.and_then(|revision| rest.answers.store(key, requested, &answer, (revision, now))) {
        Some(stored) => stored.write(requested).await,
        None => answer::write_success(requested, answer),
    }
}

impl Representation {
    /// Returns the precondition of `If-Match` for the representation that these variables name.
    fn precondition(&self, variables: &Map<String, Value>, tags: Condition) -> Precondition {
        let named = |name: &String| variables.get(name).map(|value| (name.clone(), value.clone()));
        let computed = self.computed.clone();
        Precondition {
            operation: Arc::clone(&self.prepared),
            variables: self.variables.iter().filter_map(named).collect(),
            holds: Arc::new(move |present: &[u8]| tags.matches_state(&answer::etag_of(&computed, present))),
        }
    }
}

/// Returns the precondition of `If-Match` for a write whose path has no GET: it compares the part of the tag that
/// identifies the editable fields.
fn names_revision(tags: Condition) -> NamesRevision {
    Arc::new(move |revision: &str| tags.matches_state(revision))
}

fn options(allow: &[Method]) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    headers::text(response.headers_mut(), header::ALLOW, &join(allow));
    response
}

fn join(methods: &[Method]) -> String {
    methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ")
}
