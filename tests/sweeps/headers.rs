//! Header sweep: headers of every response: remaining budgets, request id, and security headers.

use labs::wiring;
use reqwest::header::HeaderMap;
use reqwest::{Method, Response};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::start_replica;
use crate::harness::{Harness, ROOMY};

/// Headers of every response, with their value if it is constant.
const ALWAYS: &[(&str, &str)] = &[
    ("content-security-policy", ""),
    ("cross-origin-resource-policy", "same-site"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-ratelimit-daily-limit", ""),
    ("x-ratelimit-daily-remaining", ""),
    ("x-ratelimit-daily-reset", ""),
    ("x-ratelimit-limit", ""),
    ("x-ratelimit-remaining", ""),
    ("x-ratelimit-reset", ""),
    ("x-request-id", ""),
];

/// Two other origins that may call the service.
const PAGES: [&str; 2] = ["https://shop.example", "https://desk.example:8443"];

/// Flags of a service that allows them.
const SHARED: &[&str] = &["--cors-origins", "https://shop.example,https://desk.example:8443"];

/// Origins that are similar to the allowed ones, and the origin of sandboxed pages.
const STRANGERS: &[&str] = &[
    "http://shop.example",
    "https://shop.example:8443",
    "https://shop.example.evil.example",
    "https://evil-shop.example",
    "https://desk.example",
    "null",
];

/// A request of each kind that web pages make.
const SORTS: &[(Method, &str)] = &[
    (Method::GET, "/v1/system/health"),
    (Method::GET, "/v1/system/me"),
    (Method::GET, "/v1/nothing"),
    (Method::GET, "/reference"),
    (Method::POST, "/playground/graphql"),
    (Method::OPTIONS, "/v1/auth/account"),
];

/// Trace id and parent id of the example in W3C Trace Context.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Returns the headers of every response that are missing here, or have other numbers than they should.
pub(super) fn lacking(headers: &HeaderMap) -> Vec<&'static str> {
    let lacks = |name: &str, always: &str| {
        let told = text(headers, name);
        if always.is_empty() { told.is_empty() } else { told != always }
    };
    let missing = ALWAYS.iter().filter(|(name, always)| lacks(name, always)).map(|(name, _)| *name);
    missing.chain(has_other_numbers(headers)).collect()
}

/// Returns the headers of the IETF draft whose numbers differ from those of the headers `X-RateLimit-*`.
fn has_other_numbers(headers: &HeaderMap) -> Vec<&'static str> {
    let told = |name: &str| text(headers, &format!("x-ratelimit-{name}")).to_owned();
    let left = ["remaining", "reset", "daily-remaining", "daily-reset"].map(told);
    let expected = [
        ("ratelimit", format!("\"burst\";r={};t={}, \"daily\";r={};t={}", left[0], left[1], left[2], left[3])),
        ("ratelimit-policy", format!("\"burst\";q={};w=1, \"daily\";q={};w=86400", told("limit"), told("daily-limit"))),
    ];
    expected.into_iter().filter(|(name, value)| text(headers, name) != value).map(|(name, _)| name).collect()
}

#[tokio::test]
async fn responses_outside_operations_have_common_headers() {
    let harness = Harness::new().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let staff = harness.staff("Chief", &["labs.admin:write"]).await;
    let ask = |method: Method, path: &str| harness.http().request(method, format!("{}{path}", harness.base_url));
    let door = |token: &str, media_type: &str, body: &str| {
        let request = ask(Method::POST, "/playground/graphql").bearer_auth(token);
        request.header("content-type", media_type).body(body.to_owned())
    };
    let asked = |query: &str| json!({ "query": query }).to_string();
    let hosts = |path: &str| ask(Method::GET, path).header("host", "labs").header("host", "other");
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    // Without a status: if the pages are not built, the path does not exist.
    for (what, request, status) in [
        ("an unknown path", ask(Method::GET, "/v1/nothing"), Some(404)),
        ("a path beside all", ask(Method::POST, "/nothing"), Some(404)),
        ("a method that a path does not know", ask(Method::DELETE, "/v1/system/health"), Some(405)),
        ("the methods of a path", ask(Method::OPTIONS, "/v1/system/health"), Some(204)),
        ("a target without end", ask(Method::GET, &format!("/v1/nothing?{}", "x".repeat(4096))), Some(400)),
        ("two hosts at an operation", hosts("/v1/system/health"), Some(400)),
        ("two hosts at a page", hosts("/reference"), Some(400)),
        ("the front page", ask(Method::GET, "/"), None),
        ("the reference", ask(Method::GET, "/reference"), None),
        ("the playground", ask(Method::GET, "/playground"), None),
        ("where a mailed link leads", ask(Method::GET, "/account/verify-email"), None),
        ("the head of a page", ask(Method::HEAD, "/playground/"), None),
        ("a file that no page has", ask(Method::GET, "/reference/nothing.js"), Some(404)),
        ("a method that pages do not know", ask(Method::PUT, "/reference"), Some(405)),
        ("the methods of the pages", ask(Method::OPTIONS, "/"), Some(204)),
        ("a picture that nothing shows", ask(Method::GET, &format!("/media/{}.png", "0".repeat(64))), Some(404)),
        ("the methods of pictures", ask(Method::OPTIONS, "/media/nothing"), Some(204)),
        ("a method that the door does not know", ask(Method::GET, "/playground/graphql"), Some(405)),
        ("the methods of the door", ask(Method::OPTIONS, "/playground/graphql"), Some(204)),
        ("nobody at the door", ask(Method::POST, "/playground/graphql"), Some(401)),
        ("a partner at the door", door(&owner.token, json, &asked("{ __typename }")), Some(403)),
        ("a form at the door", door(&staff.token, form, "query=1"), Some(415)),
        ("no JSON at the door", door(&staff.token, json, "{"), Some(400)),
        ("too much at the door", door(&staff.token, json, &asked(&" ".repeat(70_000))), Some(413)),
        ("a query that is refused", door(&staff.token, json, &asked("{ nothing_of_the_kind }")), Some(200)),
        ("a query that is answered", door(&staff.token, json, &asked("{ __typename }")), Some(200)),
    ] {
        let answer = request.send().await.unwrap();
        assert!(status.is_none_or(|status| answer.status() == status), "{what}: {}", answer.status());
        let lacking = lacking(answer.headers());
        assert!(lacking.is_empty(), "{what} lacks {lacking:?}: {:?}", answer.headers());
        let policy = text(answer.headers(), "content-security-policy");
        for directive in ["default-src", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(directive), "{what}: {policy}");
        }
    }
}

