//! Tests of logging: log content, and that a blocked log delays neither requests nor shutdown.

use std::io::{PipeReader, Read as _, Write as _};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Service, serve_migrated};

/// A text on which an HTML parser logs many messages.
const TEXT: &str = "A **secret wish** with <b>markup</b>, [a link](https://wish.example) and `code`.";

#[tokio::test]
async fn debug_and_trace_log_no_text_of_users() {
    for level in ["debug", "trace"] {
        let place = tempfile::tempdir().unwrap();
        let mut command = serve_migrated(place.path());
        let service = Service::run(command.args(["--empty", "--log", level]));
        let log = Arc::clone(&service.log);
        let harness = service.harness(place.path()).await;
        harness.sql("update tier set burst_per_second = 1000").await;
        let person = harness.partner("Nordsee Kassen").await;
        let body = json!({ "title": "A secret wish", "body": TEXT });
        let proposed = harness.call("engagement_feature_requests_propose").token(&person.token).json(&body);
        let uuid = proposed.expect(201).await.str("uuid").to_owned();
        let read = harness.call("engagement_feature_requests_get").path("request_uuid", &uuid).token(&person.token);
        read.expect(200).await;
        service.stop();
        let log = std::fs::read_to_string(log.path()).unwrap();
        for silent in ["secret wish", "wish.example", "html5ever", "sqlx::query"] {
            assert!(!log.contains(silent), "{level} logs {silent}: {}", log.chars().take(4_000).collect::<String>());
        }
        assert!(log.len() < 1_000_000, "{level} logs {} bytes", log.len());
    }
}

/// Returns a full pipe and its other end.
fn full_pipe() -> (PipeReader, Stdio) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let of_service = writer.try_clone().unwrap();
    // The pipe is full when the thread blocks; the thread ends with the test.
    let (filled, bytes) = std::sync::mpsc::channel();
    std::thread::spawn(move || while writer.write_all(b"x").is_ok() && filled.send(()).is_ok() {});
    while bytes.recv_timeout(Duration::from_millis(500)).is_ok() {}
    (reader, of_service.into())
}

#[test]
fn stalled_log_reader_delays_neither_requests_nor_shutdown() {
    let place = tempfile::tempdir().unwrap();
    let (mut reader, stderr) = full_pipe();
    let mut command = serve_migrated(place.path());
    command.args(["--empty", "--log", "trace", "--log-requests"]);
    let mut service = Service::run_logging_to(&mut command, stderr);
    // Fewer requests than the burst budget of an anonymous network.
    for _ in 0..20 {
        assert!(service.answers());
    }
    service.signal("TERM", "");
    assert!(ends_within(&mut service, Duration::from_secs(20)), "the log keeps it from its end");
    // The pipe contains only its earlier content.
    let mut held = [0; 1];
    reader.read_exact(&mut held).unwrap();
    assert_eq!(&held, b"x");
}

#[test]
fn closed_standard_error_stops_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = serve_migrated(place.path());
    command.args(["--empty", "--log", "trace", "--log-requests"]);
    let mut service = Service::run_logging_to(&mut command, writer.into());
    assert!(service.answers());
    service.signal("TERM", "");
    assert!(service.wait().success());
}

fn ends_within(service: &mut Service, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    while Instant::now() < until {
        if let Some(status) = service.process.try_wait().unwrap() {
            return status.success();
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
    false
}
