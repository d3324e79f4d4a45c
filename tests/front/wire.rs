//! Tests of properties of every response: compression, methods, CORS, HEAD.

use std::collections::BTreeSet;

use reqwest::header::HeaderMap;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{Harness, ROOMY};

const ORIGIN: &str = "https://shop.example";

/// Flags for a service behind a local proxy, with a web page on another origin that may call it.
const SHARED: &[&str] = &["--cors-origins", ORIGIN, "--trusted-proxies", "127.0.0.0/8"];

async fn get(harness: &Harness, path: &str, codings: &str) -> Response {
    let request = harness.http().get(format!("{}{path}", harness.base_url));
    request.header("accept-encoding", codings).send().await.unwrap()
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Whether a response has the headers that every response has.
fn is_whole(headers: &HeaderMap) -> bool {
    let always = ["x-request-id", "x-ratelimit-remaining", "x-ratelimit-daily-remaining", "content-security-policy"];
    always.iter().all(|name| !text(headers, name).is_empty()) && text(headers, "x-content-type-options") == "nosniff"
}

#[tokio::test]
async fn write_succeeds_if_no_content_coding_is_acceptable() {
    let harness = Harness::new().await;
    harness.sql("update tier_feature set value = '\"unlimited\"' where feature_code = 'apps'").await;
    let owner = harness.partner("Nordsee Kassen").await;
    for (codings, slug) in [("zstd, identity;q=0", "table-pilot"), ("*;q=0", "till-pilot")] {
        let body = json!({ "name": "Table Pilot", "slug": slug });
        let call = harness.call("marketplace_apps_create").token(&owner.token).json(&body);
        let made = call.header("accept-encoding", codings).expect(201).await;
        assert_eq!((made.header("content-encoding"), made.str("slug")), ("", slug));
    }
}

#[tokio::test]
async fn contract_is_sent_plain_or_in_a_stored_form() {
    let harness = Harness::new().await;
    let plain = get(&harness, "/v1/system/contract", "zstd").await;
    assert_eq!((text(plain.headers(), "vary"), text(plain.headers(), "content-encoding")), ("accept-encoding", ""));
    let length = plain.bytes().await.unwrap().len();
    let brotli = get(&harness, "/v1/system/contract", "gzip, br").await;
    assert_eq!(text(brotli.headers(), "content-encoding"), "br");
    assert!(brotli.bytes().await.unwrap().len() < length / 5);
    let packed = get(&harness, "/v1/system/contract", "gzip").await;
    assert_eq!(
        (text(packed.headers(), "vary"), text(packed.headers(), "content-encoding")),
        ("accept-encoding", "gzip")
    );
    let (told, tag) = (text(packed.headers(), "content-length").to_owned(), text(packed.headers(), "etag").to_owned());
    let bytes = packed.bytes().await.unwrap();
    assert_eq!(told, bytes.len().to_string(), "its length is known beforehand");
    assert_eq!(bytes[bytes.len() - 4..], (length as u32).to_le_bytes(), "gzip ends with the length of what it holds");
    let again = harness.call("system_contract_get").header("if-none-match", &tag).header("accept-encoding", "gzip");
    again.expect(304).await;
}

#[tokio::test]
async fn not_modified_response_has_etag_of_negotiated_coding() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let owner = harness.partner("Nordsee Kassen").await;
    let long = "Seats guests by party size, course and table. ".repeat(40);
    let app = json!({ "name": "Table Pilot", "description": long });
    let made = harness.call("marketplace_apps_create").token(&owner.token).json(&app).expect(201).await;
    let app = made.str("uuid");
    let coded = ["gzip", "identity", "br"].map(|coding| ("marketplace_apps_get", coding));
    for (operation, codings) in coded.into_iter().chain(["gzip", "br"].map(|coding| ("system_contract_get", coding))) {
        let get = || harness.call(operation).header("accept-encoding", codings).token(&owner.token);
        let get = || if operation == "system_contract_get" { get() } else { get().path("app_uuid", app) };
        let (whole, any) = (get().expect(200).await, get().header("if-none-match", "*").expect(304).await);
        let told = ["etag", "vary", "cache-control"];
        assert_eq!(told.map(|name| any.header(name)), told.map(|name| whole.header(name)), "{operation} as {codings}");
        let mark = if codings == "identity" { "\"".to_owned() } else { format!("-{codings}\"") };
        let is_marked = any.header("etag").contains("-gzip") || any.header("etag").contains("-br");
        assert!(any.header("etag").ends_with(&mark) && is_marked == (codings != "identity"), "{}", any.header("etag"));
        assert_eq!((any.bytes.len(), any.header("content-encoding")), (0, ""), "{operation} as {codings}");
    }
}

#[tokio::test]
async fn not_modified_response_keeps_the_policies_of_the_page() {
    let harness = Harness::new().await;
    let pages = ["/", "/playground", "/reference", "/reference/concepts/errors", "/account/verify-email"];
    let documents = ["/robots.txt", "/.well-known/api-catalog", "/v1/system/contract", "/v1/subscription/public/tiers"];
    // Headers that belong to one response, or to the body. A body too short to compress has no `Vary`.
    let is_single = |name: &str| {
        ["date", "x-request-id", "ratelimit", "transfer-encoding", "vary"].contains(&name)
            || name.starts_with("content-") && name != "content-security-policy"
            || name.starts_with("x-ratelimit")
    };
    let kept = |answer: &Response| {
        let headers = answer.headers().iter().filter(|(name, _)| !is_single(name.as_str()));
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        headers.collect::<BTreeSet<_>>()
    };
    for path in pages.into_iter().chain(documents) {
        let request = || harness.http().get(format!("{}{path}", harness.base_url)).header("accept-encoding", "br");
        let whole = request().send().await.unwrap();
        assert_eq!(whole.status(), 200, "{path}");
        for tag in [text(whole.headers(), "etag"), "*"] {
            let again = request().header("if-none-match", tag).send().await.unwrap();
            assert_eq!((again.status().as_u16(), kept(&again)), (304, kept(&whole)), "{path} with {tag}");
        }
    }
}

