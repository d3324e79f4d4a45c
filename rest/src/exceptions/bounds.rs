//! Applies the contract's limits to GraphQL queries of staff: an input that REST rejects is rejected here too. A root
//! field has its operation's id as its name, and takes each parameter under its variable's name and the body as `body`.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_core::engine::RestApi;
use labs_core::principal::Principal;
use labs_core::{Fault, FieldError};
use serde_json::{Map, Value};

use super::playground::ENDPOINT;
use crate::contract::{BodyKind, Contract, FieldPlace, Operation, ParameterIn, SchemaId};
use crate::front::budget::Allowance;
use crate::problem::Problem;
use crate::rest::Rest;

/// The REST limits for a query, and the remaining budgets after its root fields.
pub(super) struct MeteredApi {
    rest: Arc<Rest>,
    allowance: Mutex<Option<Allowance>>,
}

impl MeteredApi {
    /// Creates it with nothing spent yet.
    pub(super) fn new(rest: Arc<Rest>) -> Self {
        Self { rest, allowance: Mutex::default() }
    }

    /// Returns the remaining budget; none if nothing further was spent.
    pub(super) fn allowance(&self) -> Option<Allowance> {
        *self.allowance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RestApi for MeteredApi {
    fn problem(&self, fault: &Fault, root: Option<&str>, request_id: &str) -> Value {
        let problem = Problem::of(fault, &self.rest.settings.base_url, ENDPOINT, request_id, root);
        serde_json::to_value(&problem).unwrap_or_default()
    }

    fn spend_further<'a>(&'a self, principal: &'a Principal, requests: u32) -> BoxFuture<'a, Result<(), Fault>> {
        async move {
            let services = self.rest.engine.services();
            let (budget, now) = ((&principal.budget, requests), services.clock.now());
            let (allowance, spent) = match self.rest.limiters.spend_further(&services.budgets, budget, now).await {
                Ok(allowance) => (allowance, Ok(())),
                Err((fault, allowance)) => (allowance, Err(fault)),
            };
            *self.allowance.lock().unwrap_or_else(PoisonError::into_inner) = allowance;
            spent
        }
        .boxed()
    }

    fn endpoint(&self, root: &str) -> Option<String> {
        self.rest.contract.operation(root).map(|operation| format!("{} {}", operation.method, operation.path))
    }

    fn as_requested(&self, root: &str, arguments: Map<String, Value>) -> Map<String, Value> {
        match self.rest.contract.operation(root).and_then(|operation| self.rest.bound(operation)) {
            Some(bound) => bound.as_requested(&arguments),
            None => arguments,
        }
    }

    fn breaches(&self, root: &str, arguments: &Map<String, Value>) -> Vec<FieldError> {
        self.rest.contract.breaches(root, arguments)
    }
}

impl Contract {
    fn breaches(&self, root: &str, arguments: &Map<String, Value>) -> Vec<FieldError> {
        let Some(operation) = self.operation(root) else { return Vec::new() };
        let mut breaches = Vec::new();
        let parameters = [
            (operation.path_schema(), values(operation, arguments, |place| place == ParameterIn::Path)),
            (operation.query_schema(), values(operation, arguments, |place| place != ParameterIn::Path)),
        ];
        for (schema, values) in parameters {
            let found = schema.map(|schema| self.check(schema, &values)).unwrap_or_default();
            breaches.extend(found.into_iter().filter_map(|error| match error.place {
                FieldPlace::Pointer(pointer) => {
                    let name = pointer.split('/').nth(1).unwrap_or_default().to_owned();
                    Some(FieldError::of(name, error.code.as_str(), error.message))
                }
                FieldPlace::Parameter(_) => None,
            }));
        }
        if let Some(body) = arguments.get("body").filter(|body| !body.is_null()) {
            breaches.extend(self.body_breaches(operation, body));
        }
        breaches
    }

    fn body_breaches(&self, operation: &Operation, body: &Value) -> Vec<FieldError> {
        let mut forms = operation.body.iter().flat_map(|body| &body.forms);
        // Files are not sent in queries, so a form with a file is not checked. A merge patch has the same fields as
        // JSON.
        let Some(form) = forms.find(|form| form.kind == BodyKind::Json) else { return Vec::new() };
        let told = self.check_either(form.schema, body).into_iter().filter_map(|error| match error.place {
            FieldPlace::Pointer(pointer) => Some(FieldError::at(pointer, error.code.as_str(), error.message)),
            FieldPlace::Parameter(_) => None,
        });
        told.collect()
    }

    /// In GraphQL, a null field is equivalent to an omitted one.
    fn check_either(&self, schema: SchemaId, body: &Value) -> Vec<crate::contract::FieldError> {
        if self.check(schema, body).is_empty() {
            return Vec::new();
        }
        self.check(schema, &without_nulls(body))
    }
}

/// Returns the arguments in these places, with lists for list parameters: in GraphQL, a single value is equivalent to a
/// list with this value.
fn values(operation: &Operation, arguments: &Map<String, Value>, stands: impl Fn(ParameterIn) -> bool) -> Value {
    let told = operation.parameters.iter().filter(|parameter| stands(parameter.place)).filter_map(|parameter| {
        let name = parameter.variable();
        let value = arguments.get(&name).filter(|value| !value.is_null())?.clone();
        let value = if parameter.array && !value.is_array() { Value::from(vec![value]) } else { value };
        Some((name, value))
    });
    Value::Object(told.collect())
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::documents::Documents;

    /// Returns the place and code of each violation.
    fn error_codes(root: &str, arguments: Value) -> Vec<(String, String)> {
        let Value::Object(arguments) = arguments else { unreachable!() };
        let breaches = Contract::embedded().unwrap().breaches(root, &arguments);
        breaches.into_iter().map(|breach| (breach.pointer.or(breach.parameter).unwrap(), breach.code)).collect()
    }

    const PARTNER: &str = "0198aaaa-0000-7000-8000-000000000001";

    #[test]
    fn contract_limits_apply_to_graphql() {
        let suspend = |reason: &str| {
            error_codes("admin_partners_suspend", json!({ "partner_uuid": PARTNER, "body": { "reason": reason } }))
        };
        assert_eq!(suspend("They asked."), []);
        assert_eq!(suspend("")[0], ("/reason".to_owned(), "TOO_SHORT".to_owned()));
        let many = error_codes("admin_partners_list", json!({ "limit": 0 }));
        assert_eq!(many, [("limit".to_owned(), "RANGE".to_owned())]);
        let role = |code: &str, name: &str| {
            let body = json!({ "name": name, "description": null });
            error_codes("admin_staff_roles_update", json!({ "role_code": code, "body": body }))
        };
        assert_eq!(role("REVIEWER", "Reviewers"), []);
        assert_eq!(role("reviewer", "Reviewers"), [("role_code".to_owned(), "PATTERN".to_owned())]);
        assert_eq!(role("REVIEWER", &"x".repeat(81)), [("/name".to_owned(), "TOO_LONG".to_owned())]);
    }

    #[test]
    fn urls_in_staff_queries_are_validated() {
        let website = |text: &str| {
            let body = json!({ "website": text, "reason": "They asked." });
            error_codes("admin_partners_update", json!({ "partner_uuid": PARTNER, "body": body }))
        };
        assert_eq!(website("https://bücher.example/ä"), []);
        assert_eq!(website("https://"), [("/website".to_owned(), "FORMAT".to_owned())]);
    }

    #[test]
    fn null_equals_omitted_and_single_value_equals_list() {
        assert_eq!(error_codes("admin_partners_list", json!({ "limit": null, "state": "ACTIVE" })), []);
        assert_eq!(error_codes("no_such_field", json!({ "limit": 0 })), []);
        let reopen = json!({ "partner_uuid": PARTNER, "body": { "reason": null } });
        assert_eq!(error_codes("admin_partners_reopen", reopen), []);
    }

    #[test]
    fn documents_pass_each_variable_under_its_name() {
        for document in Documents::load().unwrap().iter() {
            for (argument, rest) in document.text.match_indices(": $").map(|(place, _)| document.text.split_at(place)) {
                let name = argument.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next();
                let variable = rest[3..].split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next();
                assert_eq!(name, variable, "{}", document.name);
            }
        }
    }
}
