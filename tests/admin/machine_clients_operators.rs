//! Tests of the administration of machine clients: search, change, restrict scopes, disable and enable.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::{Person, Program};
use crate::harness::{Answer, Harness, behind_a_proxy};

const HOME: &str = "198.51.100.7";

async fn harness() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    (harness, chief)
}

async fn client_uuid(harness: &Harness, chief: &Person, program: &Program) -> Uuid {
    let found = harness
        .call("admin_machine_clients_list")
        .token(&chief.token)
        .query("q", &program.client_id)
        .expect(200)
        .await
        .json;
    found["data"][0]["uuid"].as_str().unwrap().parse().unwrap()
}

async fn on(harness: &Harness, staff: &Person, operation: &str, client: Uuid, body: &Value) -> Answer {
    harness.call(operation).path("client_uuid", client).token(&staff.token).json(body).send().await
}

async fn token_status(harness: &Harness, token: &str) -> u16 {
    harness.call("system_me_get").token(token).send().await.status
}

async fn list(harness: &Harness, chief: &Person, query: &[(&str, &str)]) -> Vec<String> {
    let call = harness.call("admin_machine_clients_list").token(&chief.token);
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
    let data = call.expect(200).await.json["data"].clone();
    data.as_array().unwrap().iter().map(|client| client["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn clients_can_be_filtered_by_each_parameter() {
    let (harness, chief) = harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let bound = harness.program("Menu sync", &["marketplace:write"], owner.partner_uuid).await;
    harness.program("Storefront", &["storefront:write"], None).await;
    harness.program("Release tool", &["publication.changelog:write", "labs.admin.audit"], None).await;
    harness.sql("update machine_client set state = 'DISABLED', last_used_at = null where name = 'Release tool'").await;
    assert_eq!(list(&harness, &chief, &[]).await, ["Release tool", "Storefront", "Menu sync"]);
    assert_eq!(list(&harness, &chief, &[("sort", "name")]).await, ["Menu sync", "Release tool", "Storefront"]);
    assert_eq!(list(&harness, &chief, &[("sort", "-last_used_at")]).await, ["Storefront", "Menu sync", "Release tool"]);
    assert_eq!(list(&harness, &chief, &[("state", "DISABLED")]).await, ["Release tool"]);
    assert_eq!(list(&harness, &chief, &[("bound", "true")]).await, ["Menu sync"]);
    assert_eq!(list(&harness, &chief, &[("bound", "false"), ("state", "ACTIVE")]).await, ["Storefront"]);
    assert_eq!(list(&harness, &chief, &[("scope", "marketplace.apps")]).await, ["Menu sync"], "a parent opens it");
    assert_eq!(list(&harness, &chief, &[("scope", "labs.admin.audit:write")]).await, Vec::<String>::new());
    assert_eq!(list(&harness, &chief, &[("scope", "storefront,labs.admin.audit")]).await.len(), 2);
    assert_eq!(list(&harness, &chief, &[("q", "nordsee")]).await, ["Menu sync"], "by its partner's name");
    assert_eq!(list(&harness, &chief, &[("q", &bound.client_id)]).await, ["Menu sync"]);
    let partner = owner.partner_uuid.unwrap().to_string();
    assert_eq!(list(&harness, &chief, &[("partner_uuid", &partner)]).await, ["Menu sync"]);
    harness.sql("update machine_client set last_used_at = '2026-01-05' where name = 'Storefront'").await;
    let january = [("last_used_at_from", "2026-01-01T00:00:00Z"), ("last_used_at_until", "2026-02-01T00:00:00Z")];
    assert_eq!(list(&harness, &chief, &january).await, ["Storefront"]);
}

#[tokio::test]
async fn clients_are_paged_in_every_order_and_counted() {
    let (harness, chief) = harness().await;
    for name in ["delta", "Alpha", "charlie", "Bravo"] {
        harness.program(name, &["storefront"], None).await;
    }
    harness.sql("update machine_client set last_used_at = null where name in ('delta', 'Alpha')").await;
    for sort in ["-created_at", "created_at", "name", "-last_used_at"] {
        let mut seen = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let call = harness.call("admin_machine_clients_list").token(&chief.token).query("sort", sort);
            let call = call.query("limit", 1).query("include_total", true);
            let call = match &cursor {
                Some(cursor) => call.query("cursor", cursor),
                None => call,
            };
            let page = call.expect(200).await.json;
            assert_eq!(page["page"]["total"], 4, "{sort}");
            seen.push(page["data"][0]["name"].as_str().unwrap().to_owned());
            match page["page"]["next_cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(seen, list(&harness, &chief, &[("sort", sort)]).await, "{sort}");
        assert_eq!(seen.len(), 4, "{sort}");
    }
    assert_eq!(list(&harness, &chief, &[("sort", "name")]).await, ["Alpha", "Bravo", "charlie", "delta"]);
}

#[tokio::test]
async fn update_keeps_omitted_fields() {
    let (harness, chief) = harness().await;
    let program = harness.program("Storefront", &["storefront"], None).await;
    let client = client_uuid(&harness, &chief, &program).await;
    let changed = on(
        &harness,
        &chief,
        "admin_machine_clients_update",
        client,
        &json!({ "contact_email": "shop@labs.example", "allowed_networks": ["127.0.0.0/8", "2001:DB8::/32"] }),
    )
    .await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert_eq!(changed.json["name"], "Storefront");
    assert_eq!(changed.json["allowed_networks"], json!(["127.0.0.0/8", "2001:db8::/32"]));
    let changed = on(
        &harness,
        &chief,
        "admin_machine_clients_update",
        client,
        &json!({ "contact_email": null, "name": " Shop " }),
    )
    .await;
    assert_eq!((changed.str("name"), &changed.json["contact_email"]), ("Shop", &Value::Null));
    assert_eq!(changed.json["allowed_networks"].as_array().unwrap().len(), 2);
    let wrong = json!({ "name": "   x", "contact_email": "nobody", "allowed_networks": ["10.0.0.1/8"] });
    let refused = on(&harness, &chief, "admin_machine_clients_update", client, &wrong).await;
    assert_eq!(refused.status, 422);
    let stale = harness
        .call("admin_machine_clients_update")
        .path("client_uuid", client)
        .token(&chief.token)
        .header("if-match", "\"stale\"")
        .json(&json!({ "name": "Other" }));
    stale.expect(412).await;
    let difference = "select count(*) from audit_change where thing = 'machine_client' and after ->> 'name' = 'Shop'";
    assert_eq!(harness.number(difference).await, 1);
}

#[tokio::test]
async fn client_networks_restrict_tokens_and_violation_is_logged_once() {
    let harness = Harness::with(&behind_a_proxy()).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let program = harness.program("Storefront", &["storefront"], None).await;
    let client = client_uuid(&harness, &chief, &program).await;
    let from = |address: &'static str| {
        harness.call("system_me_get").token(&program.token).header("x-forwarded-for", address).send()
    };
    assert_eq!(from("203.0.113.9").await.status, 200, "from anywhere, as long as no network is named");
    let networks = json!({ "allowed_networks": ["198.51.100.0/24"] });
    assert_eq!(on(&harness, &chief, "admin_machine_clients_update", client, &networks).await.status, 200);
    harness.soon("a token from elsewhere is refused", async || from("203.0.113.9").await.status == 401).await;
    for _ in 0..3 {
        let stray = from("203.0.113.9").await;
        assert_eq!((stray.status, stray.code()), (401, "UNAUTHENTICATED"));
    }
    assert_eq!(from(HOME).await.status, 200, "and taken from home");
    let noted = "select count(*) from security_event where kind = 'NETWORK_REFUSED' and outcome = 'REFUSED'
                    and host(address) = '203.0.113.9' and client_uuid is not null";
    assert_eq!(harness.number(noted).await, 1);
    let anywhere = json!({ "allowed_networks": [] });
    assert_eq!(on(&harness, &chief, "admin_machine_clients_update", client, &anywhere).await.status, 200);
    harness.soon("it is taken from anywhere again", async || from("203.0.113.9").await.status == 200).await;
}

#[tokio::test]
async fn issued_tokens_follow_allowed_scopes_of_client() {
    let (harness, chief) = harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let program = harness.program("Menu sync", &["marketplace:write", "partner"], owner.partner_uuid).await;
    let client = client_uuid(&harness, &chief, &program).await;
    let narrowed = on(
        &harness,
        &chief,
        "admin_machine_clients_put_scopes",
        client,
        &json!({ "allowed_scopes": ["partner", "marketplace.apps"] }),
    )
    .await;
    assert_eq!(narrowed.json["allowed_scopes"], json!(["marketplace.apps", "partner"]));
    let scopes = async || {
        let me = harness.call("system_me_get").token(&program.token).expect(200).await.json;
        let mut scopes: Vec<String> =
            me["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap().to_owned()).collect();
        scopes.sort();
        scopes
    };
    harness.soon("the token reaches less", async || scopes().await == ["marketplace.apps", "partner"]).await;
    let staff_scope = json!({ "allowed_scopes": ["partner", "labs.admin.audit"] });
    let refused = on(&harness, &chief, "admin_machine_clients_put_scopes", client, &staff_scope).await;
    assert_eq!((refused.status, &refused.json["errors"][0]["code"]), (422, &json!("SCOPE_OF_STAFF")));
    assert_eq!(refused.json["errors"][0]["pointer"], "/allowed_scopes/1");
}

#[tokio::test]
async fn caller_cannot_use_client_to_gain_scopes() {
    let (harness, chief) = harness().await;
    let operator = harness.staff("Operator", &["labs.admin.clients:write"]).await;
    let program = harness.program("Importer", &["labs.admin.statistics:write"], None).await;
    let client = client_uuid(&harness, &chief, &program).await;
    let put = async |scopes: &[&str]| {
        on(&harness, &operator, "admin_machine_clients_put_scopes", client, &json!({ "allowed_scopes": scopes })).await
    };
    let refused = put(&["labs.admin.statistics:write", "labs.admin.tiers"]).await;
    assert_eq!((refused.status, &refused.json["errors"][0]["code"]), (422, &json!("SCOPE_BEYOND_YOURS")));
    assert_eq!(put(&["labs.admin.statistics:write", "storefront"]).await.status, 200, "what it has may stay");
    let taken = on(&harness, &operator, "admin_machine_clients_rotate_secret", client, &json!({})).await;
    assert_eq!((taken.status, taken.str("required_scope")), (403, "labs.admin.statistics:write"));
    let networks = async |networks: &[&str]| {
        let body = json!({ "allowed_networks": networks });
        on(&harness, &operator, "admin_machine_clients_update", client, &body).await
    };
    assert_eq!(networks(&["127.0.0.0/8"]).await.status, 200, "a door may be narrowed");
    for wider in [&["127.0.0.0/8", "198.51.100.0/24"][..], &[]] {
        let refused = networks(wider).await;
        assert_eq!((refused.status, refused.str("required_scope")), (403, "labs.admin.statistics:write"));
    }
    let reason = json!({ "reason": "A test." });
    assert_eq!(on(&harness, &operator, "admin_machine_clients_disable", client, &reason).await.status, 200);
    let enabled = on(&harness, &operator, "admin_machine_clients_enable", client, &reason).await;
    assert_eq!((enabled.status, enabled.code()), (403, "SCOPE_MISSING"), "and shut, but not opened again");
    assert_eq!(on(&harness, &chief, "admin_machine_clients_enable", client, &reason).await.status, 200);
    assert_eq!(put(&["storefront"]).await.status, 200);
    assert_eq!(put(&["labs.admin.statistics:write"]).await.status, 422, "and is not given back by whoever lacks it");
    let rotated = on(&harness, &operator, "admin_machine_clients_rotate_secret", client, &json!({})).await;
    assert_eq!(rotated.status, 201);
}

#[tokio::test]
async fn deleted_secret_revokes_only_its_tokens() {
    let (harness, chief) = harness().await;
    let program = harness.program("Storefront", &["storefront"], None).await;
    let client = client_uuid(&harness, &chief, &program).await;
    let rotated = on(&harness, &chief, "admin_machine_clients_rotate_secret", client, &json!({})).await;
    let second = rotated.str("client_secret").to_owned();
    let other_token = harness.token_of(&program.client_id, &second, None).await;
    let secrets = async |state: &str| {
        let call = harness.call("admin_machine_clients_list_secrets").path("client_uuid", client).token(&chief.token);
        let call = if state.is_empty() { call } else { call.query("state", state) };
        call.query("include_total", true).expect(200).await.json
    };
    let all = secrets("").await;
    assert_eq!((all["data"].as_array().unwrap().len(), &all["page"]["total"]), (2, &json!(2)));
    assert!(!all.to_string().contains(&second[14..]), "nothing of the secret but its prefix");
    let first = all["data"][1]["uuid"].as_str().unwrap().to_owned();
    let delete = async |secret: &str| {
        let call = harness.call("admin_machine_clients_delete_secret").path("client_uuid", client);
        call.path("secret_uuid", secret).token(&chief.token).send().await.status
    };
    assert_eq!(token_status(&harness, &program.token).await, 200);
    assert_eq!((delete(&first).await, delete(&first).await), (204, 404));
    harness.soon("its tokens are refused", async || token_status(&harness, &program.token).await == 401).await;
    assert_eq!(token_status(&harness, &other_token).await, 200, "those of the other secret live on");
    let form = [("grant_type", "password"), ("username", &*program.client_id), ("password", &*program.secret)];
    harness.call("auth_tokens_issue").form(&form).expect(400).await;
    assert_eq!(secrets("DELETED").await["data"][0]["uuid"], first);
    assert_eq!(secrets("ACTIVE").await["data"].as_array().unwrap().len(), 1);
    let last = all["data"][0]["uuid"].as_str().unwrap().to_owned();
    assert_eq!(delete(&last).await, 204, "even the last one");
    let elsewhere = harness.program("Other", &["storefront"], None).await;
    let foreign = client_uuid(&harness, &chief, &elsewhere).await;
    let call = harness.call("admin_machine_clients_delete_secret").path("client_uuid", foreign);
    call.path("secret_uuid", &last).token(&chief.token).expect(404).await;
}

#[tokio::test]
async fn disabled_client_is_rejected_and_needs_new_token_when_enabled() {
    let (harness, chief) = harness().await;
    let program = harness.program("Storefront", &["storefront"], None).await;
    let client = client_uuid(&harness, &chief, &program).await;
    let reason = json!({ "reason": "Its secret was found in a public repository." });
    on(&harness, &chief, "admin_machine_clients_disable", client, &json!({})).await;
    let disabled = on(&harness, &chief, "admin_machine_clients_disable", client, &reason).await;
    assert_eq!((disabled.status, disabled.str("state")), (200, "DISABLED"));
    harness.soon("its tokens are refused", async || token_status(&harness, &program.token).await == 401).await;
    let again = on(&harness, &chief, "admin_machine_clients_disable", client, &reason).await;
    assert_eq!((again.code(), &again.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["enable"])));
    let kept = "select count(*) from audit_log where operation = 'admin_machine_clients_disable'
                   and outcome = 'SUCCEEDED' and reason like 'Its secret%' and target_label = 'Storefront'";
    assert_eq!(harness.number(kept).await, 1);
    let call = harness.call("admin_machine_clients_enable").path("client_uuid", client).token(&chief.token);
    assert_eq!(call.expect(200).await.str("state"), "ACTIVE");
    let fresh = async || {
        let form = [("grant_type", "password"), ("username", &*program.client_id), ("password", &*program.secret)];
        harness.call("auth_tokens_issue").form(&form).expect(200).await.str("access_token").to_owned()
    };
    let token = fresh().await;
    harness.soon("a new token is good", async || token_status(&harness, &token).await == 200).await;
    assert_eq!(token_status(&harness, &program.token).await, 401, "one from before is not");
}

#[tokio::test]
async fn token_grants_list_issued_and_rejected_tokens() {
    let (harness, chief) = harness().await;
    let program = harness.program("Storefront", &["storefront"], None).await;
    let client = client_uuid(&harness, &chief, &program).await;
    let wrong = [("grant_type", "password"), ("username", &*program.client_id), ("password", "labs_cs_wrong")];
    harness.call("auth_tokens_issue").form(&wrong).expect(400).await;
    let ledger = async |query: &[(&str, &str)]| {
        let call = harness.call("admin_machine_clients_list_token_grants").path("client_uuid", client);
        let call = query.iter().fold(call.token(&chief.token), |call, (name, value)| call.query(name, value));
        call.expect(200).await.json["data"].as_array().unwrap().clone()
    };
    let all = ledger(&[]).await;
    assert_eq!((&all[0]["outcome"], &all[0]["code"]), (&json!("REFUSED"), &json!("WRONG_SECRET")));
    assert_eq!((&all[1]["outcome"], &all[1]["scopes"]), (&json!("SUCCEEDED"), &json!(["storefront"])));
    assert_eq!(all[1]["address"], "127.0.0.1");
    let secret = harness.call("admin_machine_clients_get").path("client_uuid", client).token(&chief.token);
    assert_eq!(all[1]["secret_uuid"], secret.expect(200).await.json["secrets"][0]["uuid"]);
    assert_eq!(ledger(&[("outcome", "SUCCEEDED")]).await.len(), 1);
    assert_eq!(ledger(&[("code", "WRONG_SECRET"), ("sort", "granted_at")]).await.len(), 1);
    assert_eq!(ledger(&[("granted_at_until", "2020-01-01T00:00:00Z")]).await.len(), 0);
    assert_eq!(ledger(&[("sort", "granted_at")]).await[0], all[1]);
}

#[tokio::test]
async fn allowed_scopes_are_listed_with_used_scopes() {
    let (harness, chief) = harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let program = harness.program("Menu sync", &["marketplace:write", "subscription"], owner.partner_uuid).await;
    harness.call("marketplace_apps_list").token(&program.token).expect(200).await;
    harness.engine.services().usage.flush(harness.engine.pool()).await.unwrap();
    let client = client_uuid(&harness, &chief, &program).await;
    let shown =
        harness.call("admin_machine_clients_get").path("client_uuid", client).token(&chief.token).expect(200).await;
    assert_eq!(shown.json["used_scopes"][0]["scope"], "marketplace.apps");
    assert_eq!(shown.json["used_scopes"][0]["uses"], 1);
    assert_eq!(shown.json["unused_scopes"], json!(["subscription"]));
    assert_eq!(shown.json["company_name"], "Nordsee Kassen");
}
