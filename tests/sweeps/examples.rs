//! Example sweep: the service accepts the example of each request body in the contract.

use std::collections::BTreeMap;

use http::Method;
use jiff::Timestamp;
use labs_rest::contract::{Access, BodyForm, BodyKind, Operation, ParameterIn};
use labs_rest::documents::Documents;
use serde_json::{Map, Value};

use super::questions::problem;
use super::{Cast, absent, operations};
use crate::harness::{Answer, Call, contract};

/// Future times in examples are after this one, so that the examples stay valid for years.
const FAR_AHEAD: &str = "2036-01-01T00:00:00Z";

/// Codes of contract violations that start like the codes for references to missing resources.
const VIOLATIONS: [&str; 2] = ["UNKNOWN_FIELD", "UNKNOWN_PARAMETER"];

/// Returns every example of a request body, by operation and media type.
fn examples() -> Vec<(&'static Operation, &'static BodyForm, Value)> {
    let document: Value = yaml_serde::from_str(contract().text()).unwrap();
    let mut found = Vec::new();
    for operation in operations() {
        for form in operation.body.iter().flat_map(|body| &body.forms) {
            let method = operation.method.as_str().to_lowercase();
            let media = &document["paths"][&operation.path][&method]["requestBody"]["content"][&form.media_type];
            let several = media["examples"].as_object().into_iter().flat_map(|examples| examples.values());
            let several = several.map(|example| {
                let place = example["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
                &place.map_or(example, |place| document.pointer(place).unwrap())["value"]
            });
            let all: Vec<Value> = media.get("example").into_iter().chain(several).cloned().collect();
            assert!(!all.is_empty(), "{}: {} has no example", operation.id, form.media_type);
            found.extend(all.into_iter().map(|example| (operation, form, example)));
        }
    }
    found
}

/// Returns every time in a value.
fn moments(value: &Value) -> Vec<Timestamp> {
    match value {
        Value::String(text) => text.parse::<Timestamp>().into_iter().collect(),
        Value::Array(entries) => entries.iter().flat_map(moments).collect(),
        Value::Object(fields) => fields.values().flat_map(moments).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn timestamps_in_request_examples_are_far_ahead() {
    let far_ahead: Timestamp = FAR_AHEAD.parse().unwrap();
    let mut seen = 0;
    for (operation, _, example) in examples() {
        for moment in moments(&example) {
            assert!(moment > far_ahead, "{}: {moment} lies in the past when the example is sent", operation.id);
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen}");
}

/// Adds an example as the body of the call.
fn with<'h>(call: Call<'h>, form: &BodyForm, example: &Value) -> Call<'h> {
    match form.kind {
        BodyKind::Json | BodyKind::MergePatch => call.raw(&form.media_type, &example.to_string()),
        BodyKind::Form => {
            let fields = example.as_object().unwrap().iter();
            let fields: Vec<(&str, &str)> =
                fields.map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
            call.form(&fields)
        }
        BodyKind::Multipart | BodyKind::Binary => panic!("{} holds a file", form.media_type),
    }
}

/// Returns the errors of the body itself, without references to missing resources.
fn faults(answer: &Answer) -> Vec<String> {
    let oauth = answer.json["error"].as_str();
    if answer.status == 400 && !matches!(oauth, Some("invalid_client" | "invalid_grant")) {
        return vec![answer.text()];
    }
    let errors = answer.json["errors"].as_array().filter(|_| answer.status == 422).into_iter().flatten();
    // An example cannot contain a secret or an id of this database.
    let names_nothing = |error: &Value| {
        let (code, pointer) = (error["code"].as_str().unwrap(), error["pointer"].as_str().unwrap_or_default());
        match code {
            "INVALID" => ["/token", "/invitation_token"].contains(&pointer),
            "WRONG_PASSWORD" | "WRONG_CODE" | "UNKNOWN" => true,
            _ => code.starts_with("UNKNOWN_") && !VIOLATIONS.contains(&code),
        }
    };
    errors.filter(|error| !names_nothing(error)).map(Value::to_string).collect()
}

#[tokio::test]
async fn every_request_example_is_accepted_unchanged() {
    let cast = Cast::new().await;
    let (mut sent, mut broken) = (0, Vec::new());
    for (operation, form, example) in examples() {
        // Uploads need the bytes of an image or a file, which an example does not contain.
        if matches!(form.kind, BodyKind::Binary | BodyKind::Multipart) {
            continue;
        }
        assert_ne!(operation.method, Method::GET, "{}", operation.id);
        let call = cast.addressed(operation);
        let call = match operation.access.name() {
            "public" | "cookie" | "client" => call,
            _ => call.token(cast.token_for(operation)),
        };
        let answer = with(call, form, &example).send().await;
        sent += 1;
        let faults = faults(&answer);
        if !faults.is_empty() {
            broken.push(format!("{}: {example} is answered {}: {faults:?}", operation.id, answer.status));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(sent > 150, "{sent}");
}

/// Returns a problem document without the members that identify the request.
fn explanation(problem: &Value) -> Value {
    let Value::Object(mut members) = problem.clone() else { panic!("{problem}") };
    members.retain(|name, _| name != "instance" && name != "request_id");
    Value::Object(members)
}

#[tokio::test]
async fn rejection_is_explained_alike_by_rest_and_playground() {
    let cast = Cast::new().await;
    let documents = Documents::load().unwrap();
    let is_of_staff = |operation: &Operation| {
        let media = &operation.responses[&operation.success].media;
        // A missing parameter is an error of the query there, not of the operation.
        let is_comparable = media.keys().all(|media_type| media_type == "application/json")
            && operation.parameters_in(ParameterIn::Query).all(|parameter| !parameter.required);
        matches!(&operation.access, Access::Scope(scope) if scope.starts_with("labs.admin") && is_comparable)
    };
    let bodies = examples().into_iter().filter(|(_, form, _)| form.kind == BodyKind::Json);
    let bodies = bodies.map(|(operation, form, body)| (operation, Some((form, body))));
    let reads = operations().filter(|operation| operation.body.is_none()).map(|operation| (operation, None));
    let (mut compared, mut apart) = (BTreeMap::<String, u32>::new(), Vec::new());
    for (operation, body) in bodies.chain(reads).filter(|(operation, _)| is_of_staff(operation)) {
        let Some(document) = documents.get(&operation.id) else { continue };
        let call = cast.addressed(operation).token(cast.token_for(operation));
        let call = match &body {
            Some((form, body)) => with(call, form, body),
            None => call,
        };
        let rest = call.send().await;
        if rest.status < 400 {
            continue;
        }
        let places = operation.parameters_in(ParameterIn::Path);
        let mut variables: Map<String, Value> =
            places.map(|parameter| (parameter.name.clone(), absent(&parameter.name).into())).collect();
        variables.extend(body.map(|(_, body)| ("body".to_owned(), body)));
        let told = cast.at_the_door(&cast.staff.token, &document.text, &Value::Object(variables)).await;
        let told: Value = told.json().await.unwrap();
        if explanation(problem(&told)) != explanation(&rest.json) {
            apart.push(format!("{}: {} and {told}", operation.id, rest.json));
        }
        *compared.entry(rest.code().to_owned()).or_default() += 1;
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
    assert!(compared.len() > 2 && compared.values().sum::<u32>() > 60, "{compared:?}");
}
