//! Sample data sweep: after a first start with sample data, no list of staff is empty.

use std::collections::BTreeMap;

use http::Method;
use labs_rest::contract::{Operation, ParameterIn};
use serde_json::Value;

use super::operations;
use crate::harness::Harness;

/// Lists that are empty after the first start, and the reason.
const EMPTY: &[(&str, &str)] = &[];

/// The list and field from which each path parameter is taken.
const PLACES: &[(&str, &str, &str)] = &[
    ("app_uuid", "admin_apps_list", "uuid"),
    ("client_uuid", "admin_machine_clients_list", "uuid"),
    ("deprecation_uuid", "admin_deprecations_list", "uuid"),
    ("item_uuid", "publication_items_list", "uuid"),
    ("job_code", "admin_jobs_list", "code"),
    ("partner_uuid", "admin_partners_list", "uuid"),
    ("tier_uuid", "subscription_tiers_list", "uuid"),
    ("user_uuid", "admin_users_list", "uuid"),
];

fn staff_lists() -> impl Iterator<Item = &'static Operation> {
    let is_staffs = |scope: &str| scope == "labs.admin" || scope.starts_with("labs.admin.");
    operations().filter(move |operation| {
        operation.is_list && operation.method == Method::GET && operation.access.scope().is_some_and(is_staffs)
    })
}

/// Calls a list with each of these values of its path parameter until one returns rows. Returns
/// their number.
async fn rows(harness: &Harness, token: &str, operation: &Operation, places: &BTreeMap<&str, Vec<String>>) -> usize {
    let parameter = operation.parameters_in(ParameterIn::Path).next().map(|parameter| parameter.name.as_str());
    let values = parameter.map_or(vec![String::new()], |name| places[name].clone());
    for value in values {
        let call = harness.call(&operation.id).token(token);
        let call = if let Some(name) = parameter { call.path(name, &value) } else { call };
        let call = if operation.id == "admin_audit_records_summarise" { call.query("by", "OPERATION") } else { call };
        let found = call.expect(200).await.json["data"].as_array().map_or(0, Vec::len);
        if found > 0 {
            return found;
        }
    }
    0
}

#[tokio::test]
async fn no_staff_list_is_empty_after_first_start() {
    let harness = Harness::new().await;
    let engine = &harness.engine;
    labs_schema::sample::fill(engine.pool(), engine.services(), harness.clock.now()).await.unwrap();
    // A first start of the service also runs each job once. The tests postpone the jobs.
    harness.run_job("TIDYING").await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let mut places = BTreeMap::new();
    for (parameter, list, field) in PLACES {
        let found = harness.call(list).token(&chief.token).query("limit", 100).expect(200).await.json;
        let values: Vec<String> = found["data"].as_array().unwrap().iter().map(|row| text(row, field)).collect();
        places.insert(*parameter, values);
    }
    let mut empty = Vec::new();
    for operation in staff_lists() {
        if rows(&harness, &chief.token, operation, &places).await == 0 {
            empty.push(operation.id.as_str());
        }
    }
    let expected: Vec<&str> = EMPTY.iter().map(|(id, _)| *id).collect();
    assert_eq!(empty, expected, "add rows to the sample data, or say here why a list is empty");
}

#[tokio::test]
async fn sample_figures_are_marked() {
    let harness = Harness::new().await;
    let engine = &harness.engine;
    labs_schema::sample::fill(engine.pool(), engine.services(), harness.clock.now()).await.unwrap();
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let status = harness.call("statistics_imports_get_status").token(&chief.token).expect(200).await;
    assert_eq!((&status.json["source"], &status.json["host"]), (&Value::from("SAMPLE"), &Value::Null));
    assert!(harness.number("select count(*) from app_statistic").await > 1_000);
}

fn text(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap().to_owned()
}
