//! Tests of master key rotation.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::command_line::{of, sign_in, stdout_of};
use super::{LABS, Service, said};
use crate::harness::Harness;

const EMAILS: [&str; 2] = ["ada@labs.example", "grace@labs.example"];

/// A new key in the format of `openssl rand -hex 32`.
const NEW: &str = "8f14e45fceea167a5a36dedd4bea2543c81e728d9d4c2f636f067f89cc14862c";

fn rotate(folder: &Path) -> std::process::Output {
    Command::new(LABS).args(["keys", "rotate", "--folder"]).arg(folder).output().unwrap()
}

/// Returns how many values of a kind were re-encrypted.
fn count(said: &str, sort: &str) -> u64 {
    let line = said.lines().find(|line| line.trim_end().ends_with(sort)).unwrap_or_else(|| panic!("{sort} in {said}"));
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// Creates an app with a constant idempotency key and returns its id.
async fn app_of(harness: &Harness, token: &str) -> String {
    let call = harness.call("marketplace_apps_create").token(token).header("idempotency-key", "the-first-app");
    call.json(&json!({ "name": "Table plan", "default_locale": "en" })).expect(201).await.str("uuid").to_owned()
}

#[tokio::test]
async fn master_key_rotation_keeps_all_users_working() {
    let place = tempfile::tempdir().unwrap();
    let (folder, key_file) = (place.path(), place.path().join("secrets/master.key"));
    let service = Service::start(folder);
    let mut harness = service.harness(folder).await;
    let staff = EMAILS.map(|email| {
        let made =
            stdout_of(folder, &["staff", "create", "--email", email, "--name", "Ada", "--role", "ADMINISTRATOR"]);
        (of(&made, "password").to_owned(), of(&made, "authenticator").to_owned())
    });
    sign_in(&harness, EMAILS[0], &staff[0].0, &staff[0].1).await.unwrap();
    let partner = harness.partner("Tischwerk").await;
    let app = app_of(&harness, &partner.token).await;
    let alone = rotate(folder);
    assert!(!alone.status.success() && said(&alone).contains("contains only one key"), "{}", said(&alone));
    let former = fs::read_to_string(&key_file).unwrap();
    fs::write(&key_file, format!("{NEW}\n{former}")).unwrap();
    // The running replica read its key file before the new key was added, so it could not decrypt values that the new
    // key encrypts.
    let early = rotate(folder);
    let told_early = said(&early);
    assert!(!early.status.success() && told_early.contains("1 of 1 running replicas do not know"), "{told_early}");
    harness.call("auth_account_get").token(&partner.token).expect(200).await;
    service.stop();

    // Every token contains the base URL.
    let address = harness.base_url.trim_start_matches("http://").to_owned();
    let again = || Service::run(super::serve(&Command::new(LABS), &address, folder).arg("--empty"));
    let service = again();
    let sealed = stdout_of(folder, &["keys", "rotate"]);
    assert!(count(&sealed, "signing keys") >= 1 && count(&sealed, "second factors") == 2, "{sealed}");
    assert!(count(&sealed, "naming keys") == 1 && count(&sealed, "idempotent requests") >= 1, "{sealed}");
    let done = stdout_of(folder, &["keys", "rotate"]);
    assert!(["signing keys", "second factors", "naming keys"].iter().all(|sort| count(&done, sort) == 0), "{done}");
    service.stop();

    fs::write(&key_file, format!("{NEW}\n")).unwrap();
    let service = again();
    harness.use_address(service.address());
    harness.call("auth_account_get").token(&partner.token).expect(200).await;
    let token = sign_in(&harness, EMAILS[1], &staff[1].0, &staff[1].1).await.unwrap();
    assert_eq!(app_of(&harness, &partner.token).await, app, "what is named by a key is named as before");
    let records = harness.call("admin_audit_records_list").query("operation", "keys_rotate").token(&token);
    assert_eq!(records.expect(200).await.json["data"].as_array().unwrap().len(), 2);
    service.stop();

    fs::write(&key_file, &former).unwrap();
    let refused = super::serve(&Command::new(LABS), &address, folder).arg("--empty").output().unwrap();
    assert!(said(&refused).contains("was sealed with another master key"), "{}", said(&refused));
}
