//! Query sweep: REST executes a root field directly, staff queries go through the library's executor. Both must return
//! the same, and each root field of a staff query creates a separate audit record.

use std::collections::BTreeMap;

use http::Method;
use labs_rest::contract::{Access, Operation, ParameterIn};
use labs_rest::documents::Documents;
use serde_json::{Map, Value, json};

use super::{Cast, operations};
use crate::harness::contract;

/// Returns the problem document in the first error of a response.
pub(super) fn problem(told: &Value) -> &Value {
    &told["errors"][0]["extensions"]
}

impl Cast {
    /// Sends a query to the playground's endpoint. The status of the response states whether the query ran.
    pub(super) async fn at_the_door(&self, token: &str, query: &str, variables: &Value) -> reqwest::Response {
        let request = self.harness.http().post(format!("{}/playground/graphql", self.harness.base_url));
        let body = json!({ "query": query, "variables": variables }).to_string();
        let request = request.header("content-type", "application/json").bearer_auth(token).body(body);
        request.header("accept", "application/graphql-response+json").send().await.unwrap()
    }

    /// Returns the response of a query.
    async fn explore(&self, token: &str, query: &str, variables: &Value) -> Value {
        self.at_the_door(token, query, variables).await.json().await.unwrap()
    }

    /// Returns the problem document in the error of a rejected query.
    async fn reject(&self, token: &str, query: &str, variables: &Value) -> Value {
        let mut told = self.explore(token, query, variables).await;
        assert!(told.get("data").is_none_or(Value::is_null), "{told}");
        told["errors"][0]["extensions"].take()
    }

    /// Returns the REST response of an operation to staff with these path parameters.
    async fn read(&self, operation: &'static Operation, places: &Map<String, Value>) -> Value {
        let call =
            places.iter().fold(self.harness.call(&operation.id).token(&self.staff.token), |call, (name, value)| {
                let is_of_path = operation.parameters_in(ParameterIn::Path).any(|parameter| parameter.name == *name);
                let value = value.as_str().unwrap_or_default();
                if is_of_path { call.path(name, value) } else { call.query(name, value) }
            });
        call.expect(200).await.json
    }

    /// Returns an existing value for each path parameter of an operation (from the first entry of the list directly
    /// above it), and a value for each required query parameter. `None` if that list is empty or staff cannot read it.
    fn places(&self, operation: &'static Operation, known: &BTreeMap<String, Value>) -> Option<Map<String, Value>> {
        let mut places = Map::new();
        for parameter in operation.parameters_in(ParameterIn::Path) {
            let (above, _) = operation.path.split_once(&format!("/{{{}}}", parameter.name))?;
            let first = known.get(above)?.pointer("/data/0")?;
            let own = first.get(&parameter.name).or_else(|| first.get("uuid")).or_else(|| first.get("code"))?;
            places.insert(parameter.name.clone(), own.clone());
        }
        for parameter in operation.parameters_in(ParameterIn::Query).filter(|parameter| parameter.required) {
            places.insert(parameter.name.clone(), json!("labs"));
        }
        Some(places)
    }
}

fn operation(id: &str) -> &'static Operation {
    contract().operation(id).unwrap()
}

#[tokio::test]
async fn rest_and_playground_return_equal_data() {
    let cast = Cast::new().await;
    let documents = Documents::load().unwrap();
    let of_staff = |operation: &&Operation| {
        let admits = operation.access.scope().is_some_and(|scope| scope.starts_with("labs.admin"));
        let answers_json = operation.responses[&operation.success].json().is_some();
        operation.method == Method::GET && (admits || operation.access == Access::Any) && answers_json
    };
    let mut reads: Vec<&'static Operation> = operations().filter(of_staff).collect();
    // Lists come before their entries.
    reads.sort_by_key(|operation| operation.segments.len());
    let (mut known, mut alike, mut apart) = (BTreeMap::new(), 0, Vec::new());
    for operation in reads {
        let Some(document) = documents.get(&operation.id) else { continue };
        let Some(places) = cast.places(operation, &known) else {
            apart.push((&operation.id, "nothing is there to be read"));
            continue;
        };
        let [before, told, after] = [
            cast.read(operation, &places).await,
            cast.explore(&cast.staff.token, &document.text, &Value::Object(places.clone())).await,
            cast.read(operation, &places).await,
        ];
        known.insert(operation.path.clone(), before.clone());
        // A response that changes with every call, such as a log of calls, cannot be compared.
        if before != after {
            apart.push((&operation.id, "it changes with every call"));
            continue;
        }
        assert_eq!(told["data"][&operation.id], before, "{}: {told}", operation.id);
        alike += 1;
    }
    assert!(alike > 20 && alike > 2 * apart.len(), "{alike} were compared, and these were not: {apart:?}");
}

