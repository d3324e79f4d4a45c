use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::json;

use super::*;
use crate::contract::sample::contract;
use crate::contract::{FieldCode, FieldError, FieldPlace};

const APP: &str = "019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47";

/// A call as a test writes it.
#[derive(Default)]
struct Call {
    path: Vec<(&'static str, String)>,
    query: Option<String>,
    headers: HeaderMap,
    body: Bytes,
}

impl Call {
    fn path(mut self, name: &'static str, value: &str) -> Call {
        self.path.push((name, value.to_owned()));
        self
    }

    fn query(mut self, query: &str) -> Call {
        self.query = Some(query.to_owned());
        self
    }

    fn header(mut self, name: &'static str, value: &str) -> Call {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
        self
    }

    fn body(mut self, media_type: &str, body: impl Into<Vec<u8>>) -> Call {
        self.headers.insert(CONTENT_TYPE, media_type.parse().unwrap());
        self.body = Bytes::from(body.into());
        self
    }

    fn json(self, body: &str) -> Call {
        self.body("application/json", body)
    }

    async fn bind(&self, operation: &str) -> Result<Bound, Refusal> {
        let operation = contract().operation(operation).unwrap();
        let path: Vec<(&str, &str)> = self.path.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let request =
            Request { path: &path, query: self.query.as_deref(), headers: &self.headers, body: self.body.clone() };
        bind(contract(), operation, request).await
    }

    /// The variables that the call binds.
    async fn variables(&self, operation: &str) -> Value {
        Value::Object(self.bind(operation).await.unwrap().variables)
    }

    /// What is wrong with the call: status, and places with codes.
    async fn refused(&self, operation: &str) -> (u16, Vec<(String, FieldCode)>) {
        match self.bind(operation).await.unwrap_err() {
            Refusal::NotFound => (404, Vec::new()),
            Refusal::UnsupportedMediaType { .. } => (415, Vec::new()),
            Refusal::Malformed { errors, .. } => (400, errors.into_iter().map(place).collect()),
            Refusal::Invalid { errors } => (422, errors.into_iter().map(place).collect()),
        }
    }

