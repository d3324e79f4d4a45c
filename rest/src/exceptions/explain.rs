//! Explains whether another request would be allowed, with the checks that would reject it.

use axum::body::Body;
use http::request::Parts;
use http::{Method, Response, StatusCode};
use labs_core::context::Caller;
use labs_core::fault::{Reason, ScopeLack, SpentBudget};
use labs_core::scope::Scope;
use labs_core::{Code, Engine, Fault};
use serde_json::{Value, json};

use super::status::answer;
use crate::bind::{self, BoundRequest};
use crate::contract::{Access, Operation};
use crate::front::bearer;
use crate::near_path::err_no_such_path;
use crate::problem::status;
use crate::request::{checks, refusals};
use crate::rest::Rest;
use crate::routes::Match;

/// Handles `GET /v1/system/me:explain`.
pub(super) async fn explain(
    rest: &Rest,
    parts: &Parts,
    caller: &Caller,
    bound: &BoundRequest,
) -> Result<Response<Body>, Fault> {
    let asked = |name: &str| bound.variables.get(name).and_then(Value::as_str).unwrap_or_default();
    let (method, path) = (asked("method"), asked("path"));
    let principal = caller.principal.as_ref().ok_or_else(Fault::without_token)?;
    let services = rest.engine.services();
    let daily = services.budgets.peek(&principal.budget, services.clock.now()).await?;
    let found = verdict(rest, parts, caller, method, path.split('?').next().unwrap_or_default());
    // The budget is checked before the scope, and only if the operation accepts a token and is attributed.
    let is_booked = found
        .operation
        .is_some_and(|operation| matches!(operation.access, Access::Any | Access::Scope(_)) && !operation.unattributed);
    let spent = (is_booked && daily.remaining == 0)
        .then(|| Fault::of(Reason::RateLimited(SpentBudget::Daily), "The daily budget is spent."));
    let refusal = match spent.or(found.refusal) {
        Some(fault) => Some(rest.engine.name_grants(caller, fault).await),
        None => None,
    };
    let needed = found.operation.and_then(|operation| operation.access.scope()).and_then(Scope::parse);
    let held = needed.and_then(|needed| principal.scopes.minimal().into_iter().find(|held| held.grants(needed)));
    let resets_at = services.clock.now().whole_seconds().plus_seconds(i64::try_from(daily.reset).unwrap_or_default());
    Ok(answer(
        StatusCode::OK,
        &json!({
            "operation_id": found.operation.map(|operation| &operation.id),
            "method": method,
            "path": path,
            "scope_needed": needed.map(|scope| scope.to_string()),
            "scope_held": held.map(|scope| scope.to_string()),
            "allowed": refusal.is_none(),
            "first_refusal": refusal.as_ref().map(describe),
            "rate_limit": {
                "limit_per_second": principal.budget.burst_per_second,
                "limit_day": daily.limit,
                "remaining_day": daily.remaining,
                "resets_at": resets_at,
            },
            "audited": found.operation.is_some_and(|operation| operation.audited),
        }),
    ))
}

/// Returns the rejection as the contract describes it (`Refusal`).
fn describe(fault: &Fault) -> Value {
    let lack = fault.scope_lack();
    json!({
        "status": status(fault.code(), None).as_u16(),
        "code": fault.code().name(),
        "detail": fault.detail(),
        "missing_because": lack.and_then(|lack| lack.because).map(ScopeLack::name),
        "granted_by": lack.map(|lack| lack.granted_by.as_slice()).unwrap_or_default(),
    })
}

struct Verdict<'a> {
    operation: Option<&'a Operation>,
    refusal: Option<Fault>,
}

/// Runs the checks of a request in the order in which a real request passes them.
fn verdict<'a>(rest: &'a Rest, parts: &Parts, caller: &Caller, method: &str, path: &str) -> Verdict<'a> {
    let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET);
    let (operation, values) = match rest.routes().find(&method, path) {
        Match::Operation { operation, values } => (operation.as_ref(), values),
        Match::MethodNotAllowed { allow } => {
            let known: Vec<&str> = allow.iter().map(Method::as_str).collect();
            let fault = Fault::new(Code::MethodNotAllowed, format!("This path supports only {}.", known.join(", ")));
            return Verdict { operation: None, refusal: Some(fault) };
        }
        Match::NotFound => {
            return Verdict { operation: None, refusal: Some(err_no_such_path(rest.contract(), path)) };
        }
    };
    let guarded = match (&operation.access, rest.bound(operation).and_then(|bound| bound.prepared.as_ref())) {
        (Access::Cookie, _) => {
            Err(Fault::new(Code::Unauthenticated, "This operation takes the refresh cookie, not an access token."))
        }
        // The token of the current request is not a client id and client secret.
        (Access::Client, _) => bearer::basic(&parts.headers).map(drop),
        (_, Some(prepared)) => Engine::guard(prepared.root.access, caller),
        (_, None) => Ok(()),
    };
    let checked = guarded.and_then(|()| checks::check_partner(operation, caller, &values)).and_then(|()| {
        bind::path(&rest.contract, operation, &values).map(drop).map_err(|refusal| refusals::fault(operation, refusal))
    });
    Verdict { operation: Some(operation), refusal: checked.err() }
}
