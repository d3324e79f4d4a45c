//! Tests of shutdown: graceful, immediate and forced, and the data that remains afterwards.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Service, cluster_name, kill, nothing_is_left, processes, soon, try_kill};
use crate::harness::people::PASSWORD;

const EMAIL: &str = "mara@nordsee.example";

fn registration() -> Value {
    json!({ "company_name": "Nordsee Kassen", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Mara Vogel", "email": EMAIL, "password": PASSWORD } })
}

/// A registration in progress: the service waits for the second half of the body.
struct HalfSent {
    stream: BufReader<TcpStream>,
    rest: Vec<u8>,
}

impl HalfSent {
    fn to(service: &Service) -> Self {
        let mut body = registration().to_string().into_bytes();
        let head = format!(
            "POST /v1/auth/registrations HTTP/1.1\r\nHost: labs\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            body.len()
        );
        let rest = body.split_off(body.len() / 2);
        let mut stream = BufReader::new(TcpStream::connect(service.address()).unwrap());
        stream.get_ref().set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        // The service sends `100 Continue` when it starts to read the body.
        let mut told = String::new();
        stream.read_line(&mut told).unwrap();
        stream.read_line(&mut told).unwrap();
        assert_eq!(told, "HTTP/1.1 100 Continue\r\n\r\n");
        stream.get_mut().write_all(&body).unwrap();
        Self { stream, rest }
    }

    /// Sends the second half and returns the response up to the end of the connection.
    fn finish(mut self) -> String {
        self.stream.get_mut().write_all(&self.rest).unwrap();
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

fn no_connection_is_taken(service: &Service) {
    soon("no connection is taken", || TcpStream::connect(service.address()).is_err());
}

#[test]
fn service_prints_its_address_and_stops_cleanly_on_sigterm() {
    let place = tempfile::tempdir().unwrap();
    let service = Service::start(place.path());
    assert!(service.answers());
    let name = cluster_name(place.path());
    let rest = service.stop();
    nothing_is_left(&name);
    assert!(!place.path().join("postgres/postmaster.pid").exists());
    assert!(rest.contains("/playground"), "{rest}");
    assert!(!rest.contains("Labs is ready"), "{rest}");
}

#[test]
fn ctrl_c_for_process_group_stops_service_before_database() {
    let place = tempfile::tempdir().unwrap();
    let mut service = Service::start(place.path());
    let name = cluster_name(place.path());
    service.signal("INT", "-");
    assert!(service.wait().success());
    nothing_is_left(&name);
    let log = std::fs::read_to_string(service.log.path()).unwrap();
    assert!(log.contains("the shutdown is complete"), "{log}");
    assert!(!log.contains("stopped unexpectedly"), "{log}");
}

#[test]
fn request_in_flight_at_ctrl_c_is_completed() {
    let place = tempfile::tempdir().unwrap();
    let mut service = Service::start(place.path());
    let name = cluster_name(place.path());
    let request = HalfSent::to(&service);
    service.signal("INT", "-");
    no_connection_is_taken(&service);
    assert!(service.process.try_wait().unwrap().is_none(), "it did not wait for the request");
    let answer = request.finish();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no whole head: {answer:?}"));
    assert!(head.starts_with("HTTP/1.1 202 "), "{answer}");
    let length = format!("content-length: {}", body.len());
    assert!(head.lines().any(|line| line.eq_ignore_ascii_case(&length)), "{answer}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["status"], "VERIFICATION_SENT");
    assert!(service.wait().success());
    nothing_is_left(&name);
}

#[test]
fn second_ctrl_c_does_not_wait_for_requests() {
    let place = tempfile::tempdir().unwrap();
    let mut service = Service::start(place.path());
    let name = cluster_name(place.path());
    let request = HalfSent::to(&service);
    service.signal("INT", "-");
    no_connection_is_taken(&service);
    service.signal("INT", "-");
    assert_eq!(service.wait().code(), Some(130));
    drop(request);
    nothing_is_left(&name);
}

#[tokio::test]
async fn acknowledged_data_survive_a_kill() {
    let place = tempfile::tempdir().unwrap();
    let mut first = Service::start(place.path());
    let mut harness = first.harness(place.path()).await;
    harness.call("auth_registrations_create").json(&registration()).expect(202).await;
    first.die();

    let mut second = Service::start(place.path());
    harness.use_address(second.address());
    // If the first process died while it was sending the mail, its claim would block the mail for two minutes.
    harness.sql("update mail_message set next_attempt_at = labs_now() where state = 'QUEUED'").await;
    let token = harness.mailed_token(EMAIL).await;
    harness
        .call("auth_registrations_verify_email")
        .json(&json!({ "token": token, "password": PASSWORD }))
        .expect(200)
        .await;
    let owner = harness.sign_in(EMAIL).await;
    let body = json!({ "name": "Table Pilot" });
    let made = harness.call("marketplace_apps_create").token(&owner.token).json(&body).expect(201).await;
    second.die();

    let third = Service::start(place.path());
    harness.use_address(third.address());
    let owner = harness.sign_in(EMAIL).await;
    let kept = harness.call("marketplace_apps_get").path("app_uuid", made.str("uuid")).token(&owner.token);
    assert_eq!(kept.expect(200).await.json, made.json);
    third.stop();
}

#[test]
fn killed_service_leaves_no_processes_and_restarts_immediately() {
    let place = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let mut service = Service::start(place.path());
        let name = cluster_name(place.path());
        service.die();
        nothing_is_left(&name);
        assert!(!place.path().join("postgres/postmaster.pid").exists());
    }
    let mut killed = Service::start(place.path());
    let name = cluster_name(place.path());
    killed.die();
    let next = Service::start(place.path());
    assert!(next.answers());
    next.stop();
    nothing_is_left(&name);
}

#[test]
fn next_start_stops_orphaned_database_server() {
    let place = tempfile::tempdir().unwrap();
    let mut service = Service::start(place.path());
    let name = cluster_name(place.path());
    for watchdog in processes(&[&name, "labs-watchdog"]) {
        kill("STOP", &watchdog);
    }
    service.die();
    // A process may end on its own when another one ends.
    for watchdog in processes(&[&name, "labs-watchdog"]) {
        try_kill("KILL", &watchdog);
    }
    assert!(!processes(&[&name]).is_empty());
    let next = Service::start(place.path());
    assert!(next.answers());
    next.stop();
    nothing_is_left(&name);
}
