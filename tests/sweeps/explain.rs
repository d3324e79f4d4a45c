//! Explain sweep: compares the result of `system_me_explain` for a call with the result of the call itself.

use std::collections::BTreeMap;

use labs_rest::contract::{Access, Operation, ParameterIn};
use serde_json::{Value, json};
use uuid::Uuid;

use super::access::{grants, without_a_demanded_factor};
use super::{Cast, contents, empty_body, operations};
use crate::harness::{Answer, Call, Harness};
use crate::partner::team::colleague;

/// An id that does not exist.
const NOTHING: Uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_dead);

/// A caller and the scopes of their token.
struct Asker {
    name: &'static str,
    token: String,
    scopes: Vec<String>,
}

impl Asker {
    async fn new(harness: &Harness, name: &'static str, token: &str) -> Self {
        let me = harness.call("system_me_get").token(token).expect(200).await.json;
        let scopes = me["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap().to_owned()).collect();
        Self { name, token: token.to_owned(), scopes }
    }
}

async fn explained(harness: &Harness, token: &str, method: &str, path: &str) -> Value {
    let call = harness.call("system_me_explain").query("method", method).query("path", path);
    call.token(token).expect(200).await.json
}

/// Returns the value of a path parameter: this partner, or a well-formed value that does not exist.
fn value(parameter: &str, partner: Uuid) -> String {
    match parameter {
        "partner_uuid" => partner.to_string(),
        name if name.ends_with("_uuid") => NOTHING.to_string(),
        name if name.ends_with("_code") => "NO_SUCH_THING".to_owned(),
        _ => "no-such-thing".to_owned(),
    }
}

fn path_of(operation: &Operation, partner: Uuid) -> String {
    operation.parameters_in(ParameterIn::Path).fold(operation.path.clone(), |path, parameter| {
        path.replace(&format!("{{{}}}", parameter.name), &value(&parameter.name, partner))
    })
}

fn call_of<'h>(harness: &'h Harness, operation: &'static Operation, token: &str, partner: Uuid) -> Call<'h> {
    let call = operation.parameters_in(ParameterIn::Path).fold(harness.call(&operation.id), |call, parameter| {
        call.path(&parameter.name, value(&parameter.name, partner))
    });
    let call = empty_body(operation, call);
    // A user who actually left would have no access for the rest of the test. The header, which the operation does not
    // accept, makes the call fail after all other checks.
    let call = if operation.id == "partner_team_members_leave" { call.header("if-match", "\"a\"") } else { call };
    if operation.access == Access::Public { call } else { call.token(token) }
}

/// Returns the partners that the path of an operation may name.
fn named(operation: &Operation, partners: &[Uuid]) -> impl Iterator<Item = Uuid> {
    let names_one = operation.parameters_in(ParameterIn::Path).any(|parameter| parameter.name == "partner_uuid");
    partners.iter().copied().take(if names_one { partners.len() } else { 1 })
}

/// Whether a verdict matches the contract about the operation and the token about the caller's scopes.
fn knows(verdict: &Value, operation: &Operation, asker: &Asker) -> bool {
    let needed = operation.access.scope();
    let reaching = |held: &&String| needed.is_some_and(|needed| grants(held, needed));
    let held = match verdict["scope_held"].as_str() {
        Some(told) => asker.scopes.iter().filter(reaching).any(|held| held == told),
        None => !asker.scopes.iter().any(|held| reaching(&held)),
    };
    let told = [&verdict["operation_id"], &verdict["scope_needed"], &verdict["audited"]];
    held && told == [&json!(operation.id), &json!(needed), &json!(operation.audited)]
}

/// Whether the response matches the verdict.
fn is_met(verdict: &Value, answer: &Answer) -> bool {
    let refusal = &verdict["first_refusal"];
    if refusal.is_null() {
        // A verdict does not consider how recently the caller authenticated.
        let is_let_in = !matches!(answer.status, 401 | 403 | 405 | 429) || answer.code() == "REAUTHENTICATION_REQUIRED";
        return verdict["allowed"] == true && is_let_in;
    }
    let is_the_same = |name: &str| refusal[name] == answer.json[name];
    // The detail of a 401 may add which other credentials the operation accepts.
    let is_told_alike = answer.status == 401 || is_the_same("detail");
    let grants = |told: &Value| told.as_array().filter(|named| !named.is_empty()).cloned();
    let is_granted_alike = grants(&refusal["granted_by"]) == grants(&answer.json["granted_by"]);
    let is_explained_alike = is_told_alike && is_granted_alike && is_the_same("missing_because");
    verdict["allowed"] == false && refusal["status"] == answer.status && is_the_same("code") && is_explained_alike
}

/// Returns all callers for which verdicts may differ.
async fn askers(cast: &Cast) -> Vec<Asker> {
    let harness = &cast.harness;
    let viewer = colleague(harness, &cast.administrator, "Vera", "VIEWER").await;
    let unproved = without_a_demanded_factor(harness, "Elbkontor").await;
    let scopes = ["marketplace:write", "partner:write"];
    let bound = harness.program("bound", &scopes, cast.administrator.partner_uuid).await;
    let unbound = harness.program("unbound", &["partner:write"], None).await;
    let registrar = harness.staff("Registrar", &["labs.admin.staff"]).await;
    let mut askers = Vec::new();
    for (name, token) in [
        ("administrator", &cast.administrator.token),
        ("viewer", &viewer.token),
        ("administrator without the factor that is demanded", &unproved.token),
        ("bound program", &bound.token),
        ("program of nobody's with a partner's scope", &unbound.token),
        ("storefront", &cast.storefront.token),
        ("chief", &cast.staff.token),
        ("registrar", &registrar.token),
    ] {
        askers.push(Asker::new(harness, name, token).await);
    }
    askers
}

#[tokio::test]
async fn every_verdict_equals_result_of_request() {
    let cast = Cast::new().await;
    let harness = &cast.harness;
    let askers = askers(&cast).await;
    let other = harness.partner("Dorfkrug").await;
    let partners = [&cast.administrator, &other].map(|person| person.partner_uuid.unwrap());
    let mut verdicts = BTreeMap::<String, usize>::new();
    for operation in operations() {
        for asker in &askers {
            for partner in named(operation, &partners) {
                let path = path_of(operation, partner);
                let verdict = explained(harness, &asker.token, operation.method.as_str(), &path).await;
                let met = call_of(harness, operation, &asker.token, partner).send().await;
                let who = format!("{} at {} {path}: {verdict}", asker.name, operation.method);
                assert!(knows(&verdict, operation, asker), "{who}");
                assert!(is_met(&verdict, &met), "{who}\nmet {}: {}", met.status, met.text());
                let code = verdict["first_refusal"]["code"].as_str().unwrap_or("ALLOWED");
                *verdicts.entry(code.to_owned()).or_default() += 1;
            }
        }
    }
    for code in ["ALLOWED", "NOT_FOUND", "PARTNER_MISMATCH", "SCOPE_MISSING", "UNAUTHENTICATED"] {
        assert!(verdicts.contains_key(code), "no verdict was {code}: {verdicts:?}");
    }
}

#[tokio::test]
async fn verdict_names_missing_or_granting_scope() {
    let cast = Cast::new().await;
    let reader = cast.harness.staff("Reader", &["labs.admin.staff"]).await;
    let about = async |token: &str, method: &str| {
        let told = explained(&cast.harness, token, method, "/v1/admin/staff-roles").await;
        let [needed, held, code] = [&told["scope_needed"], &told["scope_held"], &told["first_refusal"]["code"]];
        let detail = told["first_refusal"]["detail"].as_str().unwrap_or_default().to_owned();
        ([needed, held, code].map(|told| told.as_str().unwrap_or("none").to_owned()), detail)
    };
    let (told, detail) = about(&reader.token, "POST").await;
    assert_eq!(told, ["labs.admin.staff:write", "none", "SCOPE_MISSING"]);
    assert!(detail.contains("labs.admin.staff:write"), "{detail}");
    for method in ["GET", "HEAD"] {
        let (told, _) = about(&reader.token, method).await;
        assert_eq!(told, ["labs.admin.staff", "labs.admin.staff", "none"], "{method}");
    }
    let (told, _) = about(&cast.staff.token, "POST").await;
    assert_eq!(told, ["labs.admin.staff:write", "labs.admin:write", "none"]);
}

#[tokio::test]
async fn verdict_for_unknown_operation_suggests_existing_operations() {
    let cast = Cast::new().await;
    let (harness, token) = (&cast.harness, &cast.administrator.token);
    for (method, path, code, words) in [
        ("GET", "/v1/marketplace/aps", "NOT_FOUND", "/reference"),
        ("POST", "/v1/system/me:nothing", "NOT_FOUND", "/reference"),
        ("GET", "/v1/system//me", "NOT_FOUND", "/reference"),
        ("DELETE", "/v1/system/me", "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"),
        ("GET", "/v1/oauth/token", "METHOD_NOT_ALLOWED", "OPTIONS, POST"),
    ] {
        let told = explained(harness, token, method, path).await;
        let told_of_it = [&told["operation_id"], &told["scope_needed"], &told["scope_held"], &told["audited"]];
        assert_eq!(told_of_it, [&Value::Null, &Value::Null, &Value::Null, &json!(false)], "{method} {path}: {told}");
        let refusal = &told["first_refusal"];
        assert_eq!(refusal["code"], code, "{method} {path}: {told}");
        assert!(refusal["detail"].as_str().unwrap().contains(words), "{method} {path}: {told}");
        let request = harness.http().request(method.parse().unwrap(), format!("{}{path}", harness.base_url));
        let met = request.bearer_auth(token).send().await.unwrap();
        assert_eq!(refusal["status"], met.status().as_u16(), "{method} {path}: {told}");
        let met: Value = serde_json::from_slice(&met.bytes().await.unwrap()).unwrap();
        assert_eq!(met["code"], code, "{method} {path}: {met}");
    }
    for (parameter, method, path) in [
        ("method", "BREW", "/v1/system/me"),
        ("method", "get", "/v1/system/me"),
        ("path", "GET", "v1/system/me"),
        ("path", "GET", "/v1/system/me?limit=1"),
        ("path", "GET", ""),
    ] {
        let call = harness.call("system_me_explain").query("method", method).query("path", path);
        let refused = call.token(token).expect(422).await;
        assert_eq!(refused.json["errors"][0]["parameter"], parameter, "{method} {path}: {}", refused.text());
    }
}

#[tokio::test]
async fn verdict_executes_nothing_and_leaves_no_record() {
    let cast = Cast::new().await;
    let partner = cast.administrator.partner_uuid.unwrap();
    let records = async || cast.harness.number("select count(*) from audit_log").await;
    let before = (contents(&cast.harness).await, records().await);
    for operation in operations() {
        // The call itself would create an audit record, for staff and for rejected callers.
        for asker in [&cast.administrator, &cast.staff].into_iter().take(1 + usize::from(operation.audited)) {
            explained(&cast.harness, &asker.token, operation.method.as_str(), &path_of(operation, partner)).await;
        }
    }
    assert_eq!((contents(&cast.harness).await, records().await), before);
}

#[tokio::test]
async fn verdict_reports_exhausted_daily_budget_only_if_authenticated() {
    let harness = Harness::new().await;
    // Sign-in loads the user's own data, so this query is the second call.
    harness.sql("update tier set burst_per_second = 1000, daily_requests = 2").await;
    let paths = ["/v1/system/me", "/v1/admin/staff", "/v1/subscription/public/tiers", "/v1/marketplace/aps"];
    for (number, path) in paths.into_iter().enumerate() {
        let person = harness.partner(&format!("Kasse {number}")).await;
        let told = explained(&harness, &person.token, "GET", path).await;
        assert_eq!(told["rate_limit"]["remaining_day"], 0, "{path}: {told}");
        let request = harness.http().get(format!("{}{path}", harness.base_url)).bearer_auth(&person.token);
        let met = request.send().await.unwrap().status().as_u16();
        assert_eq!(told["first_refusal"]["status"].as_u64().unwrap_or(200), u64::from(met), "{path}: {told}");
    }
}