/// Starts another replica that is configured with this base URL, and returns its real address.
async fn reached_by(harness: &Harness, base_url: &str, folder: &tempfile::TempDir) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let application = start_replica(harness, base_url, folder.path()).await;
    tokio::spawn(wiring::answer(listener, application, CancellationToken::new()));
    format!("http://{address}")
}

#[tokio::test]
async fn hsts_is_sent_only_with_https_base_url() {
    let harness = Harness::new().await;
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let by_tls = reached_by(&harness, "https://labs.example/", &folders[0]).await;
    let without = reached_by(&harness, "http://labs.example", &folders[1]).await;
    for (base, told) in [(&by_tls, "max-age=63072000; includeSubDomains"), (&without, ""), (&harness.base_url, "")] {
        for (method, path) in SORTS {
            let answer = harness.http().request(method.clone(), format!("{base}{path}")).send().await.unwrap();
            assert_eq!(text(answer.headers(), "strict-transport-security"), told, "{method} {base}{path}");
        }
    }
}

/// Sends a request as a page of this origin and returns the response.
async fn from(harness: &Harness, origin: &str, (method, path): &(Method, &str)) -> Response {
    let request =
        harness.http().request(method.clone(), format!("{}{path}", harness.base_url)).header("origin", origin);
    let request = if *method == Method::OPTIONS {
        request.header("access-control-request-method", "PATCH").header("access-control-request-headers", "if-match")
    } else {
        request
    };
    request.send().await.unwrap()
}

#[tokio::test]
async fn cross_origin_page_reads_responses_only_if_origin_is_listed() {
    let harness = Harness::with(&[SHARED, ROOMY].concat()).await;
    for sort in SORTS {
        for origin in PAGES {
            let answer = from(&harness, origin, sort).await;
            let headers = answer.headers();
            assert_eq!(text(headers, "access-control-allow-origin"), origin, "{sort:?}");
            assert_eq!(text(headers, "access-control-allow-credentials"), "true", "{sort:?}");
            let varies = headers.get_all("vary").iter().any(|names| names.to_str().unwrap().contains("origin"));
            assert!(varies, "what one page is told is not kept for another: {sort:?} {headers:?}");
        }
        for origin in STRANGERS {
            let answer = from(&harness, origin, sort).await;
            assert_eq!(answer.headers().get("access-control-allow-origin"), None, "{sort:?} from {origin}");
        }
    }
}

#[tokio::test]
async fn preflight_lists_allowed_and_exposed_headers() {
    let harness = Harness::with(&[SHARED, ROOMY].concat()).await;
    let holds = |list: &str, names: &[&str]| {
        let listed: Vec<String> = list.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
        names.iter().all(|name| listed.iter().any(|known| known == name))
    };
    let preflight = from(&harness, PAGES[0], &(Method::OPTIONS, "/v1/auth/account")).await;
    let allowed = ["get", "head", "post", "put", "patch", "delete"];
    let methods = text(preflight.headers(), "access-control-allow-methods");
    assert!(holds(methods, &allowed), "{methods}");
    let sent = ["authorization", "content-type", "if-match", "if-none-match", "idempotency-key", "x-request-id"];
    let headers = text(preflight.headers(), "access-control-allow-headers");
    assert!(holds(headers, &sent), "{headers}");
    let again = from(&harness, PAGES[0], &(Method::OPTIONS, "/v1/auth/account")).await;
    let left = |answer: &Response| text(answer.headers(), "x-ratelimit-daily-remaining").to_owned();
    assert_eq!(left(&preflight), left(&again), "its request will be counted");
    let answer = from(&harness, PAGES[0], &(Method::GET, "/v1/subscription/public/tiers")).await;
    assert_ne!(left(&answer), left(&again));
    let told = ["etag", "link", "location", "retry-after", "x-request-id", "idempotency-replayed"];
    let limits = ALWAYS.iter().map(|(name, _)| *name).filter(|name| name.starts_with("x-ratelimit-"));
    let told: Vec<&str> = told.into_iter().chain(limits).collect();
    let exposed = text(answer.headers(), "access-control-expose-headers");
    assert!(holds(exposed, &told), "{exposed}");
}