#[tokio::test]
async fn file_operation_in_playground_is_rejected_with_its_endpoint() {
    let cast = Cast::new().await;
    let documents = Documents::load().unwrap();
    let is_file = |operation: &&Operation| {
        operation.method == Method::GET && operation.responses[&operation.success].json().is_none()
    };
    let files: Vec<&'static Operation> =
        operations().filter(is_file).filter(|operation| documents.get(&operation.id).is_some()).collect();
    for operation in &files {
        let told = cast.reject(&cast.staff.token, &format!("{{ {} }}", operation.id), &json!({})).await;
        if operation.access.scope().is_some_and(|scope| !scope.starts_with("labs.admin")) {
            assert_eq!(told["code"], json!("SCOPE_MISSING"), "{}: {told}", operation.id);
            continue;
        }
        assert_eq!(told["code"], json!("VALIDATION_FAILED"), "{}: {told}", operation.id);
        let words = told["errors"][0]["message"].as_str().unwrap();
        assert!(words.ends_with(&format!("Call GET {}.", operation.path)), "{words}");
    }
    assert!(files.len() > 8, "{} files", files.len());
}

#[tokio::test]
async fn each_root_field_creates_its_audit_record() {
    let cast = Cast::new().await;
    let programs = cast.read(operation("admin_machine_clients_list"), &Map::new()).await;
    let uuid_of = |name: &str| {
        let all = programs["data"].as_array().unwrap();
        let found = all.iter().find(|program| program["name"] == name).unwrap();
        found["uuid"].as_str().unwrap().to_owned()
    };
    let [first, second] = ["storefront", "release tool"].map(uuid_of);
    let query = format!(
        r#"query ($second: UUID!) {{
            one: admin_machine_clients_get(client_uuid: "{first}") {{ client_id }}
            two: admin_machine_clients_get(client_uuid: $second) {{ client_id }}
            admin_staff_list(limit: 3) {{ page {{ has_more }} }}
        }}"#
    );
    let told = cast.explore(&cast.staff.token, &query, &json!({ "second": second })).await;
    assert_eq!(told["data"]["two"]["client_id"], json!(cast.release_tool.client_id), "{told}");
    for (program, label) in [(&first, "storefront"), (&second, "release tool")] {
        let condition = format!(
            "channel = 'PLAYGROUND' and operation = 'admin_machine_clients_get' and target_uuid = '{program}'
             and target_label = '{label}' and parameters = '{{\"client_uuid\": \"{program}\"}}'"
        );
        let records = cast.harness.number(&format!("select count(*) from audit_log where {condition}")).await;
        assert_eq!(records, 1, "{label}");
    }
    let list = "operation = 'admin_staff_list' and target_uuid is null and parameters = '{\"limit\": 3}'";
    assert_eq!(cast.harness.number(&format!("select count(*) from audit_log where {list}")).await, 1);
}

#[tokio::test]
async fn query_needs_scopes_of_every_root_field() {
    let cast = Cast::new().await;
    let auditor = cast.harness.staff("Auditor", &["labs.admin.audit"]).await;
    let own = "{ admin_audit_records_list(limit: 1) { page { has_more } } }";
    let beyond = "{ admin_audit_records_list(limit: 1) { page { has_more } } admin_staff_list { page { has_more } } }";
    let admitted = cast.explore(&auditor.token, own, &json!({})).await;
    assert!(admitted["data"]["admin_audit_records_list"].is_object(), "{admitted}");
    let refused = cast.reject(&auditor.token, beyond, &json!({})).await;
    assert_eq!((&refused["code"], &refused["required_scope"]), (&json!("SCOPE_MISSING"), &json!("labs.admin.staff")));
    let recorded = "operation = 'admin_staff_list' and outcome = 'REFUSED' and channel = 'PLAYGROUND'";
    assert_eq!(cast.harness.number(&format!("select count(*) from audit_log where {recorded}")).await, 1);
    // Callers who are not staff cannot send queries, not even for data that they can read over REST.
    for stranger in [&cast.administrator.token, &cast.storefront.token] {
        let refused = cast.reject(stranger, "{ system_me_get { scopes } }", &json!({})).await;
        assert_eq!(refused["code"], json!("SCOPE_MISSING"), "{refused}");
    }
}

/// Builds fragments that each spread the next one twice.
fn doubling(times: usize, on: &str, last: &str) -> String {
    let fragments = (0..times).map(|number| format!("fragment F{number} on {on} {{ ...F{0} ...F{0} }} ", number + 1));
    format!("{}fragment F{times} on {on} {{ {last} }}", fragments.collect::<String>())
}

