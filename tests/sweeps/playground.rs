//! Playground sweep: no response without an audit record there either, the schema only for staff with an administration
//! scope, and no hints for guessed names.

use serde_json::{Value, json};

use super::audit::{FAILING_AT_COMMIT, GONE, RAISING, REVOKED, SWALLOWING};
use super::questions::problem;
use super::{Cast, contents};
use crate::harness::people::Person;

/// A read with an audit record, the same read together with one without, and a write.
const PEOPLE: &str = "{ admin_staff_list { data { name email } } }";
const PEOPLE_AND_ONESELF: &str = "{ system_me_get { scopes } people: admin_staff_list { data { name email } } }";
const CATEGORY: &str =
    "mutation ($body: CategoryCreate!) { marketplace_categories_create(body: $body) { uuid names } }";

/// Sends a query to the playground's endpoint; returns status and body.
async fn asked(cast: &Cast, token: &str, query: &str, variables: &Value) -> (u16, Value) {
    let answer = cast.at_the_door(token, query, variables).await;
    let status = answer.status().as_u16();
    assert_eq!(answer.headers().contains_key("retry-after"), status == 503, "{query}");
    (status, answer.json().await.unwrap())
}

/// Returns the queries with their variables; the write uses this name.
fn queries(name: &str) -> [(&'static str, Value); 3] {
    [(PEOPLE, json!({})), (PEOPLE_AND_ONESELF, json!({})), (CATEGORY, json!({ "body": { "names": { "en": name } } }))]
}

async fn assert_answered(cast: &Cast, name: &str) {
    for (query, variables) in queries(name) {
        let (status, told) = asked(cast, &cast.staff.token, query, &variables).await;
        assert_eq!(status, 200, "{query}: {told}");
        assert!(told["data"].is_object() && told.get("errors").is_none(), "{query}: {told}");
    }
}

/// Asserts that neither an authorized nor an unauthorized caller gets data: a rejected query needs an audit record too.
async fn assert_unavailable(cast: &Cast, outsider: &Person) {
    for asker in [&cast.staff, outsider] {
        for (query, variables) in queries("Loyalty") {
            let (status, told) = asked(cast, &asker.token, query, &variables).await;
            assert_eq!((status, &problem(&told)["code"]), (503, &json!("AUDIT_UNAVAILABLE")), "{query}: {told}");
            assert!(told.get("data").is_none(), "{query}: {told}");
            for word in [cast.staff.email.as_str(), "Loyalty"] {
                assert!(!told.to_string().contains(word), "{query} tells {word}: {told}");
            }
        }
        // A query without an audit record does not need the log.
        let (status, told) = asked(cast, &asker.token, "{ system_me_get { scopes } }", &json!({})).await;
        assert_eq!(status, 200, "{told}");
    }
}

/// Breaks the audit log in one way: queries then return no data and have no effect.
async fn nothing_leaves_when(breakage: &str) {
    let cast = Cast::new().await;
    let outsider = cast.harness.staff("Outsider", &["labs.admin.engagement"]).await;
    assert_answered(&cast, "Before").await;
    let before = contents(&cast.harness).await;
    cast.harness.sql(breakage).await;
    assert_unavailable(&cast, &outsider).await;
    assert_eq!(contents(&cast.harness).await, before, "a query without a record changed something");
}

#[tokio::test]
async fn playground_returns_no_data_if_audit_trigger_raises() {
    nothing_leaves_when(RAISING).await;
}

#[tokio::test]
async fn playground_returns_no_data_if_audit_commit_fails() {
    nothing_leaves_when(FAILING_AT_COMMIT).await;
}

#[tokio::test]
async fn playground_returns_no_data_if_audit_trigger_swallows_record() {
    nothing_leaves_when(SWALLOWING).await;
}

#[tokio::test]
async fn playground_returns_no_data_without_insert_privilege_on_audit_log() {
    nothing_leaves_when(REVOKED).await;
}

#[tokio::test]
async fn playground_returns_no_data_without_audit_table() {
    nothing_leaves_when(GONE).await;
}

#[tokio::test]
async fn playground_returns_no_data_while_audit_table_is_locked() {
    let cast = Cast::new().await;
    let outsider = cast.harness.staff("Outsider", &["labs.admin.engagement"]).await;
    let before = contents(&cast.harness).await;
    let held = cast.harness.lock("audit_log", "access exclusive").await;
    // In sequence: all services in the process share the few query slots.
    assert_unavailable(&cast, &outsider).await;
    held.roll_back().await;
    assert_eq!(contents(&cast.harness).await, before, "a query without a record changed something");
    assert_answered(&cast, "After").await;
}

/// A query with this many root fields, half of them in a fragment.
fn of_roots(many: usize) -> String {
    let field = |number: usize| format!("r{number}: system_me_get {{ scopes }}");
    let fields = |numbers: std::ops::Range<usize>| numbers.map(field).collect::<Vec<_>>().join(" ");
    format!("{{ {} ...More }} fragment More on Query {{ {} }}", fields(0..many / 2), fields(many / 2..many))
}

#[tokio::test]
async fn query_allows_twenty_root_fields_and_costs_one_request_each() {
    let cast = Cast::new().await;
    let left = |answer: &reqwest::Response| -> i64 {
        answer.headers()["x-ratelimit-daily-remaining"].to_str().unwrap().parse().unwrap()
    };
    let nothing = json!({});
    let first = cast.at_the_door(&cast.staff.token, &of_roots(1), &nothing).await;
    assert_eq!(first.status(), 200);
    let most = cast.at_the_door(&cast.staff.token, &of_roots(20), &nothing).await;
    assert_eq!((most.status().as_u16(), left(&first) - left(&most)), (200, 20));
    let more = cast.at_the_door(&cast.staff.token, &of_roots(21), &nothing).await;
    assert_eq!((more.status().as_u16(), left(&most) - left(&more)), (400, 1), "the request alone");
    let me = cast.harness.call("system_me_get").token(&cast.staff.token).expect(200).await;
    assert_eq!(left(&more) - me.header("x-ratelimit-daily-remaining").parse::<i64>().unwrap(), 1);
}

#[tokio::test]
async fn query_with_more_root_fields_than_remaining_requests_is_rejected() {
    let cast = Cast::new().await;
    let me = cast.harness.call("system_me_get").token(&cast.staff.token).expect(200).await;
    let limit: i64 = me.header("x-ratelimit-daily-limit").parse().unwrap();
    // Ten requests remain in the budget, and this replica has no lease on them.
    let account = format!("staff:{}", cast.staff.uuid);
    cast.harness.engine.services().budgets.settle().await;
    cast.harness.sql(&format!("update daily_budget set granted = {} where account = '{account}'", limit - 10)).await;
    let spent = cast.at_the_door(&cast.staff.token, &of_roots(20), &json!({})).await;
    assert_eq!((spent.status().as_u16(), &spent.headers()["x-ratelimit-daily-remaining"] == "0"), (429, true));
}

#[tokio::test]
async fn schema_is_visible_only_to_staff_with_admin_scopes() {
    let cast = Cast::new().await;
    let reader = cast.harness.staff("Reader", &["labs.admin.support"]).await;
    let newcomer = cast.harness.staff("Newcomer", &[]).await;
    for query in [
        "{ __schema { queryType { name } } }",
        "{ look: __schema { types { name } } }",
        "{ __type(name: \"Me\") { name fields { name } } }",
        "{ system_me_get { scopes } ... on Query { __schema { queryType { name } } } }",
        "{ ...Look } fragment Look on Query { __type(name: \"Me\") { name } }",
    ] {
        let (status, told) = asked(&cast, &reader.token, query, &json!({})).await;
        assert_eq!(status, 200, "{query}: {told}");
        assert!(told["data"].to_string().contains("\"name\""), "{query}: {told}");
        for (who, token, scope) in [
            ("newcomer", &newcomer.token, "labs.admin.overview"),
            ("administrator of a partner", &cast.administrator.token, "labs.admin"),
            ("storefront", &cast.storefront.token, "labs.admin"),
        ] {
            let (status, told) = asked(&cast, token, query, &json!({})).await;
            let refusal = (status, &problem(&told)["code"], &problem(&told)["required_scope"]);
            assert_eq!(refusal, (403, &json!("SCOPE_MISSING"), &json!(scope)), "{who} at {query}: {told}");
            assert!(told.get("data").is_none(), "{who} at {query}: {told}");
        }
    }
    // All staff may query their own identity.
    for query in ["{ __typename }", "{ system_me_get { scopes } }"] {
        let (status, told) = asked(&cast, &newcomer.token, query, &json!({})).await;
        assert_eq!(status, 200, "{query}: {told}");
    }
}

#[tokio::test]
async fn query_rejected_for_one_field_is_audited_for_each() {
    let cast = Cast::new().await;
    let auditor = cast.harness.staff("Auditor", &["labs.admin.audit"]).await;
    let query = "{ admin_audit_records_list { data { operation } }
        first: admin_staff_list { data { name } } second: admin_staff_list(limit: 1) { data { name } }
        none_of_that { name } }";
    let (status, told) = asked(&cast, &auditor.token, query, &json!({})).await;
    assert_eq!((status, &problem(&told)["code"]), (403, &json!("SCOPE_MISSING")), "{told}");
    for (operation, times) in [("admin_audit_records_list", 1), ("admin_staff_list", 2)] {
        let kept = format!(
            "select count(*) from audit_log
              where actor_uuid = '{}' and operation = '{operation}' and outcome = 'REFUSED'",
            auditor.uuid
        );
        assert_eq!(cast.harness.number(&kept).await, times, "{operation}");
    }
}

