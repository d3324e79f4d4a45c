use serde_json::json;

use super::*;

#[tokio::test]
async fn path_values_are_decoded_and_invalid_values_are_not_found() {
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
async fn omitted_query_parameters_take_defaults() {
    assert_eq!(Call::default().variables(LIST).await, json!({"limit": 20, "archived": false, "sort": "-created_at"}));
}

#[tokio::test]
async fn query_values_are_typed_by_schema() {
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
async fn array_parameters_may_be_repeated_or_comma_separated() {
    let states = json!(["DRAFT", "LISTED"]);
    assert_eq!(list("state=DRAFT&state=LISTED").variables(LIST).await["state"], states);
    assert_eq!(list("state=DRAFT,LISTED").variables(LIST).await["state"], states);
    assert_eq!(list("state=DRAFT%2CLISTED").variables(LIST).await["state"], states);
    assert_eq!(list("state=DRAFT").variables(LIST).await["state"], json!(["DRAFT"]));
    assert_eq!(list("tag=a,b&tag=c").variables(LIST).await["tag"], json!(["a,b", "c"]));
}

#[tokio::test]
async fn all_query_errors_are_reported_by_name() {
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
async fn each_query_rule_has_its_error() {
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
async fn missing_required_and_unknown_parameters_are_rejected() {
    let explain = list("method=GET").refused("system_me_explain").await;
    assert_eq!(explain, one(422, "path", FieldCode::Required));
    let health = list("verbose=1").refused("system_health_get").await;
    assert_eq!(health, one(422, "verbose", FieldCode::UnknownParameter));
}

#[tokio::test]
async fn parameter_messages_suggest_fixes_without_repeating_values() {
    let suggestion = list("limt=5").detail(LIST).await;
    assert_eq!(suggestion, "This operation has no query parameter `limt`. Did you mean `limit`?");
    let plus = list("created_from=2025-11-20T10:00:00+02:00").detail(LIST).await;
    assert!(plus.ends_with("In a query, encode + as %2B."), "{plus}");
    let secret = list("limit=secret&q=%zzsecret&state=secret").detail(LIST).await;
    assert!(!secret.contains("secret"), "{secret}");
}

#[tokio::test]
async fn idempotency_key_is_bound_if_operation_accepts_it() {
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
async fn conditional_headers_are_bound_if_operation_accepts_them() {
    let get = Call::default().path("app_uuid", APP).header("if-none-match", "\"abc\", W/\"d\"");
    let bound = get.bind("marketplace_apps_get").await.unwrap();
    assert!(bound.if_none_match.unwrap().find_weakly("d", &HeaderMap::new()).is_some());
    assert!(bound.if_match.is_none());
    let delete = Call::default().path("app_uuid", APP).header("if-match", "*");
    assert_eq!(delete.bind("marketplace_apps_delete").await.unwrap().if_match, Some(Condition::Any));
    let bare = Call::default().path("app_uuid", APP).header("if-match", "abc");
    assert_eq!(bare.refused("marketplace_apps_delete").await, one(400, "If-Match", FieldCode::Syntax));
}

#[tokio::test]
async fn other_contract_headers_become_variables() {
    let get = "marketplace_listings_get";
    let call = Call::default().path("listing_slug", "tables").header("accept-language", "de-AT");
    assert_eq!(call.variables(get).await, json!({"listing_slug": "tables", "accept_language": "de-AT"}));
    let long = Call::default().path("listing_slug", "tables").header("accept-language", &"d".repeat(300));
    assert_eq!(long.refused(get).await, one(422, "Accept-Language", FieldCode::TooLong));
}