/// Builds fragments that each nest to the parser's maximum depth and spread the next one there.
fn chained(times: usize) -> String {
    let (open, close) = ("a{".repeat(50), "}".repeat(50));
    let fragments =
        (0..times).map(|number| format!("fragment F{number} on Q {{ {open} ...F{} {close} }} ", number + 1));
    format!("{}fragment F{times} on Q {{ a }}", fragments.collect::<String>())
}

#[tokio::test]
async fn query_limits_are_checked_before_execution() {
    let cast = Cast::new().await;
    let many = (0..600).map(|number| format!("a{number}: __typename ")).collect::<String>();
    let many_names = (0..400).map(|number| format!("a{number}: name ")).collect::<String>();
    let texts = [
        ("fields", format!("{{ ...F0 }} {}", doubling(40, "Query", "__typename"))),
        ("fields", format!("{{ system_me_get {{ ...F0 }} }} {}", doubling(20, "Me", "principal_type"))),
        ("fields", format!("{{ {many} }}")),
        ("includes itself", "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }".to_owned()),
        ("is nested", format!("{{ {} __typename {} }}", "a { ".repeat(40), "}".repeat(40))),
        ("", format!("{{ {} a {} }}", "a { ".repeat(4000), "}".repeat(4000))),
        ("", format!("{{ a(b: {}1{}) }}", "[".repeat(8000), "]".repeat(8000))),
        ("values", format!("{{ {} }}", (0..30).map(|number| format!("a{number}: {LIST} ")).collect::<String>())),
        (
            "schema elements",
            format!("{{ __schema {{ types {{ {0} name {1} }} }} }}", "fields { type { ".repeat(5), "} }".repeat(5)),
        ),
        ("schema elements", format!("{{ __schema {{ types {{ fields {{ {many_names} }} }} }} }}")),
        ("16 KB", format!("{{ __typename }} #{}", " ".repeat(16 * 1024))),
        ("exactly one", "query A { __typename } query B { __typename }".to_owned()),
        ("one write at a time", "mutation { a: auth_sessions_sign_out b: auth_sessions_sign_out }".to_owned()),
        ("no root field", "{ nothing_of_the_kind }".to_owned()),
        ("is nested too deeply", format!("{{ ...F0 }} {}", chained(70))),
        (
            "have the name `a`",
            "{ a: system_me_get { scopes } ... on Query { a: system_me_get { scopes } } }".to_owned(),
        ),
        ("Directives are not allowed", "mutation { auth_sessions_sign_out @skip(if: true) { signed_out } }".to_owned()),
        ("Directives are not allowed", "{ ... on Query @include(if: false) { system_me_get { scopes } } }".to_owned()),
        (
            "a public write operation",
            "mutation { auth_passwords_request_reset(body: {email: \"a@b.example\"}) { email } }".to_owned(),
        ),
        ("U+0000", "{ admin_staff_list(filter: {q: \"\\u0000\"}) { page { has_more } } }".to_owned()),
    ];
    for (words, text) in &texts {
        let refused = cast.reject(&cast.staff.token, text, &json!({})).await;
        assert_eq!(refused["code"], json!("VALIDATION_FAILED"), "{words}: {refused}");
        assert!(refused.to_string().contains(words), "{words}: {refused}");
    }
    // The error for an almost correct name does not suggest the correct one.
    let near = cast.explore(&cast.staff.token, "{ system_me_get { scope } }", &json!({})).await;
    assert!(!near.to_string().to_lowercase().contains("did you mean"), "{near}");
    let alive = cast.explore(&cast.staff.token, "{ __typename }", &json!({})).await;
    assert_eq!(alive["data"]["__typename"], json!("Query"), "{alive}");
}

#[tokio::test]
async fn introspection_query_returns_complete_schema() {
    let cast = Cast::new().await;
    let told = cast.explore(&cast.staff.token, INTROSPECTION, &json!({})).await;
    let types = told["data"]["__schema"]["types"].as_array().unwrap_or_else(|| panic!("{told}"));
    assert!(types.iter().any(|ty| ty["name"] == "AuditRecord"), "{}", types.len());
    assert!(told.get("errors").is_none());
}

/// The introspection query of schema tools, with types through nine wrappers.
const INTROSPECTION: &str = "query {
    __schema {
        description queryType { name kind } mutationType { name kind } subscriptionType { name kind }
        types { ...Whole }
        directives { name description isRepeatable locations args(includeDeprecated: true) { ...Input } }
    }
}
fragment Whole on __Type {
    kind name description specifiedByURL isOneOf
    fields(includeDeprecated: true) {
        name description isDeprecated deprecationReason
        args(includeDeprecated: true) { ...Input }
        type { ...Wrapped }
    }
    inputFields(includeDeprecated: true) { ...Input }
    interfaces { ...Wrapped }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
    possibleTypes { ...Wrapped }
}
fragment Input on __InputValue {
    name description defaultValue isDeprecated deprecationReason type { ...Wrapped }
}
fragment Wrapped on __Type {
    kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
        ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }
}";