#[tokio::test]
async fn error_of_guessed_name_does_not_suggest_right_one() {
    let cast = Cast::new().await;
    for (right, query) in [
        ("system_me_get", "{ system_my_get { scopes } }"),
        ("scopes", "{ system_me_get { scope } }"),
        ("remaining_day", "{ system_me_get { rate_limit { remainin_day } } }"),
        ("email", "{ admin_staff_list { data { emal } } }"),
        ("has_more", "{ admin_staff_list { page { has_mor } } }"),
        ("include_total", "{ admin_staff_list(includ_total: true) { page { has_more } } }"),
        ("ACTIVE", "{ admin_staff_list(filter: {state: [ACTIV]}) { page { has_more } } }"),
        ("icon", "mutation { marketplace_categories_create(body: { names: {}, icn: \"a\" }) { uuid } }"),
    ] {
        let (status, told) = asked(&cast, &cast.staff.token, query, &json!({})).await;
        assert_eq!((status, &problem(&told)["code"]), (400, &json!("VALIDATION_FAILED")), "{query}: {told}");
        let text = told.to_string();
        assert!(!text.to_lowercase().contains("did you mean") && !text.contains(right), "{query}: {told}");
    }
}

#[tokio::test]
async fn deeply_nested_query_is_rejected_without_crash() {
    let cast = Cast::new().await;
    // As deep as the maximum query length allows, once unclosed and once closed.
    let deep = |open: &str, close: &str| {
        let most = 15_900;
        [
            open.repeat(most / open.len()),
            open.repeat(most / (open.len() + close.len())) + &close.repeat(most / (open.len() + close.len())),
        ]
    };
    for (before, [left_open, closed], after) in [
        ("{a(x:", deep("[", "]"), ")}"),
        ("{a(x:", deep("{x:[", "]}"), ")}"),
        ("query($x:", deep("[", "]"), "){a}"),
        ("query($x:Int=", deep("[", "]"), "){a}"),
        ("{a@skip(if:", deep("[", "]"), ")}"),
        ("{a} fragment F on Query ", deep("{a", "}"), ""),
        ("{a} fragment F on Query {a(x:", deep("[", "]"), ")}"),
        ("{a} query Q {a(x:", deep("[", "]"), ")}"),
        ("", deep("{...", "}"), ""),
        ("", deep("(", ")"), ""),
    ] {
        for query in [format!("{before}{left_open}"), format!("{before}{closed}{after}")] {
            let (status, told) = asked(&cast, &cast.staff.token, &query, &json!({})).await;
            assert_eq!((status, &problem(&told)["code"]), (400, &json!("VALIDATION_FAILED")), "{before}: {told}");
            assert_eq!(problem(&told)["errors"][0]["pointer"], "/query", "{before}: {told}");
        }
    }
    let (status, told) = asked(&cast, &cast.staff.token, "{ system_me_get { scopes } }", &json!({})).await;
    assert_eq!(status, 200, "{told}");
}

