//! Staff queries and slow requests that try to get around a limit: of an answer's size, of an argument, of the audit
//! log, and of revoked rights.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::Cast;
use super::questions::problem;
use crate::harness::people::Person;
use crate::harness::{Harness, ROOMY};

/// Sends a query and returns the GraphQL response.
async fn ask(harness: &Harness, person: &Person, query: &str, variables: Value) -> Value {
    let request = harness.http().post(format!("{}/playground/graphql", harness.base_url)).bearer_auth(&person.token);
    let body = json!({ "query": query, "variables": variables }).to_string();
    request.header("content-type", "application/json").body(body).send().await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn answer_to_query_is_limited_in_size() {
    let harness = Harness::with(ROOMY).await;
    let editor = harness.staff("Editor", &["labs.admin.publication:write"]).await;
    let post = json!({ "kind": "BLOG_POST", "title": "Long", "slug": "long", "body": "word ".repeat(10_000) });
    let post = harness.call("publication_items_create").token(&editor.token).json(&post).expect(201).await;
    let times = |times: usize| (0..times).map(|number| format!("a{number}: body ")).collect::<String>();
    let query = |fields: &str| {
        format!("query ($item: UUID!) {{ post: publication_items_get(item_uuid: $item) {{ uuid {fields} }} }}")
    };
    let item = json!({ "item": post.str("uuid") });
    let few = ask(&harness, &editor, &query(&times(20)), item.clone()).await;
    assert_eq!(few["data"]["post"]["a19"].as_str().map(str::len), Some(50_000), "{}", few["errors"]);
    let many = ask(&harness, &editor, &query(&times(300)), item).await;
    assert!(many["data"].is_null() && many.to_string().contains("larger than 8 MB"), "{}", many["errors"]);
    let recorded = "operation = 'publication_items_get' and channel = 'PLAYGROUND' and outcome = ";
    for (outcome, count) in [("SUCCEEDED", 1), ("REFUSED", 1)] {
        let records = format!("select count(*) from audit_log where {recorded} '{outcome}'");
        assert_eq!(harness.number(&records).await, count, "{outcome}");
    }
}

#[tokio::test]
async fn list_does_not_pass_for_input_object() {
    let cast = Cast::new().await;
    let (harness, staff) = (&cast.harness, &cast.staff);
    let literal = "{ admin_users_list(filter: [null, [\"0\"]]) { page { has_more } } }";
    let told = ask(harness, staff, literal, json!({})).await;
    assert_eq!(problem(&told)["code"], json!("VALIDATION_FAILED"), "{told}");
    assert!(told["errors"][0]["message"].as_str().unwrap().contains("`filter`"), "{told}");
    let variable = "query ($f: UserFilter) { admin_users_list(filter: $f) { page { has_more } } }";
    let told = ask(harness, staff, variable, json!({ "f": [null, ["0"]] })).await;
    assert_eq!(problem(&told)["errors"][0]["pointer"], json!("/variables/f"), "{told}");
    // A single value in the place of a list is valid.
    let single =
        ask(harness, staff, "{ admin_users_list(filter: {kind: STAFF_USER}) { data { kind } } }", json!({})).await;
    assert_eq!(single["data"]["admin_users_list"]["data"][0]["kind"], json!("STAFF_USER"), "{single}");
}

#[tokio::test]
async fn query_that_reads_nothing_leaves_no_successful_record() {
    let cast = Cast::new().await;
    let (harness, staff) = (&cast.harness, &cast.staff);
    for query in [
        "{ admin_staff_list(limit: 1) { __validate_only } }",
        "query __validate_only { admin_staff_list(limit: 1) { page { has_more } } }",
    ] {
        let told = ask(harness, staff, query, json!({})).await;
        assert_eq!(problem(&told)["code"], json!("VALIDATION_FAILED"), "{told}");
        assert!(!told.to_string().contains("RequestContext"), "{told}");
    }
    let records = "select count(*) from audit_log where operation = 'admin_staff_list' and outcome = ";
    assert_eq!(harness.number(&format!("{records} 'SUCCEEDED'")).await, 0);
    assert_eq!(harness.number(&format!("{records} 'REFUSED'")).await, 2);
}

#[tokio::test]
async fn record_of_creation_in_playground_names_created_object() {
    let cast = Cast::new().await;
    let (harness, staff) = (&cast.harness, &cast.staff);
    let create = "mutation ($body: CategoryCreate!) { marketplace_categories_create(body: $body) { uuid } }";
    let told =
        ask(harness, staff, create, json!({ "body": { "names": { "en": "Kitchen" }, "slug": "kitchen" } })).await;
    let created = told["data"]["marketplace_categories_create"]["uuid"].as_str().unwrap_or_else(|| panic!("{told}"));
    let records = format!("select count(*) from audit_log where channel = 'PLAYGROUND' and target_uuid = '{created}'");
    assert_eq!(harness.number(&records).await, 1);
}

#[tokio::test]
async fn missing_optional_variable_leaves_its_field_unchanged() {
    let harness = Harness::with(ROOMY).await;
    let editor = harness.staff("Editor", &["labs.admin.publication:write"]).await;
    let post = json!({ "kind": "BLOG_POST", "title": "Before", "slug": "kept", "body": "A text." });
    let post = harness.call("publication_items_create").token(&editor.token).json(&post).expect(201).await;
    let update = "mutation ($item: UUID!, $title: String, $body: String) {
        publication_items_update(item_uuid: $item, body: {title: $title, body: $body}) { title body } }";
    let kept = ask(&harness, &editor, update, json!({ "item": post.str("uuid"), "title": "After" })).await;
    let updated = json!({ "title": "After", "body": "A text." });
    assert_eq!(kept["data"]["publication_items_update"], updated, "{kept}");
}

