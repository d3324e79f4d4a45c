//! The example of each request body in the contract is one that the service reads and accepts.

use http::Method;
use jiff::Timestamp;
use labs_rest::contract::{BodyForm, BodyKind, Operation};
use serde_json::Value;

use super::{Cast, operations};
use crate::harness::{Answer, Call, contract};

/// A moment to come in an example lies behind this one, so that the example can be sent for years.
const FAR_AHEAD: &str = "2036-01-01T00:00:00Z";

/// The codes of contract violations that begin like those of references to things that do not exist.
const VIOLATIONS: [&str; 2] = ["UNKNOWN_FIELD", "UNKNOWN_PARAMETER"];

/// Every example of a request body, by operation and media type.
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

/// Every moment in a value.
fn moments(value: &Value) -> Vec<Timestamp> {
    match value {
        Value::String(text) => text.parse::<Timestamp>().into_iter().collect(),
        Value::Array(entries) => entries.iter().flat_map(moments).collect(),
        Value::Object(fields) => fields.values().flat_map(moments).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn moments_in_request_examples_lie_far_ahead() {
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

/// The call with an example as its body.
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

/// What is wrong with the body itself. That something which it names does not exist is not wrong with it.
fn faults(answer: &Answer) -> Vec<String> {
    let oauth = answer.json["error"].as_str();
    if answer.status == 400 && !matches!(oauth, Some("invalid_client" | "invalid_grant")) {
        return vec![answer.text()];
    }
    let errors = answer.json["errors"].as_array().filter(|_| answer.status == 422).into_iter().flatten();
    // An example cannot know a secret or an id of this database.
    let names_nothing = |code: &str| {
        ["INVALID", "WRONG_PASSWORD", "WRONG_CODE", "COUNTRY_MISMATCH", "UNKNOWN"].contains(&code)
            || code.starts_with("UNKNOWN_") && !VIOLATIONS.contains(&code)
    };
    errors.filter(|error| !names_nothing(error["code"].as_str().unwrap())).map(Value::to_string).collect()
}

#[tokio::test]
async fn every_request_example_is_accepted_as_it_is() {
    let cast = Cast::new().await;
    let (mut sent, mut broken) = (0, Vec::new());
    for (operation, form, example) in examples() {
        // Uploads need bytes of a picture or a file, which an example does not hold.
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
