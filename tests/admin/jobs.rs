//! Tests of background jobs: manual run, pause, and takeover from a replica that died.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Call, Harness};

struct Office {
    harness: Harness,
    operator: Person,
}

impl Office {
    async fn new() -> Self {
        let harness = Harness::new().await;
        let operator = harness.staff("Olga Operator", &["labs.admin.operations:write"]).await;
        // These jobs with a calendar have done their first run, which is due at once on a new database.
        let codes = "('TIDYING', 'UNCONFIRMED_REGISTRATIONS', 'OBJECTS_SWEEP')";
        harness.sql(&format!("update job set next_run_at = null where code in {codes}")).await;
        let succeeded = "select count(*) from job_run where trigger = 'SCHEDULE' and state = 'SUCCEEDED'";
        harness.until(&format!("{succeeded} and job in {codes}"), 3).await;
        Self { harness, operator }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.operator.token)
    }

    fn act(&self, operation: &str, code: &str) -> Call<'_> {
        self.call(operation).path("job_code", code).json(&json!({ "reason": "To see what it does." }))
    }

    async fn job(&self, code: &str) -> Value {
        let list = self.call("admin_jobs_list").query("limit", 100).expect(200).await;
        let found = list.json["data"].as_array().unwrap().iter().find(|job| job["code"] == code);
        found.unwrap_or_else(|| panic!("{code} is listed")).clone()
    }

    async fn runs(&self, code: &str) -> Vec<Value> {
        let list = self.call("admin_jobs_list_runs").path("job_code", code).query("limit", 100).expect(200).await;
        list.json["data"].as_array().unwrap().clone()
    }

    /// Waits until this many runs of a job are in a state.
    async fn until(&self, code: &str, state: &str, number: i64) {
        let query = format!("select count(*) from job_run where job = '{code}' and state = '{state}'");
        self.harness.until(&query, number).await;
    }

    async fn make_due(&self, code: &str) {
        let due = format!("update job set next_run_at = labs_now() - interval '3 days' where code = '{code}'");
        self.harness.sql(&due).await;
    }
}

#[tokio::test]
async fn running_job_cannot_be_started_again() {
    let office = Office::new().await;
    let elsewhere = "insert into job_run (run_uuid, job, state, started_at, heartbeat_on_clock, deadline_on_clock)
                     values (labs_uuid(), 'TIDYING', 'RUNNING', labs_now(), clock_timestamp() + interval '1 hour',
                             clock_timestamp() + interval '1 hour')";
    office.harness.sql(elsewhere).await;
    assert_eq!(office.job("TIDYING").await["state"], "RUNNING");
    let refused = office.act("admin_jobs_run", "TIDYING").expect(409).await;
    assert_eq!(refused.code(), "CONFLICT");
    office.harness.sql("update job_run set deadline_on_clock = clock_timestamp() - interval '1 second'").await;
    let late = office.job("TIDYING").await;
    assert_eq!((&late["state"], &late["allowed_actions"]), (&json!("OVERRUN"), &json!(["pause"])));
    office.harness.sql("update job_run set state = 'FAILED', overran = true where state = 'RUNNING'").await;
    let asked = office.act("admin_jobs_run", "TIDYING").expect(202).await;
    assert_eq!((&asked.json["state"], &asked.json["trigger"]), (&json!("QUEUED"), &json!("STAFF")));
    office.until("TIDYING", "SUCCEEDED", 2).await;
    let runs = office.runs("TIDYING").await;
    assert_eq!((runs.len(), &runs[0]["uuid"], &runs[1]["is_overrun"]), (3, &asked.json["uuid"], &json!(true)));
}

#[tokio::test]
async fn paused_job_makes_up_missed_runs_once() {
    let office = Office::new().await;
    let paused = office.act("admin_jobs_pause", "TIDYING").expect(200).await;
    assert_eq!(
        (&paused.json["state"], &paused.json["paused_because"]),
        (&json!("PAUSED"), &json!("To see what it does."))
    );
    office.act("admin_jobs_pause", "TIDYING").expect(409).await;
    office.make_due("TIDYING").await;
    office.make_due("UNCONFIRMED_REGISTRATIONS").await;
    office.until("UNCONFIRMED_REGISTRATIONS", "SUCCEEDED", 2).await;
    assert_eq!(office.runs("TIDYING").await.len(), 1, "it was due first and did not run");
    office.act("admin_jobs_run", "TIDYING").expect(202).await;
    office.until("TIDYING", "SUCCEEDED", 2).await;
    assert_eq!(office.job("TIDYING").await["state"], "PAUSED", "one run that is asked for ends no pause");
    office.act("admin_jobs_resume", "TIDYING").expect(200).await;
    office.until("TIDYING", "SUCCEEDED", 3).await;
    office.act("admin_jobs_resume", "TIDYING").expect(409).await;
    let next = office.job("TIDYING").await["next_run_at"].as_str().unwrap().to_owned();
    assert!(next > office.harness.clock.now().to_string(), "what was missed is made up once: next at {next}");
}

#[tokio::test]
async fn essential_job_cannot_be_paused() {
    let office = Office::new().await;
    let refused = office.act("admin_jobs_pause", "AUDIT_SEAL").expect(409).await;
    assert_eq!(refused.code(), "CONFLICT");
    let seal = office.job("AUDIT_SEAL").await;
    assert!(refused.json["detail"].as_str().unwrap().contains(seal["needed_because"].as_str().unwrap()));
    assert_eq!(seal["allowed_actions"], json!(["run"]));
}

#[tokio::test]
async fn run_of_dead_replica_is_aborted_and_taken_over() {
    let office = Office::new().await;
    let dead = "insert into job_run (run_uuid, job, state, started_at, heartbeat_on_clock, deadline_on_clock)
                values (labs_uuid(), 'TIDYING', 'RUNNING', labs_now(), clock_timestamp() - interval '31 seconds',
                        clock_timestamp() + interval '1 hour')";
    office.harness.sql(dead).await;
    office.until("TIDYING", "SUCCEEDED", 2).await;
    let runs = office.runs("TIDYING").await;
    let states: Vec<_> = runs.iter().map(|run| (run["state"].as_str().unwrap(), run["error_code"].as_str())).collect();
    assert_eq!(states, [("SUCCEEDED", None), ("FAILED", Some("BROKEN_OFF")), ("SUCCEEDED", None)]);
}

#[tokio::test]
async fn due_job_runs_on_one_replica_only() {
    let office = Office::new().await;
    let _twin = office.harness.twin(&[]).await;
    for times in 2..=6 {
        office.make_due("TIDYING").await;
        office.make_due("OBJECTS_SWEEP").await;
        office.until("OBJECTS_SWEEP", "SUCCEEDED", times).await;
        office.until("TIDYING", "SUCCEEDED", times).await;
    }
    assert_eq!(office.runs("TIDYING").await.len(), 6);
}
