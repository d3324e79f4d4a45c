//! Tests of monitoring: start log line, request log lines, and metrics.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::{LABS, Service, cluster_name, kill, processes, serve, serve_migrated};
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Harness, LONGEST_WAIT, contract};

/// A path that no log line and no metric may contain.
const PATH: &str = "/v1/nobodys-secret-path";
/// Request id that a client sends with all its requests.
const CLIENT: &str = "client-of-mara-17";

/// Starts a service with request logs and metrics, and returns it with the address of its metrics and its log.
fn start(place: &std::path::Path) -> (Service, String, Arc<NamedTempFile>) {
    start_by(serve_migrated(place))
}

fn start_by(mut command: Command) -> (Service, String, Arc<NamedTempFile>) {
    command.args(["--empty", "--log-requests", "--metrics-listen", "127.0.0.1:0"]);
    let service = Service::run_with_json(&mut command);
    let (metrics, log) = (service.metrics(), Arc::clone(&service.log));
    (service, metrics, log)
}

async fn get(url: &str) -> (u16, String) {
    let answer = reqwest::get(url).await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Returns the metrics once they contain this series. The service reads database metrics every few seconds.
pub(super) async fn metrics_with(url: &str, series: &str) -> String {
    let until = std::time::Instant::now() + LONGEST_WAIT;
    loop {
        let (status, metrics) = get(url).await;
        assert_eq!(status, 200);
        if value(&metrics, series).is_some() {
            return metrics;
        }
        assert!(std::time::Instant::now() < until, "no {series} in {metrics}");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}

/// Returns the value of a metric with these labels.
pub(super) fn value(metrics: &str, series: &str) -> Option<f64> {
    metrics.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok())
}

/// Returns every value of a label.
fn words<'m>(metrics: &'m str, label: &str) -> BTreeSet<&'m str> {
    let begin = format!("{label}=\"");
    metrics.lines().filter_map(|line| line.split_once(&begin)?.1.split('"').next()).collect()
}

/// A partner registers, proposes a feature request and withdraws its vote; an anonymous client requests an unknown
/// path.
async fn happen(harness: &Harness) -> (Person, String) {
    // The test sends requests faster than the first tier allows.
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    let ask = |operation: &str| harness.call(operation).token(&person.token).header("x-request-id", CLIENT);
    let body = json!({ "title": "Split the bill", "body": "We want to split bills by seats." });
    let uuid = ask("engagement_feature_requests_propose").json(&body).expect(201).await.str("uuid").to_owned();
    ask("engagement_votes_withdraw").path("request_uuid", &uuid).expect(200).await;
    harness.call("system_me_get").expect(401).await;
    assert_eq!(get(&format!("{}{PATH}?secret=words", harness.base_url)).await.0, 404);
    (person, uuid)
}

#[tokio::test]
async fn requests_are_logged_and_counted_without_identities() {
    let place = tempfile::tempdir().unwrap();
    // The first start, which runs all migrations.
    let (service, metrics_url, log) = start_by(serve(&Command::new(LABS), "127.0.0.1:0", place.path()));
    let harness = service.harness(place.path()).await;
    let (person, request) = happen(&harness).await;
    let metrics = metrics_with(&metrics_url, "labs_job_last_success_seconds{job=\"MAIL_DELIVERY\"}").await;
    assert_eq!(service.stop(), "", "standard output stays empty");
    let log = std::fs::read_to_string(log.path()).unwrap();

    let (own, partner) = (person.uuid.to_string(), person.partner_uuid.unwrap().to_string());
    for secret in [PATH, "nobodys", PASSWORD, &person.email, &request, &own, &partner] {
        assert!(!metrics.contains(secret), "the metrics tell {secret}");
        assert!(!log.contains(secret), "the log tells {secret}: {log}");
    }
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    starts_with_how_it_runs(&lines);
    each_request_has_its_line(&lines);

    let series = |series: &str| value(&metrics, series).unwrap_or_else(|| panic!("no {series} in {metrics}"));
    assert_eq!(series("labs_requests_total{operation=\"engagement_votes_withdraw\",status=\"200\"}"), 1.0);
    assert_eq!(series("labs_requests_total{operation=\"none\",status=\"404\"}"), 1.0);
    assert_eq!(series("labs_request_duration_seconds_count{operation=\"engagement_votes_withdraw\"}"), 1.0);
    assert_eq!(series("labs_refusals_total{code=\"UNAUTHENTICATED\"}"), 1.0);
    assert_eq!(series("labs_database_up"), 1.0);
    assert!(series("labs_database_connections{state=\"idle\"}") >= 1.0);
    assert!(series("labs_rights_age_seconds") < 10.0);
    assert_eq!(series("labs_mails{state=\"failed\"}"), 0.0);
    assert!(series("labs_audit_oldest_unsealed_seconds") < 60.0);
    assert!(series("labs_job_last_success_seconds{job=\"MAIL_DELIVERY\"}") < 60.0);
    let operations: BTreeSet<&str> = contract().operations().iter().map(|operation| operation.id.as_str()).collect();
    let counted = words(&metrics, "operation");
    assert!(counted.iter().all(|word| *word == "none" || operations.contains(word)), "{counted:?}");
    let codes: BTreeSet<&str> = contract().codes().collect();
    assert!(words(&metrics, "code").is_subset(&codes));
}

