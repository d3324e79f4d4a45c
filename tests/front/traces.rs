//! Tests of the traces (OTLP) that a running service sends to a collector, and of the data that they never contain.

mod collector;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use self::collector::{Collector, Received, attribute, of_name};
use super::settings::refusal;
use super::watched::{metrics_with, value};
use super::{Service, serve_migrated};
use crate::harness::people::{PASSWORD, Person};

/// Id of the caller's span.
const CALLER: &str = "00f067aa0ba902b7";

/// Starts a service that sends its traces to this address.
fn traced(place: &std::path::Path, collector: &str, variables: &[(&str, &str)]) -> (Service, String) {
    let mut command = serve_migrated(place);
    command.args(["--empty", "--log-requests", "--metrics-listen", "127.0.0.1:0"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector).env("OTEL_BSP_SCHEDULE_DELAY", "50");
    let service = Service::run_with_json(command.envs(variables.iter().copied()));
    let metrics = service.metrics();
    (service, metrics)
}

fn with_headers() -> [(&'static str, &'static str); 2] {
    let attributes = ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=tests");
    [("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=labs%20of%20mara"), attributes]
}

/// Creates a unique trace and returns its id and its `traceparent` header with these sampling flags.
fn new_trace(flags: &str) -> (String, String) {
    static TRACES: AtomicU64 = AtomicU64::new(1);
    let trace = format!("{:032x}", TRACES.fetch_add(1, Ordering::Relaxed));
    let parent = format!("00-{trace}-{CALLER}-{flags}");
    (trace, parent)
}

#[tokio::test]
async fn trace_covers_request_to_commit_and_continues_callers_trace() {
    let (place, collector) = (tempfile::tempdir().unwrap(), Collector::default());
    let (service, _) = traced(place.path(), &collector.start().await, &with_headers());
    let harness = service.harness(place.path()).await;
    let person = harness.partner("Nordsee Kassen").await;
    let credentials = json!({ "email": person.email, "password": PASSWORD });
    let signed_in = harness.call("auth_sessions_create").json(&credentials).expect(200).await;
    let (trace, parent) = new_trace("01");
    let create = |parent: &str, name: &str| {
        let call = harness.call("marketplace_apps_create").token(signed_in.str("access_token"));
        let call = call.header("x-request-id", "client-17");
        call.header("traceparent", parent).json(&json!({ "name": name }))
    };
    create(&parent, "Table Pilot").expect(201).await;
    let spans = collector.trace(&trace, "marketplace_apps_create").await;

    let server = of_name(&spans, "marketplace_apps_create");
    assert_eq!((server.kind(), hex::encode(&server.parent_span_id).as_str()), (SpanKind::Server, CALLER));
    for (name, said) in [
        ("http.request.method", json!("POST")),
        ("http.route", json!("/v1/marketplace/apps")),
        ("http.response.status_code", json!(201)),
        ("labs.request_id", json!("client-17")),
        ("labs.principal", json!("PARTNER_USER")),
    ] {
        assert_eq!(attribute(server, name), Some(said), "{name}");
    }
    assert_eq!(attribute(server, "error.type"), None);
    for (name, kind) in [
        ("guard", SpanKind::Internal),
        ("BEGIN", SpanKind::Client),
        ("WITH app", SpanKind::Client),
        ("COMMIT", SpanKind::Client),
    ] {
        let span = of_name(&spans, name);
        assert_eq!((span.kind(), &span.parent_span_id), (kind, &server.span_id), "{name}");
        assert!(server.start_time_unix_nano <= span.start_time_unix_nano, "{name}");
        assert!(span.end_time_unix_nano <= server.end_time_unix_nano, "{name}: it leaves only after its commit");
        let system = (kind == SpanKind::Client).then(|| json!("postgresql"));
        assert_eq!(attribute(span, "db.system.name"), system, "{name}");
    }
    let of_guard: Vec<&Span> =
        spans.iter().filter(|span| span.parent_span_id == of_name(&spans, "guard").span_id).collect();
    assert!(of_guard.iter().any(|span| span.name == "SELECT session"), "the token is new: {of_guard:?}");
    let resource = "Some(\"labs\") Some(\"tests\")";
    assert!(collector.received().resources.iter().all(|told| told == resource));

    // A rejected request has the error code. If the caller does not sample, neither does the service. An invalid
    // `traceparent` starts a new trace.
    let (trace, parent) = new_trace("01");
    create(&parent, "").expect(422).await;
    let spans = collector.trace(&trace, "marketplace_apps_create").await;
    let server = of_name(&spans, "marketplace_apps_create");
    assert_eq!(attribute(server, "error.type"), Some(json!("VALIDATION_FAILED")));
    let (unsampled, parent) = new_trace("00");
    create(&parent, "Till Pilot").expect(201).await;
    create("00-nonsense-01", "Stock Pilot").expect(201).await;
    let begun = |received: &Received| {
        let mut roots = received.spans.iter().filter(|span| span.parent_span_id.is_empty());
        roots.any(|span| span.name == "marketplace_apps_create").then_some(())
    };
    collector.until("a trace of its own", begun).await;
    let log = Arc::clone(&service.log);
    service.stop();
    let received = collector.received();
    assert!(received.spans.iter().all(|span| hex::encode(&span.trace_id) != unsampled), "not sampled");
    let log = std::fs::read_to_string(log.path()).unwrap();
    let mut lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(lines.any(|line| line["trace_id"] == trace && line["operation"] == "marketplace_apps_create"), "{log}");
}

#[tokio::test]
async fn spans_contain_neither_caller_nor_request_data() {
    let (place, collector) = (tempfile::tempdir().unwrap(), Collector::default());
    let (service, metrics) = traced(place.path(), &collector.start().await, &with_headers());
    let harness = service.harness(place.path()).await;
    // The test sends requests faster than the first tier allows.
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    let body = json!({ "title": "Split the bill", "body": "We want to split bills by seats." });
    let proposed =
        harness.call("engagement_feature_requests_propose").token(&person.token).json(&body).expect(201).await;
    let request = proposed.str("uuid").to_owned();
    let read = harness.call("engagement_feature_requests_get").token(&person.token).path("request_uuid", &request);
    read.expect(200).await;
    let (vote, parent) = new_trace("01");
    let voted = harness.call("engagement_votes_withdraw").token(&person.token).path("request_uuid", &request);
    voted.header("traceparent", &parent).expect(200).await;
    let (search, parent) = new_trace("01");
    let searched = harness.call("marketplace_listings_search").query("q", "secretword").token(&person.token);
    searched.header("traceparent", &parent).header("tracestate", "vendor=secretstate").expect(200).await;
    collector.trace(&search, "marketplace_listings_search").await;
    let counted = metrics_with(&metrics, "labs_spans_total{outcome=\"sent\"}").await;
    service.stop();

    assert!(value(&counted, "labs_spans_total{outcome=\"sent\"}").unwrap() > 0.0);
    let received = collector.received();
    assert!(received.spans.iter().any(|span| span.name == "auth_registrations_create"));
    let of_vote = received.spans.iter().find(|span| hex::encode(&span.trace_id) == vote || span.name.contains("votes"));
    assert!(of_vote.is_none(), "its moment would tell who withdrew a vote: {of_vote:?}");
    assert_nothing_leaked(&received.bytes, &person, &request);
}

fn assert_nothing_leaked(bytes: &[u8], person: &Person, request: &str) {
    let partner = person.partner_uuid.unwrap().to_string();
    let uuid = person.uuid.to_string();
    let secrets = [PASSWORD, &person.email, &person.token, &person.refresh, &partner, &uuid, request];
    let sent = ["Mara", "Nordsee", "secretword", "secretstate", "127.0.0.1", "Split the bill"];
    for secret in secrets.into_iter().chain(sent).chain(["select ", "insert "]) {
        let mut places = bytes.windows(secret.len());
        assert!(!places.any(|place| place == secret.as_bytes()), "the spans tell {secret}");
    }
}

#[tokio::test]
async fn shared_statement_is_linked_to_each_request() {
    let (place, collector) = (tempfile::tempdir().unwrap(), Collector::default());
    let (service, _) = traced(place.path(), &collector.start().await, &with_headers());
    let harness = service.harness(place.path()).await;
    // The test sends requests faster than the first tier allows.
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    let traces: Vec<(String, String)> = (0..20).map(|_| new_trace("01")).collect();
    let asked = traces.iter().enumerate().map(async |(number, (_, parent))| {
        // A different listing each time, so that no request also reads the revision of the storefront.
        let slug = format!("nothing-there-{number}");
        let call = harness.call("marketplace_listings_get").path("listing_slug", slug);
        call.token(&person.token).header("traceparent", parent).expect(404).await;
    });
    futures_util::future::join_all(asked).await;
    let linked = |received: &Received| {
        let mut found: Vec<String> = Vec::new();
        for shared in received.spans.iter().filter(|span| span.name == "shared statement") {
            let others = shared.links.iter().map(|link| &link.trace_id);
            found.extend(others.chain([&shared.trace_id]).map(hex::encode));
        }
        (found.len() >= traces.len()).then_some(found)
    };
    let mut linked = collector.until("every shared statement", linked).await;
    service.stop();
    let mut asked: Vec<String> = traces.into_iter().map(|(trace, _)| trace).collect();
    asked.sort();
    linked.sort();
    assert_eq!(linked, asked, "each asked once, and is named once");
    let received = collector.received();
    let shared: Vec<&Span> = received.spans.iter().filter(|span| span.name == "shared statement").collect();
    for shared in shared {
        let statements = received.spans.iter().filter(|span| span.parent_span_id == shared.span_id);
        assert!(statements.clone().any(|span| span.name.starts_with("SELECT")), "{shared:?}");
        assert!(statements.clone().all(|span| span.trace_id == shared.trace_id));
    }
}

#[tokio::test]
async fn work_after_caller_left_stays_in_its_trace() {
    let (place, collector) = (tempfile::tempdir().unwrap(), Collector::default());
    let (service, _) = traced(place.path(), &collector.start().await, &with_headers());
    let harness = service.harness(place.path()).await;
    let person = harness.partner("Nordsee Kassen").await;
    let (trace, parent) = new_trace("01");
    let held = harness.lock("app", "share").await;
    let create = harness.call("marketplace_apps_create").token(&person.token).header("traceparent", &parent);
    let waits = "select least(count(*), 1) from pg_locks where not granted and relation = 'app'::regclass";
    tokio::select! {
        answer = create.json(&json!({ "name": "Table Pilot" })).send() => panic!("it waits for nothing: {answer:?}"),
        () = harness.until(waits, 1) => {}
    }
    // The client disconnects here, and the request continues in the service.
    collector.trace(&trace, "marketplace_apps_create").await;
    held.commit().await;
    let spans = collector.trace(&trace, "COMMIT").await;
    service.stop();
    let server = of_name(&spans, "marketplace_apps_create");
    assert_eq!(attribute(server, "http.response.status_code"), None, "nobody was answered");
    assert_eq!(of_name(&spans, "COMMIT").parent_span_id, server.span_id);
}

#[tokio::test]
async fn outgoing_requests_carry_trace_context() {
    let (place, collector) = (tempfile::tempdir().unwrap(), Collector::default());
    let url = collector.start().await;
    let token = place.path().join("token");
    std::fs::write(&token, "platform-secret\n").unwrap();
    let of_platform = [
        ("LABS_STATISTICS_URL", url.as_str()),
        ("LABS_STATISTICS_TOKEN_FILE", token.to_str().unwrap()),
        ("LABS_STATISTICS_ALLOW_PRIVATE", "true"),
    ];
    let (service, _) = traced(&place.path().join("labs"), &url, &[&with_headers()[..], &of_platform].concat());
    let told = collector.until("a question to the platform", |received| received.of_platform.first().cloned()).await;
    let [_, trace, parent, flags] = told.split('-').collect::<Vec<_>>()[..] else { panic!("{told}") };
    let spans = collector.trace(trace, "GET").await;
    service.stop();
    let asked = of_name(&spans, "GET");
    assert_eq!((asked.kind(), hex::encode(&asked.span_id).as_str(), flags), (SpanKind::Client, parent, "01"));
    assert_eq!(attribute(asked, "http.response.status_code"), Some(json!(503)));
    assert_eq!(attribute(asked, "error.type"), Some(json!("HTTP_STATUS")));
}

#[tokio::test]
async fn silent_trace_collector_delays_neither_requests_nor_shutdown() {
    let (place, silent) = (tempfile::tempdir().unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let collector = format!("http://{}", silent.local_addr().unwrap());
    // The system accepts connections, and no process reads from them.
    let patient = [("OTEL_EXPORTER_OTLP_TIMEOUT", "600000"), ("OTEL_BSP_MAX_QUEUE_SIZE", "16")];
    let few = [("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4"), ("LABS_ANONYMOUS_PER_SECOND", "10000")];
    let (service, metrics) = traced(place.path(), &collector, &[&patient[..], &few].concat());
    let harness = service.harness(place.path()).await;
    let begun = Instant::now();
    for _ in 0..100 {
        harness.call("publication_public_blog_posts_list").expect(200).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "a hundred requests took {:?}", begun.elapsed());
    let counted = metrics_with(&metrics, "labs_spans_total{outcome=\"dropped\"}").await;
    let dropped = value(&counted, "labs_spans_total{outcome=\"dropped\"}").unwrap();
    // Each request has at least three spans. The service keeps at most the spans in the queue and the spans being sent.
    assert!(dropped >= f64::from(3 * 100 - 16 - 4), "{dropped}");
    let (log, begun) = (Arc::clone(&service.log), Instant::now());
    service.stop();
    assert!(begun.elapsed() < Duration::from_secs(30), "it took {:?} to end", begun.elapsed());
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert!(log.contains("the last trace spans could not be exported before shutdown"), "{log}");
}

#[tokio::test]
async fn collector_outage_and_recovery_are_logged_once() {
    let (place, collector) = (tempfile::tempdir().unwrap(), Collector::default());
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (service, metrics) = traced(place.path(), &format!("http://{address}"), &with_headers());
    let harness = service.harness(place.path()).await;
    let grows = async |series: &str| {
        let before = value(&metrics_with(&metrics, series).await, series).unwrap();
        let more = || async {
            harness.call("system_contract_get").expect(200).await;
            value(&metrics_with(&metrics, series).await, series).unwrap() > before
        };
        harness.soon(series, more).await;
    };
    let (failed, sent) = ("labs_spans_total{outcome=\"failed\"}", "labs_spans_total{outcome=\"sent\"}");
    grows(failed).await;
    grows(failed).await;
    collector.start_at(address).await;
    grows(sent).await;
    grows(sent).await;
    let log = Arc::clone(&service.log);
    service.stop();
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert_eq!(log.matches("the trace collector rejects spans").count(), 1, "{log}");
    assert_eq!(log.matches("the trace collector accepts spans again").count(), 1, "{log}");
}

#[test]
fn invalid_trace_settings_stop_start() {
    let collector = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
    for (variable, said) in [
        (("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector:4318"), "write http:// or https://, and a host"),
        (("OTEL_TRACES_SAMPLER", "sometimes"), "OTEL_TRACES_SAMPLER=sometimes: write always_on or"),
        (("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), "OTEL_EXPORTER_OTLP_PROTOCOL=grpc: write http/protobuf"),
        (("OTEL_EXPORTER_OTLP_HEADERS", "hush"), "OTEL_EXPORTER_OTLP_HEADERS=…: write name=value"),
    ] {
        let told = refusal(&[collector, variable], &[]);
        assert!(told.starts_with("labs: ") && told.contains(said) && !told.contains("hush"), "{told}");
    }
    let place = tempfile::tempdir().unwrap();
    let (service, _) = traced(place.path(), "http://127.0.0.1:1", &[("OTEL_SDK_DISABLED", "true")]);
    let log = Arc::clone(&service.log);
    assert!(service.answers());
    service.stop();
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert!(!log.contains("trace export is enabled") && !log.contains("trace_id"), "{log}");
}
