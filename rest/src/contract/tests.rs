use http::Method;
use serde_json::{Value, json};

use super::sample::contract;
use super::*;

/// Returns the errors of a body of `marketplace_apps_create`, as pointer, code and message.
fn errors_of(body: &Value) -> Vec<(String, FieldCode, String)> {
    let operation = contract().operation("marketplace_apps_create").unwrap();
    let schema = operation.body.as_ref().unwrap().forms[0].schema;
    contract()
        .check(schema, body)
        .into_iter()
        .map(|error| match error.place {
            FieldPlace::Pointer(pointer) => (pointer, error.code, error.message),
            FieldPlace::Parameter(name) => panic!("{name} is not a pointer"),
        })
        .collect()
}

/// Returns the only error of a body that is valid except for `field`.
fn error_with(field: &str, value: Value) -> (String, FieldCode, String) {
    let mut body = json!({"name": "Tables", "contact": {"kind": "EMAIL", "email": "a@b.example"}});
    assert_eq!(errors_of(&body), []);
    body[field] = value;
    let mut errors = errors_of(&body);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

#[test]
fn operation_is_parsed_completely() {
    let operation = contract().operation("marketplace_apps_archive").unwrap();
    assert_eq!(operation.group, "marketplace");
    assert_eq!(operation.resource, "apps");
    assert_eq!(operation.method, Method::POST);
    assert_eq!(operation.path, "/v1/marketplace/apps/{app_uuid}:archive");
    assert_eq!(operation.verb.as_deref(), Some("archive"));
    assert_eq!(operation.segments.len(), 4);
    assert_eq!(operation.segments[3], Segment::Parameter("app_uuid".to_owned()));
    assert_eq!(operation.access, Access::Scope("marketplace.apps:write".to_owned()));
    assert_eq!(operation.success, 200);
    assert!(operation.takes_idempotency_key && operation.sends_etag);
    assert!(!operation.takes_if_match && !operation.audited && !operation.is_list);
    let body = operation.body.as_ref().unwrap();
    assert!(!body.required);
    assert_eq!(body.forms[0].kind, BodyKind::Json);
    assert_eq!(operation.responses[&409].codes, ["ILLEGAL_TRANSITION", "IDEMPOTENCY_IN_PROGRESS"]);
    assert_eq!(operation.file(), "contract/paths/marketplace/apps.yaml");
}

#[test]
fn all_access_forms_are_parsed() {
    let access = |id: &str| contract().operation(id).unwrap().access.clone();
    assert_eq!(access("system_health_get"), Access::Public);
    assert_eq!(access("system_me_get"), Access::Any);
    assert_eq!(access("auth_sessions_refresh"), Access::Cookie);
    assert_eq!(access("marketplace_listings_get").scope(), Some("storefront"));
    assert!(contract().operation("admin_audit_records_list").unwrap().audited);
}

#[test]
fn array_parameters_know_whether_commas_split_them() {
    let operation = contract().operation("marketplace_apps_list").unwrap();
    let parameter = |name: &str| operation.parameters.iter().find(|p| p.name == name).unwrap();
    assert!(parameter("state").array && parameter("state").splits_commas);
    assert!(parameter("tag").array && !parameter("tag").splits_commas);
    assert_eq!(parameter("limit").kind, Kind::Integer);
    assert_eq!(parameter("limit").default, Some(json!(20)));
    assert_eq!(parameter("archived").kind, Kind::Boolean);
    assert_eq!(parameter("rating").kind, Kind::Number);
    assert_eq!(parameter("q").kind, Kind::Text);
}

#[test]
fn digest_matches_served_bytes() {
    let contract = contract();
    assert_eq!(contract.digest().len(), 64);
    assert_eq!(contract.digest(), sha256(contract.text().as_bytes()));
    assert_eq!(sha256(b"abc").get(..8), Some("ba7816bf"));
}

#[test]
fn embedded_contract_is_valid() {
    let contract = Contract::embedded().unwrap_or_else(|problems| panic!("{problems:#?}"));
    contract.compile_all().unwrap();
}

#[test]
fn embedded_json_equals_contract_text() {
    let (embedded, text) = (embedded_document().unwrap(), yaml::read(EMBEDDED).unwrap());
    assert!(embedded == text, "the build script and the parser of the contract read the text differently");
    // Comparing values ignores the order of keys, which decides the order of operations and parameters.
    assert_eq!(embedded.to_string(), text.to_string());
}

#[test]
fn missing_field_is_reported_at_its_pointer() {
    let errors = errors_of(&json!({"contact": {"kind": "URL", "url": "https://a.example"}}));
    assert_eq!(
        errors,
        [("/name".to_owned(), FieldCode::Required, "The required field `name` is missing. Send it.".to_owned())]
    );
}

#[test]
fn unknown_field_error_suggests_nearest_field() {
    let (pointer, code, message) = error_with("webiste", json!("https://a.example"));
    assert_eq!((pointer.as_str(), code), ("/webiste", FieldCode::UnknownField));
    assert_eq!(message, "This object has no field `webiste`. Did you mean `website`?");
    let (_, _, message) = error_with("colour", json!(1));
    let known = ["name", "slug", "seats", "website", "state", "opens_at", "keywords", "contact", "names", "either"];
    let known = known.map(|name| format!("`{name}`")).join(", ");
    assert_eq!(message, format!("This object has no field `colour`. Known fields: {known}."));
}

#[test]
fn limit_errors_state_numbers_but_not_value() {
    let cases = [
        ("name", json!("secret, and too long"), FieldCode::TooLong, "Send at most 12 characters; this value has 20."),
        ("name", json!("x"), FieldCode::TooShort, "Send at least 2 characters; this value has 1."),
        ("name", json!(7), FieldCode::Type, "Send a string, not a number."),
        (
            "slug",
            json!("Secret!"),
            FieldCode::Pattern,
            "Send small letters and digits, with single hyphens between them.",
        ),
        ("seats", json!(0), FieldCode::Range, "Send at least 1."),
        ("seats", json!(501), FieldCode::Range, "Send at most 500."),
        ("seats", json!(1.5), FieldCode::Type, "Send a whole number, not a number."),
        (
            "website",
            json!("secret"),
            FieldCode::Format,
            "Send an absolute URI, for example https://tischwerk.example/help.",
        ),
        ("state", json!("SECRET"), FieldCode::Enum, "Send one of DRAFT, LISTED, ARCHIVED."),
        (
            "opens_at",
            json!("2025-11-20 10:00"),
            FieldCode::Format,
            "Send an RFC 3339 date and time with Z or an offset, before the last day of the year 9999, for example \
             2025-11-20T14:03:27Z.",
        ),
        ("keywords", json!([]), FieldCode::TooFew, "Send at least 1 entries."),
        ("keywords", json!(["a", "b", "c", "d"]), FieldCode::TooMany, "Send at most 3 entries."),
        ("keywords", json!(["a", "a"]), FieldCode::Duplicate, "An entry occurs twice. Send each entry once."),
    ];
    for (field, value, code, message) in cases {
        assert_eq!(error_with(field, value), (format!("/{field}"), code, message.to_owned()));
    }
}

#[test]
fn null_and_any_utc_offset_are_accepted_if_allowed() {
    let body = json!({
        "name": "Tables", "website": null, "opens_at": "2025-11-20T10:00:00.5+05:30",
        "contact": {"kind": "EMAIL", "email": "a@b.example"}
    });
    assert_eq!(errors_of(&body), []);
    let (_, code, message) = error_with("slug", Value::Null);
    assert_eq!((code, message.as_str()), (FieldCode::Type, "Send a string, not null."));
}

#[test]
fn timestamp_beyond_supported_range_is_rejected() {
    let endless = format!("2025-11-20T10:00:00.{}Z", "0".repeat(60));
    for beyond in ["9999-12-31T23:59:59Z", "9999-12-30T23:00:00-05:00", &endless] {
        let (_, code, _) = error_with("opens_at", json!(beyond));
        assert_eq!(code, FieldCode::Format, "{beyond}");
    }
    let contact = json!({"kind": "EMAIL", "email": "a@b.example"});
    for within in
        ["9999-12-30T22:00:00Z", "0001-01-01T00:00:00Z", "2025-11-20t10:00:00.1234567890z", "2016-12-31T23:59:60Z"]
    {
        assert_eq!(errors_of(&json!({"name": "Tables", "opens_at": within, "contact": contact})), [], "{within}");
    }
}

#[test]
fn map_keys_are_validated_and_named() {
    let (pointer, code, message) = error_with("names", json!({"deu": "Tische"}));
    assert_eq!((pointer.as_str(), code), ("/names/deu", FieldCode::Pattern));
    assert!(message.contains("name of this field"), "{message}");
    let (pointer, code, _) = error_with("names", json!({"de": 1}));
    assert_eq!((pointer.as_str(), code), ("/names/de", FieldCode::Type));
}

#[test]
fn error_explains_matching_variant() {
    let (pointer, code, _) = error_with("contact", json!({"kind": "URL", "url": "nowhere"}));
    assert_eq!((pointer.as_str(), code), ("/contact/url", FieldCode::Format));
    let (pointer, code, _) = error_with("contact", json!({"kind": "EMAIL"}));
    assert_eq!((pointer.as_str(), code), ("/contact/email", FieldCode::Required));
    let (pointer, code, message) = error_with("contact", json!({"kind": "FAX", "number": "1"}));
    assert_eq!((pointer.as_str(), code), ("/contact/kind", FieldCode::Enum));
    assert_eq!(message, "Send one of EMAIL, URL.");
    let (pointer, code, message) = error_with("contact", json!("a@b.example"));
    assert_eq!((pointer.as_str(), code), ("/contact", FieldCode::Type));
    assert_eq!(message, "Send an object, not a string.");
    let (pointer, code, message) = error_with("either", json!(true));
    assert_eq!((pointer.as_str(), code), ("/either", FieldCode::Type));
    assert_eq!(message, "Send a string or a whole number, not a boolean.");
    let (pointer, code, _) = error_with("either", json!("long"));
    assert_eq!((pointer.as_str(), code), ("/either", FieldCode::TooLong));
}

#[test]
fn at_most_fifty_errors_are_reported() {
    let mut body = json!({"name": "Tables", "contact": {"kind": "EMAIL", "email": "a@b.example"}});
    for number in 0..200 {
        body[format!("field{number}")] = json!(number);
    }
    assert_eq!(errors_of(&body).len(), MOST);
}

#[test]
fn json_pointers_are_escaped_and_shortened() {
    let (pointer, ..) = error_with("a/b~c", json!(1));
    assert_eq!(pointer, "/a~1b~0c");
    let (pointer, _, message) = error_with(&"é".repeat(5000), json!(1));
    assert!(pointer.len() <= 512);
    assert!(message.chars().count() < 300, "{message}");
}

#[test]
fn non_linear_pattern_is_rejected_at_start() {
    let text = contract().text().replace("^[a-z0-9]+(-[a-z0-9]+)*$", "^(?=a)[a-z]+$");
    let problems = Contract::from_yaml(&text).err().unwrap();
    assert!(!problems.is_empty());
}

#[test]
fn missing_operation_members_are_reported() {
    let broken = |from: &str, to: &str| {
        let text = contract().text().replacen(from, to, 1);
        let problems = Contract::from_yaml(&text).err().unwrap();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert!(broken("operationId: system_me_get", "title: none").contains("get /v1/system/me: has no operationId"));
    assert!(broken("security: []", "x: 1").contains("declares no access"));
    assert!(broken("x-resource: health", "x: 1").contains("x-resource"));
    assert!(broken("x-probe: liveness", "x-direct: page").contains("`x-direct: page` is invalid"));
    assert!(broken("paths:", "paths: [").contains("contract/openapi.yaml"));
}

#[test]
fn full_size_contract_is_parsed_and_compiled() {
    let mut document = yaml::read(contract().text()).unwrap();
    let paths = document["paths"].as_object().unwrap().clone();
    for copy in 0..24 {
        for (path, item) in &paths {
            let mut item = item.clone();
            for operation in item.as_object_mut().unwrap().values_mut() {
                let id = format!("{}_{copy}", operation["operationId"].as_str().unwrap());
                operation["operationId"] = json!(id);
            }
            document["paths"][path.replace("/v1/", &format!("/v1/copy{copy}/"))] = item;
        }
    }
    let text = yaml::write(&document).unwrap();
    let contract = Contract::from_yaml(&text).unwrap();
    assert_eq!(contract.operations().len(), 400);
}