/// Request whose body is announced. The service has verified the token when it asks for the body.
struct SlowRequest {
    stream: TcpStream,
    body: String,
}

impl SlowRequest {
    async fn begin(harness: &Harness, (method, path): (&str, &str), token: &str, body: &Value) -> Self {
        let body = body.to_string();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: labs\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(harness.base_url.trim_start_matches("http://")).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut told = Vec::new();
        while !told.ends_with(b"\r\n\r\n") {
            told.push(stream.read_u8().await.unwrap());
        }
        assert!(told.starts_with(b"HTTP/1.1 100"), "{}", String::from_utf8_lossy(&told));
        Self { stream, body }
    }

    /// Sends the body and returns the status of the response.
    async fn finish(mut self) -> u16 {
        self.stream.write_all(self.body.as_bytes()).await.unwrap();
        let mut told = String::new();
        self.stream.read_to_string(&mut told).await.unwrap();
        told[9..12].parse().unwrap()
    }
}

#[tokio::test]
async fn slow_body_does_not_prolong_revoked_rights() {
    let cast = Cast::new().await;
    let (harness, staff) = (&cast.harness, &cast.staff);
    let category = json!({ "names": { "en": "Kitchen" }, "slug": "kitchen" });
    let query = json!({ "query": "{ admin_staff_list { page { has_more } } }" });
    let mut slow = Vec::new();
    for (path, body) in [("/v1/marketplace/internal/categories", &category), ("/playground/graphql", &query)] {
        slow.push(SlowRequest::begin(harness, ("POST", path), &staff.token, body).await);
    }
    harness.call("auth_sessions_sign_out_everywhere").token(&staff.token).expect(200).await;
    // The other requests of this token are rejected within a second.
    while harness.call("system_me_get").token(&staff.token).send().await.status == 200 {
        tokio::task::yield_now().await;
    }
    for request in slow {
        assert_eq!(request.finish().await, 401);
    }
    assert_eq!(harness.number("select count(*) from category where slug = 'kitchen'").await, 0);
}