fn starts_with_how_it_runs(lines: &[Value]) {
    let start = lines.iter().find(|line| line["message"] == "Labs is ready").expect("no line of the start");
    let text = |name: &str| start[name].as_str().unwrap_or_else(|| panic!("{name} of {start}")).to_owned();
    assert_eq!(text("version"), env!("CARGO_PKG_VERSION"));
    assert!(text("base_url").ends_with(&text("address")) && text("metrics").starts_with("127.0.0.1:"), "{start}");
    assert!(text("database").starts_with("private, labs at /") && text("mail").starts_with("files in "), "{start}");
    assert_eq!((text("cors_origins"), text("trusted_proxies")), ("none".to_owned(), "none".to_owned()));
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).unwrap();
    let migrations =
        files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|end| end == "sql")).count();
    assert_eq!(start["migrations_run"], json!(migrations));
}

fn each_request_has_its_line(lines: &[Value]) {
    let of = |operation: &str| {
        let mut found =
            lines.iter().filter(|line| line["target"] == "labs::requests" && line["operation"] == operation);
        let line = found.next().unwrap_or_else(|| panic!("no line of {operation}"));
        assert!(found.next().is_none(), "more than one line of {operation}");
        line
    };
    let proposed = of("engagement_feature_requests_propose");
    assert_eq!((&proposed["status"], &proposed["principal"]), (&json!(201), &json!("PARTNER_USER")));
    assert_eq!(proposed["request_id"], CLIENT);
    assert!(proposed["took_ms"].as_f64().is_some_and(|took| took > 0.0), "{proposed}");
    // Its time next to other lines of the same client would reveal who withdrew a vote.
    assert!(lines.iter().all(|line| line["operation"] != "engagement_votes_withdraw"), "a total at most");
    let registered = of("auth_registrations_create");
    assert_eq!((&registered["status"], &registered["principal"]), (&json!(202), &Value::Null));
    let is_of_stranger = |line: &&Value| line["target"] == "labs::requests" && line["status"] == 404;
    let stranger = lines.iter().find(is_of_stranger).expect("no line of what is not there");
    assert_eq!((&stranger["operation"], &stranger["code"]), (&Value::Null, &json!("NOT_FOUND")));
}

#[tokio::test]
async fn metrics_have_one_path_and_work_without_database() {
    let place = tempfile::tempdir().unwrap();
    let (service, url, _log) = start(place.path());
    let base = url.strip_suffix("/metrics").unwrap();
    for path in ["", "/", "/metrics/", "/v1/system/health", "/metricsx"] {
        assert_eq!(get(&format!("{base}{path}")).await.0, 404, "{path}");
    }
    assert_eq!(reqwest::Client::new().post(&url).send().await.unwrap().status(), 404);
    assert_eq!(get(&format!("{}/metrics", service.base_url)).await.0, 404, "not where everybody is");

    let name = cluster_name(place.path());
    let mut seen = String::new();
    let is_down = async {
        while value(&seen, "labs_database_up") != Some(0.0) {
            // Stops processes repeatedly, because a connection that was just opening now has a process.
            processes(&[&name]).iter().for_each(|process| kill("STOP", process));
            let (status, metrics) = get(&url).await;
            assert_eq!(status, 200);
            seen = metrics;
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    let waited = tokio::time::timeout(LONGEST_WAIT, is_down).await;
    processes(&[&name]).iter().for_each(|process| kill("CONT", process));
    assert!(waited.is_ok(), "the database is not told to be away: {seen}");
    // The number of queued mails is then unknown, which is different from zero.
    assert!(seen.contains("labs_mails{state=\"queued\"} NaN"), "{seen}");
    // The last successful read was two seconds ago.
    assert!(value(&seen, "labs_rights_age_seconds").is_some_and(|age| age >= 1.0), "{seen}");
    service.stop();
}

#[test]
fn metrics_and_request_log_are_off_by_default() {
    let place = tempfile::tempdir().unwrap();
    let mut command = serve_migrated(place.path());
    let service = Service::run(command.args(["--empty", "--log", "debug"]));
    let log = Arc::clone(&service.log);
    assert!(service.answers());
    service.stop();
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert!(!log.contains("labs::requests") && !log.contains("system_health_get"), "{log}");
    assert!(!log.contains("DEBUG sqlx::query"), "statements are told at trace alone: {log}");
}