/// A list with up to a hundred entries, which contain lists.
const LIST: &str = "admin_audit_records_list(limit: 100) { data { changes { thing before after } } }";

#[tokio::test]
async fn playground_input_is_validated_against_contract_limits() {
    let cast = Cast::new().await;
    let partner = cast.administrator.partner_uuid.unwrap();
    let query = "mutation ($partner: UUID!, $body: RateLimitOverridePut!) {
        admin_rate_limits_put_override(partner_uuid: $partner, body: $body) { tier_code } }";
    let until = "2099-01-01T00:00:00Z";
    for (pointer, body) in [
        ("/burst_per_second", json!({ "burst_per_second": 0, "reason": "A trial.", "expires_at": until })),
        ("/reason", json!({ "daily_requests": 5000, "reason": "", "expires_at": until })),
    ] {
        let refused = cast.reject(&cast.staff.token, query, &json!({ "partner": partner, "body": body })).await;
        assert_eq!(
            (&refused["code"], &refused["errors"][0]["pointer"]),
            (&json!("VALIDATION_FAILED"), &json!(pointer))
        );
    }
    let refused = "operation = 'admin_rate_limits_put_override' and channel = 'PLAYGROUND' and outcome = 'REFUSED'";
    assert_eq!(cast.harness.number(&format!("select count(*) from audit_log where {refused}")).await, 2);
    let body = json!({ "daily_requests": 5000, "burst_per_second": null, "reason": "A trial.", "expires_at": until });
    let done = cast.explore(&cast.staff.token, query, &json!({ "partner": partner, "body": body })).await;
    assert!(done["data"]["admin_rate_limits_put_override"].is_object(), "{done}");
    let far =
        cast.reject(&cast.staff.token, "{ admin_staff_list(limit: 101) { page { has_more } } }", &json!({})).await;
    assert_eq!(far["errors"][0]["parameter"], json!("limit"), "{far}");
}

#[tokio::test]
async fn side_effects_of_rejected_request_are_kept_in_playground() {
    let cast = Cast::new().await;
    let guess = "mutation { auth_sessions_reauthenticate(body: {code: \"000000\"}) { status } }";
    let refused = cast.explore(&cast.staff.token, guess, &json!({})).await;
    assert_eq!(refused["data"], Value::Null, "{refused}");
    assert!(cast.harness.number("select count(*) from sign_in_failure").await > 0, "the guess counts: {refused}");
}

#[tokio::test]
async fn aborted_query_leaves_no_open_transaction() {
    let cast = Cast::new().await;
    let held = cast.harness.lock("category", "access exclusive").await;
    // The service's deadline ends the query before the database's timeout, so the database's error arrives in response
    // to the ROLLBACK.
    let late = cast.explore(&cast.staff.token, "{ marketplace_categories_list { data { uuid } } }", &json!({})).await;
    assert!(late["errors"][0]["message"].as_str().unwrap().contains("2 seconds"), "{late}");
    let left = "select count(*) from pg_stat_activity
        where datname = current_database() and application_name = 'labs' and state like 'idle in transaction%'";
    // A job may be between two statements at this moment.
    cast.harness.until(left, 0).await;
    held.roll_back().await;
}

#[tokio::test]
async fn playground_accepts_only_one_query_per_post() {
    let cast = Cast::new().await;
    let url = format!("{}/playground/graphql", cast.harness.base_url);
    let post = async |body: String, media_type: &str| {
        let request = cast.harness.http().post(&url).header("content-type", media_type).bearer_auth(&cast.staff.token);
        request.body(body).send().await.unwrap().status().as_u16()
    };
    let query = json!({ "query": "{ __typename }" });
    assert_eq!(post(query.to_string(), "application/json").await, 200);
    assert_eq!(post(json!([query, query]).to_string(), "application/json").await, 400, "a batch");
    assert_eq!(post(query.to_string(), "text/plain").await, 415, "what a form could send");
    assert_eq!(post(json!({ "query": " ".repeat(70_000) }).to_string(), "application/json").await, 413);
    let with_extensions =
        |extensions: Value| json!({ "query": "{ __typename }", "extensions": extensions }).to_string();
    assert_eq!(post(with_extensions(json!({ "of": "the client" })), "application/json").await, 200);
    assert_eq!(post(with_extensions(json!("text")), "application/json").await, 400);
    let get = cast.harness.http().get(&url).query(&[("query", "{ __typename }")]).bearer_auth(&cast.staff.token);
    let refused = get.send().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["allow"].to_str().unwrap()), (405, "OPTIONS, POST"));
}
