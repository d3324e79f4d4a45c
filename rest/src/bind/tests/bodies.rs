use labs_core::text::normalize;
use proptest::prelude::*;
use serde_json::json;

use super::super::json;
use super::*;

#[tokio::test]
async fn valid_body_is_bound() {
    let bound = create(GOOD).bind(CREATE).await.unwrap();
    assert_eq!(bound.variables["body"]["contact"]["kind"], json!("EMAIL"));
    let with_charset = Call::default().body("application/json; charset=UTF-8", GOOD);
    assert!(with_charset.bind(CREATE).await.is_ok());
}

#[tokio::test]
async fn merge_patch_keeps_null_fields() {
    let patch = Call::default().path("app_uuid", APP).body("application/merge-patch+json", r#"{"website": null}"#);
    assert_eq!(patch.variables("marketplace_apps_update").await, json!({"app_uuid": APP, "body": {"website": null}}));
    let nothing = Call::default().path("app_uuid", APP).json("{}");
    assert_eq!(nothing.refused("marketplace_apps_update").await, one(422, "", FieldCode::TooFew));
}

#[tokio::test]
async fn unparsable_json_is_malformed() {
    for body in
        ["{", "{\"a\": 1,}", "{'a': 1}", "NaN", "{} {}", "{\"a\": 1e999}", "\"\\ud800\"", "{\"a\"}", "\u{feff}{}"]
    {
        assert_eq!(create(body).refused(CREATE).await, (400, vec![]), "{body}");
    }
    assert_eq!(
        Call::default().body("application/json", b"{\"a\": \"\xff\"}".to_vec()).refused(CREATE).await,
        (400, vec![])
    );
    let detail = create("{\"name\": secret}").detail(CREATE).await;
    assert!(detail.starts_with("The body is not valid JSON: ") && detail.contains("line 1 column"), "{detail}");
    assert!(!detail.contains("secret"), "{detail}");
}

#[tokio::test]
async fn duplicate_json_key_is_named() {
    let twice = create(r#"{"name": "A", "contact": {"kind": "URL", "kind": "EMAIL"}}"#);
    assert_eq!(twice.refused(CREATE).await, one(400, "/contact/kind", FieldCode::Duplicate));
    let escaped = create(r#"{"name": "A", "n\u0061me": "B"}"#);
    assert_eq!(escaped.refused(CREATE).await, one(400, "/name", FieldCode::Duplicate));
}

#[tokio::test]
async fn body_depth_and_length_are_limited() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(create(&deep(32)).refused(CREATE).await, one(422, "", FieldCode::Type));
    assert_eq!(create(&deep(33)).refused(CREATE).await.0, 400);
    assert_eq!(create(&deep(100_000)).refused(CREATE).await.0, 400);
    let long = |entries: usize| format!("{{\"keywords\": [{}]}}", vec!["1"; entries].join(","));
    assert_eq!(create(&long(1000)).refused(CREATE).await.0, 422);
    assert_eq!(create(&long(1001)).refused(CREATE).await, one(400, "/keywords", FieldCode::TooMany));
}

#[tokio::test]
async fn body_with_many_errors_is_rejected_quickly() {
    // Each of these took seconds to minutes before the number of computed errors was limited to the first fifty.
    let numbers = format!("[{}]", vec!["1e99"; 1000].join(","));
    let deep = (0..30).fold(format!("[{}]", vec![numbers; 100].join(",")), |inner, level| {
        format!("{{\"{}\": {inner}}}", format!("{level:02}").repeat(500))
    });
    let (status, errors) = create(&deep).refused(CREATE).await;
    assert_eq!((status, errors.len()), (422, 50));
    let many: Vec<String> = (0..100_000).map(|number| format!("\"{number:x}\": 0")).collect();
    let (status, errors) = create(&format!("{{{}}}", many.join(","))).refused(CREATE).await;
    assert_eq!((status, errors.len()), (422, 50));
    let form = Call::default().body("application/x-www-form-urlencoded", "a&".repeat(300_000));
    let (status, errors) = form.refused("auth_tokens_issue").await;
    assert_eq!((status, errors.len()), (400, 50));
    let key = create(&format!("{{\"contact\": {{\"{}\": 1}}}}", "k".repeat(1025)));
    assert_eq!(key.refused(CREATE).await, one(400, "/contact", FieldCode::TooLong));
}

#[tokio::test]
async fn null_character_is_rejected_in_keys_and_values() {
    let value = create(&GOOD.replace("Tables", "Ta\\u0000"));
    assert_eq!(value.refused(CREATE).await, one(422, "/name", FieldCode::Character));
    let key = create(&GOOD.replace("\"name\"", "\"names\": {\"d\\u0000\": \"x\"}, \"name\""));
    let (status, errors) = key.refused(CREATE).await;
    assert_eq!(status, 422);
    assert!(errors.iter().any(|(_, code)| *code == FieldCode::Character), "{errors:?}");
}

#[tokio::test]
async fn inexact_numbers_are_rejected() {
    let seats = |number: &str| create(&GOOD.replace("\"name\"", &format!("\"seats\": {number}, \"name\"")));
    assert_eq!(seats("7").variables(CREATE).await["body"]["seats"], json!(7));
    let whole = seats("7.0").variables(CREATE).await;
    assert!(whole["body"]["seats"].is_i64(), "{whole}");
    for number in ["100000000000000000000", "18446744073709551615", "1e30"] {
        let (status, errors) = seats(number).refused(CREATE).await;
        assert_eq!((status, &errors[0]), (422, &("/seats".to_owned(), FieldCode::Range)), "{number}");
    }
}

#[tokio::test]
async fn errors_in_query_headers_and_body_are_reported_together() {
    let call = create(r#"{"nam": "Tables"}"#).query("x=1").header("idempotency-key", "");
    let (status, mut errors) = call.refused(CREATE).await;
    errors.sort();
    let names: Vec<&str> = errors.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((status, names), (422, vec!["/contact", "/nam", "/name", "Idempotency-Key", "x"]));
}

#[tokio::test]
async fn body_is_required_or_rejected_according_to_operation() {
    let none = Call::default();
    assert_eq!(none.refused(CREATE).await, (400, vec![]));
    assert_eq!(create("").refused(CREATE).await, (400, vec![]));
    let archive = Call::default().path("app_uuid", APP);
    assert_eq!(archive.variables("marketplace_apps_archive").await, json!({"app_uuid": APP}));
    let with_reason = Call::default().path("app_uuid", APP).json(r#"{"reason": "old"}"#);
    assert_eq!(with_reason.variables("marketplace_apps_archive").await["body"], json!({"reason": "old"}));
    for body in [r#"{"a": 1}"#, "[]", "null", "0", "{} {}", "{", "{{}}"] {
        let delete = Call::default().path("app_uuid", APP).json(body);
        assert_eq!(delete.refused("marketplace_apps_delete").await, one(422, "", FieldCode::NotAllowed), "{body}");
    }
    for body in ["", "{}", " {\r\n} "] {
        let delete = Call::default().path("app_uuid", APP).json(body);
        assert!(delete.bind("marketplace_apps_delete").await.is_ok(), "{body:?} is not a body");
    }
    let announced = |name, value| Call::default().path("app_uuid", APP).header(name, value);
    let coded = announced("content-length", "2").header("content-encoding", "gzip");
    for head in [announced("content-length", "17"), announced("content-length", "x"), coded] {
        let refused = head.refused("marketplace_apps_delete").await;
        assert_eq!(refused, one(422, "", FieldCode::NotAllowed), "before it is read");
    }
    assert!(announced("content-encoding", "gzip").bind("marketplace_apps_delete").await.is_ok(), "no body comes");
    for head in
        [announced("content-length", "0"), announced("content-length", "2"), announced("transfer-encoding", "chunked")]
    {
        assert!(head.bind("marketplace_apps_delete").await.is_ok(), "what comes is read first");
    }
}

#[tokio::test]
async fn other_media_types_are_unsupported() {
    for media_type in ["text/plain", "application/xml", "application/json; charset=latin1", "application/jsonx", "json"]
    {
        assert_eq!(Call::default().body(media_type, GOOD).refused(CREATE).await, (415, vec![]), "{media_type}");
    }
    let twice = create(GOOD).header("content-type", "application/json");
    assert_eq!(twice.refused(CREATE).await, (415, vec![]));
    let untyped = Call { body: Bytes::from_static(b"{}"), ..Call::default() };
    assert_eq!(untyped.refused(CREATE).await, (415, vec![]));
    assert_eq!(untyped.header("content-length", "2").refused(CREATE).await, (415, vec![]));
}

#[tokio::test]
async fn form_bodies_are_parsed_strictly() {
    let form = |body: &str| Call::default().body("application/x-www-form-urlencoded", body);
    let issue = "auth_tokens_issue";
    assert_eq!(
        form("grant_type=password&username=a%40b&password=p+w&scope=").variables(issue).await,
        json!({"body": {"grant_type": "password", "username": "a@b", "password": "p w", "scope": ""}})
    );
    let twice = form("grant_type=password&username=a&password=b&scope=a&scope=b");
    assert_eq!(twice.refused(issue).await, one(400, "/scope", FieldCode::Duplicate));
    let (status, errors) = form("grant_type=magic&user=a").refused(issue).await;
    assert_eq!((status, errors.len()), (422, 4), "{errors:?}");
    assert_eq!(form("").refused(issue).await.0, 422);
    assert_eq!(form("grant_type=%zz").refused(issue).await.0, 400);
    assert_eq!(Call::default().json("{}").refused(issue).await.0, 415);
}

fn parts(parts: &[(&str, &str)]) -> Call {
    let mut body = String::new();
    for (head, content) in parts {
        body.push_str(&format!("--frame\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n"));
    }
    body.push_str("--frame--\r\n");
    Call::default().path("app_uuid", APP).body("multipart/form-data; boundary=frame", body)
}

#[tokio::test]
async fn multipart_fields_and_files_are_bound() {
    let upload = "marketplace_media_upload";
    let bound = parts(&[
        ("name=\"kind\"", "ICON"),
        ("name=\"position\"", "3"),
        ("name=\"file\"; filename=\"icon.png\"\r\nContent-Type: image/png", "bytes"),
    ])
    .bind(upload)
    .await
    .unwrap();
    assert_eq!(bound.variables["body"], json!({"kind": "ICON", "position": 3}));
    assert_eq!(bound.attachments.len(), 1);
    let file = &bound.attachments[0];
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("file", "image/png"));
    assert_eq!((file.file_name.as_deref(), file.bytes.as_ref()), (Some("icon.png"), b"bytes".as_slice()));
}

#[tokio::test]
async fn invalid_multipart_is_rejected() {
    let upload = "marketplace_media_upload";
    let file = ("name=\"file\"; filename=\"icon.png\"", "bytes");
    assert_eq!(parts(&[("name=\"kind\"", "ICON")]).refused(upload).await, one(422, "/file", FieldCode::Required));
    let kind = parts(&[("name=\"kind\"", "LOGO"), file]);
    assert_eq!(kind.refused(upload).await, one(422, "/kind", FieldCode::Enum));
    let unknown = parts(&[("name=\"kind\"", "ICON"), file, ("name=\"more\"", "x")]);
    assert_eq!(unknown.refused(upload).await, one(422, "/more", FieldCode::UnknownField));
    let twice = parts(&[("name=\"kind\"", "ICON"), file, file]);
    assert_eq!(twice.refused(upload).await, one(400, "/file", FieldCode::Duplicate));
    let frameless = Call::default().path("app_uuid", APP).body("multipart/form-data", "x");
    assert_eq!(frameless.refused(upload).await, (400, vec![]));
    let torn = Call::default().path("app_uuid", APP).body("multipart/form-data; boundary=frame", "--frame\r\nx");
    assert_eq!(torn.refused(upload).await, (400, vec![]));
}

/// Any JSON value whose numbers are represented exactly and whose texts are in NFC, as a reader receives them.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_992_i64..9_007_199_254_740_992).prop_map(Value::from),
        (-1000_i32..1000).prop_map(|number| json!(f64::from(number) + 0.5)),
        "[^\u{0}]{0,12}".prop_map(|text| Value::from(normalize(&text).into_owned())),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::hash_map("[^\u{0}]{0,8}", inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    /// JSON from another serializer is read without changes.
    #[test]
    fn json_round_trip_preserves_value(value in any_json()) {
        let mut findings = ErrorCollector::default();
        let read = json::read(value.to_string().as_bytes(), &mut findings);
        prop_assert_eq!(read, Some(value));
        prop_assert!(findings.is_empty());
    }

    /// Arbitrary bytes are rejected and cause no panic.
    #[test]
    fn arbitrary_bytes_parse_or_report_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let mut findings = ErrorCollector::default();
        let read = json::read(&bytes, &mut findings);
        prop_assert!(read.is_some() || !findings.is_empty());
    }
}
