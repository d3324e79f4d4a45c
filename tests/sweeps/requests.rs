//! Request sweep: invalid requests get a clear error and lose no data; every response has its required parts in the
//! requested format.

use std::io::Read as _;

use http::Method;
use labs_rest::contract::{BodyKind, Contract, Operation, ParameterIn};
use serde_json::json;

use super::headers::lacking;
use super::stock::Stock;
use super::{Cast, empty_body, filled, operations};
use crate::harness::Harness;

/// Minimum size of a compressed body, in bytes.
const WORTH_COMPRESSING: usize = 1024;

fn with_json() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| {
        operation.body.as_ref().is_some_and(|body| body.forms.iter().any(|form| form.kind == BodyKind::Json))
    })
}

/// Whether all path parameters are ids, for which an invented value looks valid.
fn is_by_uuid(operation: &Operation) -> bool {
    operation.parameters_in(ParameterIn::Path).all(|parameter| parameter.name.ends_with("_uuid"))
}

fn has_no_path_parameter(operation: &Operation) -> bool {
    operation.parameters_in(ParameterIn::Path).next().is_none()
}

/// An empty call by an authorized caller.
fn begun<'c>(cast: &'c Cast, operation: &'static Operation) -> crate::harness::Call<'c> {
    let call = cast.addressed(operation);
    match operation.access.name() {
        "public" | "cookie" | "client" => call,
        _ => call.token(cast.token_for(operation)),
    }
}

#[tokio::test]
async fn unreadable_bodies_return_400() {
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
async fn encoded_bodies_return_415() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| operation.body.is_some() && is_by_uuid(operation)) {
        let form = &operation.body.as_ref().unwrap().forms[0];
        let media_type = match form.kind {
            BodyKind::Multipart => "multipart/form-data; boundary=end",
            _ => form.media_type.as_str(),
        };
        for (coding, is_refused) in [("gzip", true), ("identity, br", true), ("identity", false)] {
            let call = begun(&cast, operation).header("content-encoding", coding).raw(media_type, "\u{1f}{");
            let answer = call.send().await;
            assert_eq!(answer.status == 415, is_refused, "{} in {coding}: {}", operation.id, answer.text());
        }
    }
}

#[tokio::test]
async fn bodies_of_another_type_return_415_and_oversized_return_413() {
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
async fn unexpected_bodies_are_rejected() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| operation.body.is_none() && is_by_uuid(operation)) {
        for body in ["{\"a\":1}", "[]", "null", "{} {}", "{\"reason\":\"longer than an empty object may be\"}"] {
            let answer = cast.admitted(operation).raw("application/json", body).send().await;
            let found = (answer.status, answer.code());
            assert_eq!(found, (422, "VALIDATION_FAILED"), "{}: {}", operation.id, answer.text());
            assert_eq!(answer.json["errors"][0]["code"], "NOT_ALLOWED", "{}: {}", operation.id, answer.text());
        }
    }
}

#[tokio::test]
async fn empty_object_is_accepted_without_expected_body() {
    let cast = Cast::new().await;
    // For a missing resource, so that no write affects the next call.
    let changes_nothing = |operation: &Operation| {
        let mut named = operation.parameters_in(ParameterIn::Path).filter(|parameter| parameter.name != "partner_uuid");
        is_by_uuid(operation) && (!operation.is_write() || named.next().is_some())
    };
    for operation in operations().filter(|operation| operation.body.is_none() && changes_nothing(operation)) {
        let plain = cast.admitted(operation).send().await;
        for body in ["{}", " {\r\n} "] {
            let answer = cast.admitted(operation).raw("application/json", body).send().await;
            assert_eq!(
                (answer.status, answer.code()),
                (plain.status, plain.code()),
                "{}: {}",
                operation.id,
                answer.text()
            );
        }
    }
}

#[tokio::test]
async fn unknown_fields_and_null_characters_are_reported() {
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
async fn unknown_query_parameters_are_reported() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| cast_reads_query(operation)) {
        let answer = cast.admitted(operation).query("no_such_parameter", "1").send().await;
        assert_eq!(answer.status, 422, "{}: {}", operation.id, answer.text());
        assert!(names(&answer.json, "parameter", "no_such_parameter"), "{}: {}", operation.id, answer.text());
    }
}