    async fn detail(&self, operation: &str) -> String {
        match self.bind(operation).await.unwrap_err() {
            Refusal::Malformed { detail, .. } => detail,
            Refusal::Invalid { errors } => {
                errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join(" | ")
            }
            other => panic!("{other:?}"),
        }
    }
}

fn place(error: FieldError) -> (String, FieldCode) {
    match error.place {
        FieldPlace::Pointer(name) | FieldPlace::Parameter(name) => (name, error.code),
    }
}

fn one(status: u16, name: &str, code: FieldCode) -> (u16, Vec<(String, FieldCode)>) {
    (status, vec![(name.to_owned(), code)])
}

fn list(query: &str) -> Call {
    Call::default().query(query)
}

fn create(body: &str) -> Call {
    Call::default().json(body)
}

const LIST: &str = "marketplace_apps_list";
const CREATE: &str = "marketplace_apps_create";
const GOOD: &str = r#"{"name": "Tables", "contact": {"kind": "EMAIL", "email": "a@b.example"}}"#;

#[tokio::test]
async fn path_values_are_decoded_and_parsed_and_else_there_is_no_such_thing() {
    let get = "marketplace_apps_get";
    assert_eq!(Call::default().path("app_uuid", APP).variables(get).await, json!({"app_uuid": APP}));
    assert_eq!(
        Call::default().path("app_uuid", &APP.replace('-', "%2D")).variables(get).await,
        json!({"app_uuid": APP})
    );
    for odd in ["1", "", "%zz", "%ff", "019aa5c27b1e7c409d523f8e6a1b0c47", "{}", "a%00"] {
        assert_eq!(Call::default().path("app_uuid", odd).refused(get).await, (404, vec![]), "{odd}");
    }
    let slug = Call::default().path("listing_slug", "Tables");
    assert_eq!(slug.refused("marketplace_listings_get").await, (404, vec![]));
}

#[tokio::test]
async fn what_is_left_out_takes_its_default() {
    assert_eq!(Call::default().variables(LIST).await, json!({"limit": 20, "archived": false, "sort": "-created_at"}));
}

#[tokio::test]
async fn query_values_are_typed_by_their_schemas() {
    let query = "limit=5&archived=true&rating=4.5&q=a+b%26c&sort=created_at&created_from=2025-11-20T10:00:00%2B02:00";
    assert_eq!(
        list(query).variables(LIST).await,
        json!({
            "limit": 5, "archived": true, "rating": 4.5, "q": "a b&c", "sort": "created_at",
            "created_from": "2025-11-20T10:00:00+02:00"
        })
    );
    assert_eq!(list("rating=4").variables(LIST).await["rating"], json!(4));
}

#[tokio::test]
async fn several_values_come_by_repeating_or_with_commas() {
    let states = json!(["DRAFT", "LISTED"]);
    assert_eq!(list("state=DRAFT&state=LISTED").variables(LIST).await["state"], states);
    assert_eq!(list("state=DRAFT,LISTED").variables(LIST).await["state"], states);
    assert_eq!(list("state=DRAFT%2CLISTED").variables(LIST).await["state"], states);
    assert_eq!(list("state=DRAFT").variables(LIST).await["state"], json!(["DRAFT"]));
    assert_eq!(list("tag=a,b&tag=c").variables(LIST).await["tag"], json!(["a,b", "c"]));
}

#[tokio::test]
async fn everything_wrong_with_a_query_is_told_at_once_by_name() {
    let (status, mut errors) =
        list("limit=1000&archived=yes&rating=x&state=DRAFT,GONE&q=a&qq=1&created_from=today&limi=3")
            .refused(LIST)
            .await;
    errors.sort();
    let expected = [
        ("archived", FieldCode::Type),
        ("created_from", FieldCode::Format),
        ("limi", FieldCode::UnknownParameter),
        ("limit", FieldCode::Range),
        ("q", FieldCode::TooShort),
        ("qq", FieldCode::UnknownParameter),
        ("rating", FieldCode::Type),
        ("state", FieldCode::Enum),
    ];
    let expected: Vec<(String, FieldCode)> = expected.map(|(name, code)| (name.to_owned(), code)).into();
    assert_eq!((status, errors), (422, expected));
}

#[tokio::test]
async fn each_rule_of_a_query_has_its_refusal() {
    let cases = [
        ("limit=0", 422, "limit", FieldCode::Range),
        ("limit=1.5", 422, "limit", FieldCode::Type),
        ("limit=", 422, "limit", FieldCode::Type),
        ("limit=%2B5", 422, "limit", FieldCode::Type),
        ("limit=99999999999999999999", 422, "limit", FieldCode::Type),
        ("limit=5&limit=5", 422, "limit", FieldCode::Duplicate),
        ("rating=NaN", 422, "rating", FieldCode::Type),
        ("rating=inf", 422, "rating", FieldCode::Type),
        ("category_uuid=x", 422, "category_uuid", FieldCode::Format),
        ("tag=a&tag=b&tag=c&tag=d", 422, "tag", FieldCode::TooMany),
        ("q=a%00b", 422, "q", FieldCode::Character),
        ("sort=name", 422, "sort", FieldCode::Enum),
        ("q=%zz", 400, "q", FieldCode::Syntax),
        ("q=%ff", 400, "q", FieldCode::Syntax),
        ("Limit=5", 422, "Limit", FieldCode::UnknownParameter),
        ("access_token=secret", 422, "access_token", FieldCode::UnknownParameter),
    ];
    for (query, status, name, code) in cases {
        assert_eq!(list(query).refused(LIST).await, one(status, name, code), "{query}");
    }
    let twice = format!("category_uuid={APP}&category_uuid={APP}");
    assert_eq!(list(&twice).refused(LIST).await, one(422, "category_uuid", FieldCode::Duplicate));
    assert_eq!(list("%ff=1").refused(LIST).await, (400, vec![]));
}

#[tokio::test]
async fn a_required_parameter_is_missed_and_an_operation_without_any_refuses_all() {
    let explain = list("method=GET").refused("system_me_explain").await;
    assert_eq!(explain, one(422, "path", FieldCode::Required));
    let health = list("verbose=1").refused("system_health_get").await;
    assert_eq!(health, one(422, "verbose", FieldCode::UnknownParameter));
}

#[tokio::test]
async fn messages_help_and_do_not_repeat_values() {
    let suggestion = list("limt=5").detail(LIST).await;
    assert_eq!(suggestion, "This operation has no query parameter `limt`. Did you mean `limit`?");
    let plus = list("created_from=2025-11-20T10:00:00+02:00").detail(LIST).await;
    assert!(plus.ends_with("In a query, write + as %2B."), "{plus}");
    let secret = list("limit=secret&q=%zzsecret&state=secret").detail(LIST).await;
    assert!(!secret.contains("secret"), "{secret}");
}

#[tokio::test]
async fn a_body_that_fits_is_bound_whole() {
    let bound = create(GOOD).bind(CREATE).await.unwrap();
    assert_eq!(bound.variables["body"]["contact"]["kind"], json!("EMAIL"));
    let with_charset = Call::default().body("application/json; charset=UTF-8", GOOD);
    assert!(with_charset.bind(CREATE).await.is_ok());
}

#[tokio::test]
async fn a_merge_patch_keeps_what_is_null() {
    let patch = Call::default().path("app_uuid", APP).body("application/merge-patch+json", r#"{"website": null}"#);
    assert_eq!(patch.variables("marketplace_apps_update").await, json!({"app_uuid": APP, "body": {"website": null}}));
    let nothing = Call::default().path("app_uuid", APP).json("{}");
    assert_eq!(nothing.refused("marketplace_apps_update").await, one(422, "", FieldCode::TooFew));
}

#[tokio::test]
async fn json_that_cannot_be_read_is_malformed() {
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
    assert!(detail.starts_with("The body is not JSON: ") && detail.contains("line 1 column"), "{detail}");
    assert!(!detail.contains("secret"), "{detail}");
}

#[tokio::test]
async fn a_key_that_comes_twice_is_named() {
    let twice = create(r#"{"name": "A", "contact": {"kind": "URL", "kind": "EMAIL"}}"#);
    assert_eq!(twice.refused(CREATE).await, one(400, "/contact/kind", FieldCode::Duplicate));
    let escaped = create(r#"{"name": "A", "n\u0061me": "B"}"#);
    assert_eq!(escaped.refused(CREATE).await, one(400, "/name", FieldCode::Duplicate));
}

#[tokio::test]
async fn a_body_is_bounded_in_depth_and_length() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(create(&deep(32)).refused(CREATE).await, one(422, "", FieldCode::Type));
    assert_eq!(create(&deep(33)).refused(CREATE).await.0, 400);
    assert_eq!(create(&deep(100_000)).refused(CREATE).await.0, 400);
    let long = |entries: usize| format!("{{\"keywords\": [{}]}}", vec!["1"; entries].join(","));
    assert_eq!(create(&long(1000)).refused(CREATE).await.0, 422);
    assert_eq!(create(&long(1001)).refused(CREATE).await, one(400, "/keywords", FieldCode::TooMany));
}

#[tokio::test]
async fn the_null_character_is_refused_wherever_it_stands() {
    let value = create(&GOOD.replace("Tables", "Ta\\u0000"));
    assert_eq!(value.refused(CREATE).await, one(422, "/name", FieldCode::Character));
    let key = create(&GOOD.replace("\"name\"", "\"names\": {\"d\\u0000\": \"x\"}, \"name\""));
    let (status, errors) = key.refused(CREATE).await;
    assert_eq!(status, 422);
    assert!(errors.iter().any(|(_, code)| *code == FieldCode::Character), "{errors:?}");
}

#[tokio::test]
async fn numbers_are_held_exactly_or_refused() {
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
async fn everything_wrong_in_query_headers_and_body_is_told_at_once() {
    let call = create(r#"{"nam": "Tables"}"#).query("x=1").header("idempotency-key", "");
    let (status, mut errors) = call.refused(CREATE).await;
    errors.sort();
    let names: Vec<&str> = errors.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((status, names), (422, vec!["/contact", "/nam", "/name", "Idempotency-Key", "x"]));
}

#[tokio::test]
async fn a_body_is_there_when_needed_and_only_then() {
    let none = Call::default();
    assert_eq!(none.refused(CREATE).await, (400, vec![]));
    assert_eq!(create("").refused(CREATE).await, (400, vec![]));
    let archive = Call::default().path("app_uuid", APP);
    assert_eq!(archive.variables("marketplace_apps_archive").await, json!({"app_uuid": APP}));
    let with_reason = Call::default().path("app_uuid", APP).json(r#"{"reason": "old"}"#);
    assert_eq!(with_reason.variables("marketplace_apps_archive").await["body"], json!({"reason": "old"}));
    let delete = Call::default().path("app_uuid", APP).json("{}");
    assert_eq!(delete.refused("marketplace_apps_delete").await, one(422, "", FieldCode::NotAllowed));
}

#[tokio::test]
async fn other_media_types_are_unsupported() {
    for media_type in ["text/plain", "application/xml", "application/json; charset=latin1", "application/jsonx", "json"]
    {
        assert_eq!(Call::default().body(media_type, GOOD).refused(CREATE).await, (415, vec![]), "{media_type}");
    }
    let twice = create(GOOD).header("content-type", "application/json");
    assert_eq!(twice.refused(CREATE).await, (415, vec![]));
    let mut untyped = Call::default();
    untyped.body = Bytes::from_static(b"{}");
    assert_eq!(untyped.refused(CREATE).await, (415, vec![]));
    assert_eq!(untyped.header("content-length", "2").refused(CREATE).await, (415, vec![]));
}

#[tokio::test]
async fn forms_are_read_strictly() {
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
async fn multipart_gives_fields_and_files() {
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
async fn multipart_that_does_not_fit_is_refused() {
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

#[tokio::test]
async fn the_idempotency_key_is_bound_where_it_is_taken() {
    let bound = create(GOOD).header("idempotency-key", "a-key").bind(CREATE).await.unwrap();
    assert_eq!(bound.idempotency_key.as_deref(), Some("a-key"));
    assert!(!bound.variables.contains_key("idempotency_key"));
    let longest = "k".repeat(255);
    assert!(create(GOOD).header("idempotency-key", &longest).bind(CREATE).await.is_ok());
    let name = "Idempotency-Key";
    let key = |key: &str| create(GOOD).header("idempotency-key", key);
    assert_eq!(key(&"k".repeat(256)).refused(CREATE).await, one(422, name, FieldCode::TooLong));
    assert_eq!(key("a key").refused(CREATE).await, one(422, name, FieldCode::Pattern));
    assert_eq!(key("schlüssel").refused(CREATE).await, one(422, name, FieldCode::Pattern));
    assert_eq!(key("a").header("idempotency-key", "b").refused(CREATE).await, one(422, name, FieldCode::Duplicate));
    assert!(list("").header("idempotency-key", "a b").bind(LIST).await.unwrap().idempotency_key.is_none());
}

#[tokio::test]
async fn conditions_are_bound_where_they_are_taken() {
    let get = Call::default().path("app_uuid", APP).header("if-none-match", "\"abc\", W/\"d\"");
    let bound = get.bind("marketplace_apps_get").await.unwrap();
    assert!(bound.if_none_match.unwrap().matches_weakly("d"));
    assert!(bound.if_match.is_none());
    let delete = Call::default().path("app_uuid", APP).header("if-match", "*");
    assert_eq!(delete.bind("marketplace_apps_delete").await.unwrap().if_match, Some(Condition::Any));
    let bare = Call::default().path("app_uuid", APP).header("if-match", "abc");
    assert_eq!(bare.refused("marketplace_apps_delete").await, one(400, "If-Match", FieldCode::Syntax));
}

#[tokio::test]
async fn other_headers_of_the_contract_become_variables() {
    let get = "marketplace_listings_get";
    let call = Call::default().path("listing_slug", "tables").header("accept-language", "de-AT");
    assert_eq!(call.variables(get).await, json!({"listing_slug": "tables", "accept_language": "de-AT"}));
    let long = Call::default().path("listing_slug", "tables").header("accept-language", &"d".repeat(300));
    assert_eq!(long.refused(get).await, one(422, "Accept-Language", FieldCode::TooLong));
}
