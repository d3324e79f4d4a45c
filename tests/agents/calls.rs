//! Calls of operations: the same guards, budgets and records as over HTTP.

use serde_json::{Value, json};

use super::{call, with_agents};
use crate::harness::Harness;

async fn apps(harness: &Harness) -> i64 {
    harness.number("select count(*) from app").await
}

fn new_app(name: &str) -> Value {
    json!({ "operation_id": "marketplace_apps_create", "body": { "name": name } })
}

fn with(mut arguments: Value, name: &str, value: Value) -> Value {
    arguments[name] = value;
    arguments
}

#[tokio::test]
async fn read_returns_status_headers_and_body() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let direct = harness.call("system_me_get").token(&owner.token).expect(200).await;
    let called = call(&harness, Some(&owner.token), json!({ "operation_id": "system_me_get" })).await;
    let content = called.content();
    assert_eq!((&content["status"], &content["body"]["subject"]), (&json!(200), &direct.json["subject"]));
    assert!(content["headers"]["etag"].is_string() || content["headers"]["ratelimit"].is_string(), "{content}");
    let page = json!({ "operation_id": "marketplace_apps_list", "query": { "limit": 1 } });
    assert_eq!(call(&harness, Some(&owner.token), page).await.content()["body"]["data"], json!([]));
}

#[tokio::test]
async fn write_without_confirmation_shows_request_and_writes_nothing() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let previewed = call(&harness, Some(&owner.token), new_app("Kasse")).await;
    let content = previewed.content();
    assert_eq!((&content["sent"], &content["access"]), (&json!(false), &json!("reversible-write")));
    assert_eq!(content["request"]["path"], "/v1/marketplace/apps");
    assert_eq!(content["request"]["body"], json!({ "name": "Kasse" }));
    assert_eq!(content["permission"]["allowed"], true, "{content}");
    assert!(!content.to_string().contains(&owner.token), "no token");
    assert_eq!(apps(&harness).await, 0);
    let invalid = call(&harness, Some(&owner.token), with(new_app("x"), "body", json!({ "nam": 1 }))).await;
    assert!(!invalid.content()["violations"].as_array().unwrap().is_empty(), "{}", invalid.content());
    let done = call(&harness, Some(&owner.token), with(new_app("Kasse"), "confirm", json!(true))).await;
    assert_eq!((&done.content()["status"], apps(&harness).await), (&json!(201), 1));
}

#[tokio::test]
async fn preview_says_why_caller_may_not_send_request() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let reader = harness.program("Reader", &["marketplace.apps"], owner.partner_uuid).await;
    let previewed = call(&harness, Some(&reader.token), new_app("Kasse")).await;
    let permission = &previewed.content()["permission"];
    assert_eq!((&permission["allowed"], &permission["first_refusal"]["status"]), (&json!(false), &json!(403)));
    let anonymous = call(&harness, None, new_app("Kasse")).await;
    assert_eq!(anonymous.content()["permission"], Value::Null);
}

#[tokio::test]
async fn same_guards_apply_as_over_http() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let reader = harness.program("Reader", &["marketplace.apps"], owner.partner_uuid).await;
    let confirmed = with(new_app("Kasse"), "confirm", json!(true));
    for (token, status, code) in [(None, 401, "UNAUTHENTICATED"), (Some(reader.token.as_str()), 403, "SCOPE_MISSING")] {
        let refused = call(&harness, token, confirmed.clone()).await;
        let refusal = refused.refusal();
        assert_eq!((&refusal["status"], &refusal["body"]["code"]), (&json!(status), &json!(code)), "{refusal}");
    }
    let staff = json!({ "operation_id": "admin_partners_list" });
    assert_eq!(call(&harness, Some(&owner.token), staff).await.refusal()["status"], 403);
    let invalid = with(with(new_app("x"), "body", json!({ "nam": 1 })), "confirm", json!(true));
    assert_eq!(call(&harness, Some(&owner.token), invalid).await.refusal()["body"]["code"], "VALIDATION_FAILED");
    let unknown = json!({ "operation_id": "marketplace_apps_list", "query": { "lmit": 1 } });
    assert_eq!(call(&harness, Some(&owner.token), unknown).await.refusal()["status"], 422);
    assert_eq!(apps(&harness).await, 0);
}

#[tokio::test]
async fn idempotency_key_and_precondition_are_passed_on() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let keyed =
        with(with(new_app("Kasse"), "confirm", json!(true)), "headers", json!({ "Idempotency-Key": "agent-key-0001" }));
    let first = call(&harness, Some(&owner.token), keyed.clone()).await;
    let again = call(&harness, Some(&owner.token), keyed).await;
    assert_eq!(first.content()["body"]["uuid"], again.content()["body"]["uuid"]);
    assert_eq!((&again.content()["headers"]["idempotency-replayed"], apps(&harness).await), (&json!("true"), 1));
    let update = json!({
        "operation_id": "marketplace_apps_update", "path": { "app_uuid": first.content()["body"]["uuid"] },
        "headers": { "If-Match": "\"stale\"" }, "body": { "name": "Kasse 2" }, "confirm": true,
    });
    assert_eq!(call(&harness, Some(&owner.token), update).await.refusal()["status"], 412);
}

