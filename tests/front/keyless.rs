//! The workflow for GitHub Actions on the page "Publish from CI without a secret", run step by step against the service.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::auth::issuer::{Issuer, Mood, SUBJECT, flags};
use crate::harness::Harness;

const PAGE: &str = include_str!("../../playground/reference/concepts/publishing-from-ci.md");

/// Runs a step as the runner of GitHub Actions does: variables of earlier steps are in a file.
fn run_step(step: &Value, environment: &mut BTreeMap<String, String>, folder: &Path) -> String {
    let file = folder.join("environment");
    std::fs::write(&file, "").unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-eo", "pipefail", "-c", step["run"].as_str().unwrap()]).envs(&*environment).env("GITHUB_ENV", &file);
    let done = shell.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{}: {said}{}", step["name"], String::from_utf8_lossy(&done.stderr));
    for line in std::fs::read_to_string(&file).unwrap().lines() {
        let (name, value) = line.split_once('=').unwrap();
        environment.insert(name.to_owned(), value.to_owned());
    }
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn workflow_of_the_page_submits_a_version() {
    let issuer = Issuer::start(Mood::Well).await;
    let harness = Harness::with(&flags(&[&issuer])).await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let partner = harness.partner("Nordsee Kassen").await;
    let (app, _) = crate::marketplace::submittable(&harness, &chief, &partner, "Table Pilot").await;
    let body = json!({
        "name": "Nordsee releases", "partner_uuid": partner.partner_uuid, "allowed_scopes": ["marketplace.apps:write"],
        "trusted_identities": [{"issuer": issuer.url, "subject": SUBJECT}],
    });
    let client = harness.call("admin_machine_clients_create").token(&chief.token).json(&body).expect(201).await;

    let yaml = PAGE.split_once("```yaml\n").unwrap().1.split_once("```").unwrap().0;
    let workflow: Value = yaml_serde::from_str(yaml).unwrap();
    assert_eq!(workflow["permissions"]["id-token"], "write");
    let job = &workflow["jobs"]["submit"];
    let names: Vec<&String> = job["env"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["LABS_BASE", "LABS_CLIENT_ID", "LABS_APP", "TAG"]);
    let mut environment = BTreeMap::from([
        ("LABS_BASE".to_owned(), harness.base_url.clone()),
        ("LABS_CLIENT_ID".to_owned(), client.str("client_id").to_owned()),
        ("LABS_APP".to_owned(), app),
        ("TAG".to_owned(), "v2.0.0".to_owned()),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN".to_owned(), "runner".to_owned()),
        ("ACTIONS_ID_TOKEN_REQUEST_URL".to_owned(), issuer.identity_url(SUBJECT)),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let steps = job["steps"].as_array().unwrap().clone();
    let said = tokio::task::spawn_blocking(move || {
        steps.iter().map(|step| run_step(step, &mut environment, folder.path())).collect::<Vec<_>>()
    });
    let said = said.await.unwrap();
    assert!(said[0].starts_with("::add-mask::ey"), "the runner hides the token in its log");
    assert!(said[2].contains("\"state\":\"SUBMITTED\""), "{}", said[2]);
}