#[tokio::test]
async fn partial_results_and_errors_are_returned_and_audited() {
    let cast = Cast::new().await;
    let unknown = "00000000-0000-7000-8000-000000000001";
    let query = format!(
        "{{ people: admin_staff_list {{ data {{ name }} }}
            nobody: admin_staff_get(staff_uuid: \"{unknown}\") {{ name }}
            me: system_me_get {{ scopes }} }}"
    );
    let (status, told) = asked(&cast, &cast.staff.token, &query, &json!({})).await;
    assert_eq!(status, 200, "{told}");
    assert!(told["data"]["people"]["data"].is_array() && told["data"]["me"]["scopes"].is_array(), "{told}");
    assert_eq!(told["data"]["nobody"], Value::Null, "{told}");
    let errors = told["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{told}");
    assert_eq!((&errors[0]["path"], &errors[0]["extensions"]["code"]), (&json!(["nobody"]), &json!("NOT_FOUND")));
    for (operation, outcome) in [("admin_staff_list", "SUCCEEDED"), ("admin_staff_get", "REFUSED")] {
        let kept = format!(
            "select count(*) from audit_log where actor_uuid = '{}' and channel = 'PLAYGROUND'
                and operation = '{operation}' and outcome = '{outcome}'",
            cast.staff.uuid
        );
        assert_eq!(cast.harness.number(&kept).await, 1, "{operation} {outcome}");
    }
}

#[tokio::test]
async fn file_field_is_hidden_and_error_names_its_endpoint() {
    let cast = Cast::new().await;
    let query = "{ __schema { queryType { fields { name args { name description } } } } }";
    let (status, told) = asked(&cast, &cast.staff.token, query, &json!({})).await;
    assert_eq!(status, 200, "{told}");
    let fields = told["data"]["__schema"]["queryType"]["fields"].as_array().unwrap();
    assert!(fields.iter().any(|field| field["name"] == "admin_audit_records_list"), "{told}");
    assert!(fields.iter().all(|field| field["name"] != "admin_audit_records_export"), "{told}");
    for field in fields {
        for argument in field["args"].as_array().unwrap() {
            let is_told = argument["description"].as_str().is_some_and(|text| !text.is_empty());
            assert!(is_told, "{field}");
        }
    }
    let (status, told) = asked(&cast, &cast.staff.token, "{ admin_audit_records_export }", &json!({})).await;
    assert_eq!(status, 400, "{told}");
    assert!(told["errors"][0]["message"].as_str().unwrap().contains("GET /v1/admin/audit-records:export"), "{told}");
}