#[tokio::test]
async fn lists_reject_limits_out_of_range_and_foreign_cursors() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| operation.is_list && is_by_uuid(operation)) {
        for bad in ["0", "101", "-1", "x", "1.5"] {
            let answer = cast.admitted(operation).query("limit", bad).send().await;
            assert_eq!(answer.status, 422, "{} with limit={bad}: {}", operation.id, answer.text());
        }
        // Statistics need a partner whose tier grants them; `tests/statistics` tests them.
        if !has_no_path_parameter(operation) || operation.id.starts_with("statistics_apps") {
            continue;
        }
        let answer = cast.admitted(operation).query("cursor", "bm90IG91cnM").send().await;
        assert_eq!((answer.status, answer.code()), (400, "INVALID_CURSOR"), "{}: {}", operation.id, answer.text());
        let page = cast.admitted(operation).query("limit", "1").expect(200).await;
        assert!(page.json["page"]["has_more"].is_boolean(), "{}", operation.id);
    }
}

#[tokio::test]
async fn timestamps_beyond_supported_range_are_reported() {
    let cast = Cast::new().await;
    let mut parameters = 0;
    for operation in operations().filter(|operation| cast_reads_query(operation)) {
        for parameter in
            operation.parameters_in(ParameterIn::Query).filter(|parameter| parameter.name.ends_with("_until"))
        {
            let answer = cast.admitted(operation).query(&parameter.name, "9999-12-31T23:59:59Z").send().await;
            assert_eq!(answer.status, 422, "{} with {}: {}", operation.id, parameter.name, answer.text());
            assert!(names(&answer.json, "parameter", &parameter.name), "{}: {}", operation.id, answer.text());
            parameters += 1;
        }
    }
    assert!(parameters > 10, "only {parameters} parameters are the end of a span");
}

#[tokio::test]
async fn unsupported_methods_return_405_with_allow() {
    let cast = Cast::new().await;
    for operation in operations() {
        let path = operation.parameters_in(ParameterIn::Path).fold(operation.path.clone(), |path, parameter| {
            path.replace(&format!("{{{}}}", parameter.name), "0198d000-0000-7000-8000-00000000dead")
        });
        let url = format!("{}{path}", cast.harness.base_url);
        let trace = cast.harness.http().request(Method::TRACE, &url).send().await.unwrap();
        assert_eq!(trace.status(), 405, "{}", operation.id);
        let allow = trace.headers()["allow"].to_str().unwrap();
        assert!(allow.split(", ").any(|method| method == operation.method.as_str()), "{}: {allow}", operation.id);
        let options = cast.harness.http().request(Method::OPTIONS, &url).send().await.unwrap();
        assert_eq!(options.status(), 204, "{}", operation.id);
        assert_eq!(options.headers()["allow"].to_str().unwrap(), allow, "{}", operation.id);
    }
}

#[tokio::test]
async fn unacceptable_media_type_returns_406() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| operation.success != 204) {
        // A path with an unknown kind of image returns 404.
        let call = if operation.path.ends_with("/{kind}") {
            let own = cast.administrator.partner_uuid.unwrap().to_string();
            let names = operation.parameters_in(ParameterIn::Path).map(|parameter| parameter.name.as_str());
            let named = names.fold(cast.harness.call(&operation.id), |call, name| match name {
                "kind" => call.path(name, "LOGO"),
                "partner_uuid" => call.path(name, &own),
                _ => call.path(name, "nobody"),
            });
            named.token(cast.token_for(operation))
        } else {
            cast.admitted(operation)
        };
        let answer = call.header("accept", "application/x-nothing, text/*;q=0").send().await;
        assert_eq!((answer.status, answer.code()), (406, "NOT_ACCEPTABLE"), "{}: {}", operation.id, answer.text());
    }
}