#[tokio::test]
async fn liveness_is_never_cached() {
    let harness = Harness::new().await;
    assert_eq!(harness.call("system_health_get").expect(200).await.header("cache-control"), "no-store");
}

#[tokio::test]
async fn non_api_paths_list_allowed_methods() {
    let harness = Harness::new().await;
    let pages = ["/", "/playground", "/playground/a.js", "/reference", "/reference/a.js"].map(|path| (path, true));
    for (path, is_page) in pages.into_iter().chain([("/playground/graphql", false)]) {
        let allow = if is_page { "GET, HEAD, OPTIONS" } else { "OPTIONS, POST" };
        let send = async |method: Method| {
            let request = harness.http().request(method, format!("{}{path}", harness.base_url));
            request.send().await.unwrap()
        };
        let refused = send(Method::DELETE).await;
        assert_eq!((refused.status().as_u16(), text(refused.headers(), "allow")), (405, allow), "{path}");
        assert!(is_whole(refused.headers()), "{path}: {:?}", refused.headers());
        assert_eq!(refused.json::<Value>().await.unwrap()["code"], "METHOD_NOT_ALLOWED", "{path}");
        let options = send(Method::OPTIONS).await;
        assert_eq!((options.status().as_u16(), text(options.headers(), "allow")), (204, allow), "{path}");
    }
}

#[tokio::test]
async fn cross_origin_page_reads_every_response_except_network_denial() {
    let harness = Harness::with(&[SHARED, ROOMY].concat()).await;
    let guard = harness.staff("Greta Guard", &["labs.admin.security:write"]).await;
    let body = json!({ "network": "198.51.100.0/24", "reason": "Tries stolen passwords." });
    harness.call("admin_network_denials_create").token(&guard.token).json(&body).expect(201).await;
    let from = async |address: &str, method: Method, path: &str| {
        let request = harness.http().request(method, format!("{}{path}", harness.base_url));
        let request = request.header("origin", ORIGIN).header("access-control-request-method", "POST");
        request.header("x-forwarded-for", address).send().await.unwrap()
    };
    let preflight = from("203.0.113.7", Method::OPTIONS, "/v1/auth/sessions").await;
    assert_eq!(preflight.status(), 200);
    assert_eq!(text(preflight.headers(), "access-control-allow-origin"), ORIGIN);
    assert!(is_whole(preflight.headers()), "{:?}", preflight.headers());
    for path in ["/v1/nothing", "/v1/system/me", "/reference/nothing.js"] {
        let refused = from("203.0.113.7", Method::GET, path).await;
        assert!(refused.status().is_client_error(), "{path}");
        assert_eq!(text(refused.headers(), "access-control-allow-origin"), ORIGIN, "{path}");
    }
    let denied = async || from("198.51.100.7", Method::OPTIONS, "/v1/auth/sessions").await;
    harness.soon("the network is refused", async || denied().await.status() == 403).await;
    let refused = denied().await;
    assert_eq!(text(refused.headers(), "access-control-allow-origin"), "");
    assert!(is_whole(refused.headers()), "{:?}", refused.headers());
}

#[tokio::test]
async fn request_needs_exactly_one_host_header() {
    let harness = Harness::new().await;
    for (target, hosts) in [
        ("GET /", "Host: labs\r\nHost: other\r\n"),
        ("GET /v1/system/health", ""),
        ("GET http://labs/v1/system/health", "Host: labs\r\nHost: other\r\n"),
        ("POST /playground/graphql", "Host: labs\r\nHost: other\r\n"),
        ("DELETE /reference", "Host: labs\r\nHost: other\r\n"),
        ("GET /v1/system/health", "Host: a b\r\n"),
        ("GET /v1/system/health", "Host: u@h\r\n"),
        ("GET /reference", "Host: x:99999999\r\n"),
        ("POST /playground/graphql", "Host:\r\n"),
    ] {
        let head = format!("{target} HTTP/1.1\r\n{hosts}Content-Length: 0\r\nConnection: close\r\n\r\n");
        let answer = exchange(&harness, &head).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{target}: {answer}");
        assert!(answer.contains("\"MALFORMED_REQUEST\""), "{target}: {answer}");
    }
}

/// Sends these bytes and returns everything received until the connection closes.
async fn exchange(harness: &Harness, sent: &str) -> String {
    let mut stream = TcpStream::connect(harness.base_url.trim_start_matches("http://")).await.unwrap();
    stream.write_all(sent.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn http_1_0_health_check_of_proxy_is_answered() {
    let harness = Harness::new().await;
    // HAProxy's `option httpchk` sends exactly these.
    for head in ["OPTIONS /v1/system/health HTTP/1.0\r\n\r\n", "GET /v1/system/health HTTP/1.0\r\n\r\n"] {
        let answer = exchange(&harness, head).await;
        assert!(answer.starts_with("HTTP/1.0 20"), "{head}: {answer}");
    }
}