#[tokio::test]
async fn no_cors_headers_without_listed_origins() {
    let harness = Harness::new().await;
    for sort in SORTS {
        for origin in [PAGES[0], harness.base_url.as_str()] {
            let answer = from(&harness, origin, sort).await;
            let told = answer.headers().keys().find(|name| name.as_str().starts_with("access-control-"));
            assert_eq!(told, None, "{sort:?} from {origin}");
        }
    }
    let asked = from(&harness, PAGES[0], &(Method::OPTIONS, "/v1/auth/account")).await;
    assert_eq!(asked.status(), 204, "it asks which methods there are, like any other");
    assert!(text(asked.headers(), "allow").contains("GET"));
}

/// Returns the request id that the service assigns to a request with these headers.
async fn called(harness: &Harness, headers: &[(&'static str, &str)]) -> String {
    let call = harness.call("system_health_get");
    let call = headers.iter().fold(call, |call, &(name, value)| call.header(name, value));
    call.expect(200).await.header("x-request-id").to_owned()
}

#[tokio::test]
async fn trace_id_becomes_request_id_unless_caller_sends_one() {
    let harness = Harness::new().await;
    let whole = format!("00-{TRACE}-{PARENT}-01");
    let whole = ("traceparent", whole.as_str());
    assert_eq!(called(&harness, &[whole]).await, TRACE);
    let later = format!("cc-{TRACE}-{PARENT}-01-what.the.future.will.be.like");
    assert_eq!(called(&harness, &[("traceparent", &later)]).await, TRACE, "a later version begins alike");
    let [one, other, garbled] = ["order-17.a", "order-17.b", "a b"].map(|name| ("x-request-id", name));
    assert_eq!(called(&harness, &[one, whole]).await, "order-17.a");
    assert_eq!(called(&harness, &[garbled, whole]).await, TRACE);
    assert_eq!(called(&harness, &[one, other, whole]).await, TRACE, "two names are none");
}

#[tokio::test]
async fn invalid_trace_header_is_ignored() {
    let harness = Harness::new().await;
    let (nothing, nobody) = ("0".repeat(32), "0".repeat(16));
    for bad in [
        String::new(),
        "nonsense".to_owned(),
        TRACE.to_owned(),
        format!("00-{TRACE}"),
        format!("00-{nothing}-{PARENT}-01"),
        format!("00-{TRACE}-{nobody}-01"),
        format!("00-{}-{PARENT}-01", TRACE.to_ascii_uppercase()),
        format!("00-{}-{PARENT}-01", &TRACE[1..]),
        format!("00-{TRACE}0-{PARENT}-01"),
        format!("00-{TRACE}-{}-01", &PARENT[1..]),
        format!("00-g{}-{PARENT}-01", &TRACE[1..]),
        format!("ff-{TRACE}-{PARENT}-01"),
        format!("0-{TRACE}-{PARENT}-01"),
        format!("00-{TRACE}-{PARENT}"),
        format!("00-{TRACE}-{PARENT}-zz"),
        format!("00-{TRACE}-{PARENT}-01-more"),
    ] {
        let made = called(&harness, &[("traceparent", &bad)]).await;
        // A trace id has no hyphens and would otherwise parse as a UUID.
        let is_fresh = made.len() == 36 && made.parse::<Uuid>().is_ok_and(|uuid| uuid.get_version_num() == 7);
        assert!(is_fresh, "{bad:?} made {made}");
    }
}

#[tokio::test]
async fn request_id_is_in_error_and_audit_record() {
    let harness = Harness::new().await;
    let auditor = harness.staff("Auditor", &["labs.admin.audit"]).await;
    let trace = format!("00-{TRACE}-{PARENT}-01");
    let list = |id: &str| harness.call(id).header("traceparent", &trace).token(&auditor.token);
    list("admin_audit_records_list").expect(200).await;
    let refused = list("admin_staff_list").expect(403).await;
    assert_eq!(refused.str("request_id"), TRACE);
    let records = format!("select count(*) from audit_log where request_id = '{TRACE}'");
    assert_eq!(harness.number(&records).await, 2);
}