#[tokio::test]
async fn unconditional_write_rejects_preconditions() {
    let cast = Cast::new().await;
    let reads_json = |operation: &Operation| {
        operation.body.as_ref().is_none_or(|body| body.forms.iter().any(|form| form.kind == BodyKind::Json))
    };
    let overlooks = |operation: &&Operation| {
        let is_write = operation.method != Method::GET;
        is_write && !operation.takes_if_match && reads_json(operation) && is_by_uuid(operation)
    };
    let mut asked = 0;
    for operation in operations().filter(overlooks) {
        if matches!(operation.access.name(), "cookie" | "client") || operation.path.contains("/oauth/") {
            continue;
        }
        let call = begun(&cast, operation).header("if-match", "\"a\"").header("if-none-match", "*");
        let call = if operation.body.is_some() { call.json(&json!({})) } else { call };
        let answer = call.send().await;
        assert_eq!(answer.status, 422, "{}: {}", operation.id, answer.text());
        for condition in ["If-Match", "If-None-Match"] {
            assert!(names(&answer.json, "parameter", condition), "{}: {}", operation.id, answer.text());
        }
        asked += 1;
    }
    assert!(asked > 50, "{asked}");
}

#[tokio::test]
async fn responses_have_security_headers_and_authenticated_are_private() {
    let cast = Cast::new().await;
    for operation in operations() {
        let admitted = cast.admitted(operation).send().await;
        let anonymous = empty_body(operation, filled(&cast.harness, operation)).send().await;
        for answer in [admitted, anonymous] {
            let lacking = lacking(&answer.headers);
            assert!(lacking.is_empty(), "{} answered {} without {lacking:?}", operation.id, answer.status);
            if operation.access.name() != "public" {
                let kept = answer.header("cache-control");
                assert!(matches!(kept, "no-store" | "private, no-cache"), "{}: {kept}", operation.id);
            }
        }
    }
}

#[tokio::test]
async fn valid_request_id_is_kept_and_invalid_replaced() {
    let cast = Cast::new().await;
    for operation in operations() {
        let kept = cast.admitted(operation).header("x-request-id", "order-17.a").send().await;
        assert_eq!(kept.header("x-request-id"), "order-17.a", "{}", operation.id);
        let replaced = cast.admitted(operation).header("x-request-id", "a b").send().await;
        assert_ne!(replaced.header("x-request-id"), "a b", "{}", operation.id);
    }
}

#[tokio::test]
async fn head_returns_headers_of_get_without_body() {
    let stock = Stock::new().await;
    let (mut alike, mut apart) = (0, Vec::new());
    for operation in operations().filter(|operation| operation.method == Method::GET) {
        // The test sets the request id, so that an error response, which contains it, is the same each time.
        let ask = async |method: Method| {
            let request = stock.request(method, operation).header("x-request-id", operation.id.as_str());
            let answer = request.send().await.unwrap();
            (answer.status(), answer.headers().clone(), answer.bytes().await.unwrap())
        };
        let (before, head, after) = (ask(Method::GET).await, ask(Method::HEAD).await, ask(Method::GET).await);
        assert_eq!((head.0, head.2.len()), (before.0, 0), "{}", operation.id);
        assert!(lacking(&head.1).is_empty(), "{}: {:?}", operation.id, head.1);
        assert_eq!(head.1.get("content-type"), before.1.get("content-type"), "{}", operation.id);
        // If the body changes with every call (a log of calls), the headers change too.
        if before.2 != after.2 {
            apart.push(&operation.id);
            continue;
        }
        for name in ["cache-control", "content-disposition", "content-length", "etag", "link", "vary"] {
            assert_eq!(head.1.get(name), before.1.get(name), "{name} of {}", operation.id);
        }
        alike += usize::from(before.0 == 200);
    }
    assert!(alike > 50 && alike > 3 * apart.len(), "{alike} were compared, and these were not: {apart:?}");
}