#[tokio::test]
async fn path_values_cannot_reach_another_operation() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let app = call(&harness, Some(&owner.token), with(new_app("Kasse"), "confirm", json!(true))).await;
    let uuid = app.content()["body"]["uuid"].as_str().unwrap().to_owned();
    for value in [
        format!("{uuid}:archive"),
        format!("{uuid}/events"),
        format!("{uuid}?limit=1"),
        format!("../apps/{uuid}"),
        format!("{uuid}#"),
        format!("{uuid}%3Aarchive"),
        format!("x/../{uuid}"),
        "..".to_owned(),
        String::new(),
    ] {
        let read = json!({ "operation_id": "marketplace_apps_get", "path": { "app_uuid": value } });
        let reply = call(&harness, Some(&owner.token), read).await;
        assert_eq!(reply.json["result"]["isError"], true, "{value}: {}", reply.json);
        let status = &reply.json["result"]["structuredContent"]["status"];
        assert!(status.is_null() || status == 404 || status == 422, "{value}: {}", reply.json);
    }
    let missing = call(&harness, Some(&owner.token), json!({ "operation_id": "marketplace_apps_get" })).await;
    assert!(missing.text().contains("app_uuid"), "{}", missing.text());
}

#[tokio::test]
async fn headers_of_the_call_cannot_be_replaced() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    for name in ["Authorization", "Host", "X-Forwarded-For", "Cookie", "Content-Type"] {
        let arguments = json!({ "operation_id": "system_me_get", "headers": { name: "x" } });
        let reply = call(&harness, Some(&owner.token), arguments).await;
        assert!(reply.text().contains("cannot be set"), "{name}: {}", reply.text());
    }
}

#[tokio::test]
async fn operation_that_needs_a_person_or_a_file_is_not_called() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    for (id, told) in [
        ("auth_sessions_create", "needs a person"),
        ("auth_tokens_issue", "needs a person"),
        ("auth_sessions_refresh", "needs a person"),
        ("auth_mfa_disable_totp", "needs a person"),
        ("marketplace_media_upload", "takes a file"),
        ("partner_imagery_get", "returns a file"),
    ] {
        let reply = call(&harness, Some(&owner.token), json!({ "operation_id": id, "confirm": true })).await;
        assert!(
            reply.text().contains(told) && reply.text().contains("/reference/operations/"),
            "{id}: {}",
            reply.text()
        );
    }
}

#[tokio::test]
async fn unknown_operation_names_the_nearest() {
    let harness = with_agents().await;
    let near = call(&harness, None, json!({ "operation_id": "marketplace_apps_lst" })).await;
    assert!(near.text().contains("Did you mean `marketplace_apps_list`?"), "{}", near.text());
    let bad = call(&harness, None, json!({ "operation": "x" })).await;
    assert!(bad.text().contains("operation_id"), "{}", bad.text());
}

#[tokio::test]
async fn write_of_staff_leaves_the_same_audit_record_as_over_http() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let staff = harness.staff("Jonas Okafor", &["labs.admin.partners:write", "labs.admin.audit"]).await;
    let partner = owner.partner_uuid.unwrap();
    let body = json!({ "body": "Pays late." });
    let direct = harness.call("admin_notes_create").path("partner_uuid", partner).token(&staff.token);
    direct.header("user-agent", "agent/1").json(&body).expect(201).await;
    let arguments = json!({
        "operation_id": "admin_notes_create", "path": { "partner_uuid": partner }, "body": body, "confirm": true,
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "call_operation", "arguments": arguments } });
    let request = super::request(&harness, Some(&staff.token)).header("user-agent", "agent/1");
    let reply = super::send(request.header("x-request-id", "agent-17").body(message.to_string())).await;
    assert_eq!(
        (reply.content()["status"].as_u64(), reply.headers["x-request-id"].to_str().unwrap()),
        (Some(201), "agent-17")
    );
    let list = harness.call("admin_audit_records_list").query("operation", "admin_notes_create").token(&staff.token);
    let records = list.expect(200).await.json["data"].clone();
    let [newer, older] = records.as_array().unwrap().as_slice() else { panic!("two records: {records}") };
    assert_eq!(newer["request_id"], "agent-17");
    // Everything but ids, times and the seal.
    let form = |record: &Value| {
        let mut form = record.as_object().unwrap().clone();
        let changes = form.shift_remove("changes").unwrap();
        let change = json!([changes[0]["thing"], changes[0]["action"], changes[0]["after"]["body"]]);
        for varying in ["uuid", "recorded_at", "request_id", "sealed"] {
            form.shift_remove(varying);
        }
        form["target"]["uuid"].take();
        (form, change)
    };
    assert_eq!(form(newer), form(older));
}
