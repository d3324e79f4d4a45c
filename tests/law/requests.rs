//! What comes in badly gets a clear refusal and loses nothing; what every answer carries is there.

use labs_rest::contract::{BodyKind, Operation, Place};
use serde_json::json;

use super::{Cast, operations};

fn with_json() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| {
        operation.body.as_ref().is_some_and(|body| body.forms.iter().any(|form| form.kind == BodyKind::Json))
    })
}

/// Whether whatever is asked for is known by an id, of which a made-up one looks like any other.
fn is_by_uuid(operation: &Operation) -> bool {
    operation.parameters_in(Place::Path).all(|parameter| parameter.name.ends_with("_uuid"))
}

fn has_no_path_parameter(operation: &Operation) -> bool {
    operation.parameters_in(Place::Path).next().is_none()
}

/// A call by somebody who may make it, with nothing in it yet.
fn begun<'c>(cast: &'c Cast, operation: &'static Operation) -> crate::house::Call<'c> {
    let call = cast.addressed(operation);
    match operation.access.name() {
        "public" | "cookie" | "client" => call,
        _ => call.token(cast.token_for(operation)),
    }
}

#[tokio::test]
async fn bodies_that_cannot_be_read_are_400() {
    let cast = Cast::new().await;
    for operation in with_json() {
        for bad in ["{", "[1,", "{\"a\":1,\"a\":2}", "nul", "{\"a\":\u{1}}", "{} {}"] {
            let answer = begun(&cast, operation).raw("application/json", bad).send().await;
            assert_eq!(
                (answer.status, answer.code()),
                (400, "MALFORMED_REQUEST"),
                "{} with {bad:?}: {}",
                operation.id,
                answer.text()
            );
        }
    }
}

#[tokio::test]
async fn bodies_of_another_kind_are_415_and_too_large_ones_413() {
    let cast = Cast::new().await;
    for operation in with_json() {
        let answer = begun(&cast, operation).raw("text/plain", "{}").send().await;
        assert_eq!(
            (answer.status, answer.code()),
            (415, "UNSUPPORTED_MEDIA_TYPE"),
            "{}: {}",
            operation.id,
            answer.text()
        );
        let large = format!("{{\"note\":\"{}\"}}", "x".repeat(1_100_000));
        let answer = begun(&cast, operation).raw("application/json", &large).send().await;
        assert_eq!((answer.status, answer.code()), (413, "PAYLOAD_TOO_LARGE"), "{}", operation.id);
    }
}

#[tokio::test]
async fn bodies_where_none_is_read_are_refused() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| operation.body.is_none() && is_by_uuid(operation)) {
        let answer = cast.admitted(operation).raw("application/json", "{}").send().await;
        assert_eq!((answer.status, answer.code()), (422, "VALIDATION_FAILED"), "{}: {}", operation.id, answer.text());
        assert_eq!(answer.json["errors"][0]["code"], "NOT_ALLOWED", "{}: {}", operation.id, answer.text());
    }
}

#[tokio::test]
async fn unknown_fields_and_a_zero_character_are_named() {
    let cast = Cast::new().await;
    for operation in with_json() {
        let answer = begun(&cast, operation).json(&json!({ "no_such_field": 1 })).send().await;
        assert_eq!(answer.status, 422, "{}: {}", operation.id, answer.text());
        assert!(names(&answer.json, "pointer", "/no_such_field"), "{}: {}", operation.id, answer.text());
        let answer = begun(&cast, operation).raw("application/json", "{\"name\":\"a\\u0000b\"}").send().await;
        assert_eq!(answer.status, 422, "{}: {}", operation.id, answer.text());
    }
}

#[tokio::test]
async fn unknown_query_parameters_are_named() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| cast_reads_query(operation)) {
        let answer = cast.admitted(operation).query("no_such_parameter", "1").send().await;
        assert_eq!(answer.status, 422, "{}: {}", operation.id, answer.text());
        assert!(names(&answer.json, "parameter", "no_such_parameter"), "{}: {}", operation.id, answer.text());
    }
}

