//! The endpoint itself: setting, methods, token, origins, sizes and budgets.

use serde_json::{Value, json};

use super::{call, find, method, request, send, tool, with_agents};
use crate::harness::{Harness, ROOMY};

fn ping() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string()
}

#[tokio::test]
async fn endpoint_is_off_by_default() {
    let harness = Harness::new().await;
    let reply = send(request(&harness, None).body(ping())).await;
    assert_eq!((reply.status, &reply.json["code"]), (404, &json!("NOT_FOUND")));
}

#[tokio::test]
async fn initialization_names_server_and_two_tools() {
    let harness = with_agents().await;
    let client =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let reply = method(&harness, None, "initialize", client).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let result = &reply.json["result"];
    assert_eq!(
        (&result["serverInfo"]["name"], &result["protocolVersion"]),
        (&json!("127.0.0.1/labs"), &json!("2025-06-18"))
    );
    assert!(!reply.headers.contains_key("mcp-session-id"), "no session");
    assert_eq!(reply.headers["content-type"], "application/json");
    assert_eq!(reply.headers["cache-control"], "no-store");
    let tools = method(&harness, None, "tools/list", json!({})).await;
    let names: Vec<&Value> =
        tools.json["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["find_operations", "call_operation"]);
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(send(request(&harness, None).body(told)).await.status, 202);
}

#[tokio::test]
async fn other_methods_are_rejected() {
    let harness = with_agents().await;
    for method in [reqwest::Method::GET, reqwest::Method::DELETE, reqwest::Method::PUT] {
        let reply = send(harness.http().request(method.clone(), format!("{}/mcp", harness.base_url))).await;
        assert_eq!((reply.status, &reply.json["code"]), (405, &json!("METHOD_NOT_ALLOWED")), "{method}");
        assert_eq!(reply.headers["allow"], "POST, OPTIONS");
    }
}

#[tokio::test]
async fn invalid_token_is_rejected_with_metadata_of_resource() {
    let harness = with_agents().await;
    for token in ["nonsense", "a.b.c"] {
        let reply = send(request(&harness, Some(token)).body(ping())).await;
        assert_eq!(reply.status, 401, "{reply:?}");
        let challenge = reply.headers["www-authenticate"].to_str().unwrap();
        assert!(challenge.contains("resource_metadata=") && challenge.contains("invalid_token"), "{challenge}");
    }
    let basic = send(request(&harness, None).basic_auth("id", Some("secret")).body(ping())).await;
    assert_eq!(basic.status, 401, "another scheme");
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_rejected() {
    let flags = [&["--mcp", "--cors-origins", "https://agents.example"], ROOMY].concat();
    let harness = Harness::with(&flags).await;
    let status =
        async |name: &str, value: &str| send(request(&harness, None).header(name, value).body(ping())).await.status;
    assert_eq!(status("origin", &harness.base_url).await, 200);
    assert_eq!(status("origin", "https://agents.example").await, 200);
    for foreign in ["https://evil.example", "null", "https://agents.example:8443", "http://agents.example"] {
        assert_eq!(status("origin", foreign).await, 403, "{foreign}");
    }
    assert_eq!(status("host", "evil.example").await, 403);
}

#[tokio::test]
async fn unusable_messages_are_rejected() {
    let harness = with_agents().await;
    let large = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{{\"x\":\"{}\"}}}}",
        "x".repeat(2 << 20)
    );
    assert_eq!(send(request(&harness, None).body(large)).await.status, 413);
    let batch = format!("[{},{}]", ping(), ping());
    for body in [batch.as_str(), "", "{", "null", "{\"jsonrpc\":\"2.0\"}", &"[".repeat(100_000)] {
        let reply = send(request(&harness, None).body(body.to_owned())).await;
        assert!((400..500).contains(&reply.status), "{}: {reply:?}", body.get(..40).unwrap_or(body));
    }
    let coded = request(&harness, None).header("content-encoding", "gzip").body(ping());
    assert_eq!(send(coded).await.status, 415);
    let text = harness.http().post(format!("{}/mcp", harness.base_url)).header("content-type", "text/plain");
    let text = text.header("accept", "application/json, text/event-stream").body(ping());
    assert_eq!(send(text).await.status, 415);
    let unknown = method(&harness, None, "tools/call", json!({ "name": "drop_tables", "arguments": {} })).await;
    assert!(unknown.json["error"]["message"].as_str().unwrap().contains("find_operations"), "{unknown:?}");
}

#[tokio::test]
async fn each_message_spends_one_request_of_its_caller() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let token = Some(owner.token.as_str());
    let left = async || {
        let reply = harness.call("system_me_get").token(&owner.token).expect(200).await;
        reply.header("x-ratelimit-daily-remaining").parse::<i64>().unwrap()
    };
    let before = left().await;
    let called = call(&harness, token, json!({ "operation_id": "system_me_get" })).await;
    assert_eq!(called.headers["x-ratelimit-daily-remaining"].to_str().unwrap().parse::<i64>().unwrap(), before - 1);
    find(&harness, token, "list apps").await;
    call(&harness, token, json!({ "operation_id": "nonsense" })).await.text();
    // The dry run spends the request of the explanation.
    call(&harness, token, json!({ "operation_id": "marketplace_apps_create", "body": {} })).await;
    assert_eq!(left().await, before - 5, "four messages, and this request");
}

#[tokio::test]
async fn spent_budget_rejects_message() {
    let flags = ["--mcp", "--anonymous-per-second", "1000", "--anonymous-per-day", "2", "--attempts-per-minute", "100"];
    let harness = Harness::with(&flags).await;
    let status = async || send(request(&harness, None).body(ping())).await.status;
    assert_eq!((status().await, status().await, status().await), (200, 200, 429));
}

#[tokio::test]
async fn flood_of_one_network_is_rejected() {
    let flags =
        ["--mcp", "--anonymous-per-second", "3", "--anonymous-per-day", "1000000", "--attempts-per-minute", "100"];
    let harness = Harness::with(&flags).await;
    let mut statuses = Vec::new();
    for _ in 0..40 {
        let reply = send(request(&harness, Some("nonsense")).body(ping())).await;
        statuses.push(reply.status);
    }
    assert!(statuses.contains(&429), "{statuses:?}");
    assert!(statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
}

#[tokio::test]
async fn staff_operations_are_found_only_by_staff() {
    let harness = with_agents().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let staff = harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    let words = "suspend a partner";
    assert!(find(&harness, Some(&staff.token), words).await.contains(&"admin_partners_suspend".to_owned()));
    for token in [None, Some(owner.token.as_str())] {
        let found = find(&harness, token, words).await;
        assert!(!found.is_empty() && found.iter().all(|id| !id.starts_with("admin_")), "{found:?}");
        let exact = find(&harness, token, "admin_partners_suspend").await;
        assert!(exact.iter().all(|id| !id.starts_with("admin_")), "{exact:?}");
        let near = call(&harness, token, json!({ "operation_id": "admin_partners_suspen" })).await;
        assert!(!near.text().contains("admin_"), "{}", near.text());
    }
}

#[tokio::test]
async fn found_operation_has_what_a_call_needs() {
    let harness = with_agents().await;
    let found = tool(&harness, None, "find_operations", json!({ "words": "create an app" })).await;
    let first = &found.content()["operations"][0];
    assert_eq!(first["operation_id"], "marketplace_apps_create");
    assert_eq!((&first["method"], &first["scope"]), (&json!("POST"), &json!("marketplace.apps:write")));
    assert_eq!(first["access"], "reversible-write");
    assert!(first["body"]["properties"]["name"].is_object(), "{first}");
    assert!(first["parameters"].as_array().unwrap().iter().any(|known| known["name"] == "Idempotency-Key"), "{first}");
    for arguments in
        [json!({}), json!({ "words": 5 }), json!({ "words": "x", "more": 1 }), json!({ "words": "x".repeat(3000) })]
    {
        tool(&harness, None, "find_operations", arguments).await.text();
    }
}

#[tokio::test]
async fn catalogue_names_card_and_card_describes_connected_server() {
    let harness = with_agents().await;
    let get = async |path: &str| {
        let answer = harness.http().get(path).send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["access-control-allow-origin"]),
            (200, &"*".parse().unwrap())
        );
        let media_type = answer.headers()["content-type"].to_str().unwrap().to_owned();
        (media_type, serde_json::from_slice::<Value>(&answer.bytes().await.unwrap()).unwrap())
    };
    let (media_type, catalogue) = get(&format!("{}/.well-known/ai-catalog.json", harness.base_url)).await;
    assert_eq!(media_type, "application/ai-catalog+json");
    let entry = &catalogue["entries"][0];
    let (media_type, card) = get(entry["url"].as_str().unwrap()).await;
    assert_eq!(entry["type"], media_type);
    let schema = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
    assert_eq!((&card["$schema"], &card["name"]), (&json!(schema), &json!("127.0.0.1/labs")), "{card}");
    assert!((1..=100).contains(&card["description"].as_str().unwrap().len()), "the schema's limit: {card}");
    let remote = &card["remotes"][0];
    assert_eq!(remote["url"], format!("{}/mcp", harness.base_url));
    let of = |name: &str| format!("io.modelcontextprotocol/{name}");
    let asked = json!({ "_meta": {
        of("protocolVersion"): "2026-07-28", of("clientInfo"): { "name": "test", "version": "1" }, of("clientCapabilities"): {},
    }});
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": asked });
    let connected = harness
        .http()
        .post(remote["url"].as_str().unwrap())
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "server/discover");
    let discovered = send(connected.body(body.to_string())).await;
    let result = &discovered.json["result"];
    assert_eq!(result["supportedVersions"], remote["supportedProtocolVersions"], "{discovered:?}");
    let info = result["_meta"][of("serverInfo")].as_object().unwrap();
    assert!(info.len() >= 6, "{info:?}");
    for (name, value) in info {
        assert_eq!(&card[name], value, "{name}");
    }
    let without = Harness::new().await;
    for path in ["/.well-known/ai-catalog.json", "/mcp/server-card"] {
        let answer = without.http().get(format!("{}{path}", without.base_url)).send().await.unwrap();
        assert_eq!(answer.status(), 404, "{path}");
    }
}
