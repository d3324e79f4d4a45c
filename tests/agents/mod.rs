//! Tests of the endpoint for agents (Model Context Protocol).

mod calls;
mod messages;
mod ranking;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::harness::{Harness, ROOMY};

/// A service that serves agents.
pub(crate) async fn with_agents() -> Harness {
    let harness = Harness::with(&[&["--mcp"], ROOMY].concat()).await;
    harness.sql("update tier set burst_per_second = 1000").await;
    harness
}

/// A response to a message.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: HeaderMap,
    pub(crate) json: Value,
}

impl Reply {
    /// Returns the structured content of a tool's result, which is no error.
    fn content(&self) -> &Value {
        assert_eq!(self.json["result"]["isError"], false, "{}", self.json);
        &self.json["result"]["structuredContent"]
    }

    /// Returns the structured content of a tool's error: the response of an operation.
    fn refusal(&self) -> &Value {
        assert_eq!(self.json["result"]["isError"], true, "{}", self.json);
        &self.json["result"]["structuredContent"]
    }

    /// Returns the text of a tool's error.
    pub(crate) fn text(&self) -> &str {
        assert_eq!(self.json["result"]["isError"], true, "{}", self.json);
        self.json["result"]["content"][0]["text"].as_str().unwrap()
    }
}

/// Returns a message that the endpoint accepts, without a body.
fn request(harness: &Harness, token: Option<&str>) -> reqwest::RequestBuilder {
    let request = harness
        .http()
        .post(format!("{}/mcp", harness.base_url))
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2025-06-18");
    match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    }
}

async fn send(request: reqwest::RequestBuilder) -> Reply {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let json = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default();
    Reply { status, headers, json }
}

/// Sends a method of the protocol.
async fn method(harness: &Harness, token: Option<&str>, method: &str, params: Value) -> Reply {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    send(request(harness, token).body(body.to_string())).await
}

/// Calls a tool.
async fn tool(harness: &Harness, token: Option<&str>, name: &str, arguments: Value) -> Reply {
    let reply = method(harness, token, "tools/call", json!({ "name": name, "arguments": arguments })).await;
    assert_eq!(reply.status, 200, "{name} {arguments}: {reply:?}");
    reply
}

/// Calls an operation through its tool.
pub(crate) async fn call(harness: &Harness, token: Option<&str>, arguments: Value) -> Reply {
    tool(harness, token, "call_operation", arguments).await
}

/// Returns the ids of the operations that the words find.
async fn find(harness: &Harness, token: Option<&str>, words: &str) -> Vec<String> {
    let found = tool(harness, token, "find_operations", json!({ "words": words, "limit": 10 })).await;
    let operations = found.content()["operations"].as_array().unwrap();
    operations.iter().map(|operation| operation["operation_id"].as_str().unwrap().to_owned()).collect()
}