#[tokio::test]
async fn lists_refuse_limits_out_of_range_and_cursors_that_are_not_theirs() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| operation.is_list && is_by_uuid(operation)) {
        for bad in ["0", "101", "-1", "x", "1.5"] {
            let answer = cast.admitted(operation).query("limit", bad).send().await;
            assert_eq!(answer.status, 422, "{} with limit={bad}: {}", operation.id, answer.text());
        }
        if !has_no_path_parameter(operation) {
            continue;
        }
        let answer = cast.admitted(operation).query("cursor", "bm90IG91cnM").send().await;
        assert_eq!((answer.status, answer.code()), (400, "INVALID_CURSOR"), "{}: {}", operation.id, answer.text());
        let page = cast.admitted(operation).query("limit", "1").expect(200).await;
        assert!(page.json["page"]["has_more"].is_boolean(), "{}", operation.id);
    }
}

#[tokio::test]
async fn methods_that_a_path_does_not_know_are_405_with_allow() {
    let cast = Cast::new().await;
    for operation in operations() {
        let path = operation.parameters_in(Place::Path).fold(operation.path.clone(), |path, parameter| {
            path.replace(&format!("{{{}}}", parameter.name), "0198d000-0000-7000-8000-00000000dead")
        });
        let url = format!("{}{path}", cast.house.base_url);
        let trace = cast.house.http().request(reqwest::Method::TRACE, &url).send().await.unwrap();
        assert_eq!(trace.status(), 405, "{}", operation.id);
        let allow = trace.headers()["allow"].to_str().unwrap();
        assert!(allow.split(", ").any(|method| method == operation.method.as_str()), "{}: {allow}", operation.id);
        let options = cast.house.http().request(reqwest::Method::OPTIONS, &url).send().await.unwrap();
        assert_eq!(options.status(), 204, "{}", operation.id);
        assert_eq!(options.headers()["allow"].to_str().unwrap(), allow, "{}", operation.id);
    }
}

#[tokio::test]
async fn what_the_caller_does_not_accept_is_406() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| operation.success != 204) {
        let answer = cast.admitted(operation).header("accept", "application/x-nothing").send().await;
        let expected = [404, 406];
        assert!(expected.contains(&answer.status), "{}: {} {}", operation.id, answer.status, answer.text());
    }
}

#[tokio::test]
async fn a_write_that_compares_nothing_refuses_to_be_asked_to() {
    let cast = Cast::new().await;
    let reads_json = |operation: &Operation| {
        operation.body.as_ref().is_none_or(|body| body.forms.iter().any(|form| form.kind == BodyKind::Json))
    };
    let overlooks = |operation: &&Operation| {
        let is_write = operation.method != http::Method::GET;
        is_write && !operation.takes_if_match && reads_json(operation) && is_by_uuid(operation)
    };
    let mut asked = 0;
    for operation in operations().filter(overlooks) {
        if matches!(operation.access.name(), "cookie" | "client") || operation.path.contains("/oauth/") {
            continue;
        }
        let call = begun(&cast, operation).header("if-match", "\"a\"");
        let call = if operation.body.is_some() { call.json(&json!({})) } else { call };
        let answer = call.send().await;
        assert_eq!(answer.status, 422, "{}: {}", operation.id, answer.text());
        assert!(names(&answer.json, "parameter", "If-Match"), "{}: {}", operation.id, answer.text());
        asked += 1;
    }
    assert!(asked > 50, "{asked}");
}

#[tokio::test]
async fn secured_answers_are_not_stored_and_every_answer_is_guarded() {
    let cast = Cast::new().await;
    for operation in operations() {
        let answer = cast.admitted(operation).send().await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{}", operation.id);
        assert!(!answer.header("content-security-policy").is_empty(), "{}", operation.id);
        if operation.access.name() != "public" {
            assert_eq!(answer.header("cache-control"), "no-store", "{}", operation.id);
        }
    }
}

#[tokio::test]
async fn a_well_formed_request_id_is_kept_and_another_is_replaced() {
    let cast = Cast::new().await;
    for operation in operations() {
        let kept = cast.admitted(operation).header("x-request-id", "order-17.a").send().await;
        assert_eq!(kept.header("x-request-id"), "order-17.a", "{}", operation.id);
        let replaced = cast.admitted(operation).header("x-request-id", "a b").send().await;
        assert_ne!(replaced.header("x-request-id"), "a b", "{}", operation.id);
    }
}

fn cast_reads_query(operation: &Operation) -> bool {
    is_by_uuid(operation)
        && !matches!(operation.access.name(), "cookie" | "client")
        && !operation.path.contains("/oauth/")
}

fn names(problem: &serde_json::Value, place: &str, value: &str) -> bool {
    problem["errors"].as_array().is_some_and(|errors| errors.iter().any(|error| error[place] == value))
}