/// Decompresses gzip data. It wraps the data in a ZIP entry, because the tests have a ZIP reader.
fn unpacked(gzip: &[u8]) -> Vec<u8> {
    assert_eq!(gzip[..4], [0x1f, 0x8b, 8, 0], "a head of ten bytes");
    let (deflated, tail) = gzip[10..].split_at(gzip.len() - 18);
    let (checksum, length) = tail.split_at(4);
    let packed_length = (deflated.len() as u32).to_le_bytes();
    // ZIP entry header: version, no flags, deflate, midnight of the first day; then a name of one letter and no extra
    // field.
    let head: &[u8] = b"PK\x03\x04\x14\0\0\0\x08\0\0\0\x21\0";
    let entry = [head, checksum, &packed_length, length, b"\x01\0\0\0a", deflated].concat();
    let (mut entry, mut bytes) = (entry.as_slice(), Vec::new());
    let mut file = zip::read::read_zipfile_from_stream(&mut entry).unwrap().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

#[tokio::test]
async fn only_large_compressible_responses_are_gzipped() {
    let stock = Stock::new().await;
    let (mut large, mut small, mut pictures, mut tagged) = (0, 0, 0, 0);
    for operation in operations().filter(|operation| operation.method == Method::GET) {
        let ask = || stock.call(&operation.id);
        let (before, sent) = (ask().send().await, ask().header("accept-encoding", "gzip").send().await);
        assert_eq!((before.header("content-encoding"), sent.status), ("", before.status), "{}", operation.id);
        // A response that changes with every call cannot be compared.
        if before.status != 200 || ask().send().await.bytes != before.bytes {
            continue;
        }
        let is_json = before.header("content-type") == "application/json";
        if is_json && before.bytes.len() >= WORTH_COMPRESSING {
            let told = ["content-encoding", "vary"].map(|name| sent.header(name));
            assert_eq!(told, ["gzip", "accept-encoding"], "{}", operation.id);
            assert_eq!(before.header("vary"), "accept-encoding", "{}: neither is kept for the other", operation.id);
            assert!(sent.bytes.len() < before.bytes.len(), "{}", operation.id);
            assert!(unpacked(&sent.bytes) == before.bytes, "{} holds something else", operation.id);
            let tags = [&before, &sent].map(|answer| answer.header("etag"));
            if tags != ["", ""] {
                assert_ne!(tags[0], tags[1], "{}: a strong tag stands for the same bytes", operation.id);
                for tag in tags {
                    let same = ask().header("if-none-match", tag).send().await;
                    assert!(same.status == 304 || same.bytes != before.bytes, "{} to {tag}", operation.id);
                    if same.status != 304 {
                        continue;
                    }
                    let told = ["etag", "vary"].map(|name| same.header(name));
                    assert_eq!(told, [tag, "accept-encoding"], "{}: a cache looks for what it holds", operation.id);
                }
                tagged += 1;
            }
            large += 1;
        } else if is_json || before.header("content-type").starts_with("image/") {
            assert_eq!(sent.header("content-encoding"), "", "{}", operation.id);
            assert!(sent.bytes == before.bytes, "{} is another", operation.id);
            *(if is_json { &mut small } else { &mut pictures }) += 1;
        }
    }
    assert!(large > 5 && small > 5 && pictures >= 3, "{large} large, {small} small, {pictures} pictures");
    assert!(tagged > 1, "{tagged} large ones with a tag");
}

#[tokio::test]
async fn reference_equals_served_contract_and_returns_304_if_unchanged() {
    let harness = Harness::new().await;
    let served = Contract::embedded().unwrap_or_else(|found| panic!("{found:#?}")).at_base_url(&harness.base_url);
    let server = format!("\nservers:\n- url: \"{}\"\n", harness.base_url);
    assert!(served.text().contains(&server), "the served contract names the address at which it is served");
    for id in ["publication_api_reference_get", "system_contract_get"] {
        let answer = harness.call(id).expect(200).await;
        assert!(answer.bytes == served.text().as_bytes(), "{id} answers something else");
        assert_eq!(answer.header("content-type"), "application/yaml", "{id}");
        let tag = answer.header("etag");
        for known in [tag.to_owned(), format!("W/{tag}"), format!("\"another\", {tag}"), "*".to_owned()] {
            let same = harness.call(id).header("if-none-match", &known).expect(304).await;
            let told = if known.starts_with("W/") { &known } else { tag };
            assert_eq!((same.bytes.len(), same.header("etag")), (0, told), "{id} to {known}");
        }
        harness.call(id).header("if-none-match", "\"another\"").expect(200).await;
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
