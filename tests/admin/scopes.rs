//! Tests of the scope tree, which is derived from the schema.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{Harness, contract};

#[tokio::test]
async fn every_scope_lists_its_operations_exactly() {
    let harness = Harness::new().await;
    let staff = harness.staff("Staff manager", &["labs.admin.staff"]).await;
    let page =
        harness.call("admin_scopes_list").token(&staff.token).query("include_total", true).expect(200).await.json;
    let entries = page["data"].as_array().unwrap();
    assert_eq!(
        (page["page"]["total"].as_u64().unwrap(), &page["page"]["has_more"]),
        (entries.len() as u64, &json!(false))
    );
    let opened: BTreeMap<&str, Vec<&str>> = entries
        .iter()
        .map(|entry| {
            let operations = entry["operations"].as_array().unwrap().iter();
            (entry["scope"].as_str().unwrap(), operations.map(|one| one["operation_id"].as_str().unwrap()).collect())
        })
        .collect();
    for operation in contract().operations() {
        for (scope, operations) in &opened {
            let needed = operation.access.scope();
            let expected = needed.is_some_and(|needed| grants(scope, needed));
            assert_eq!(operations.contains(&operation.id.as_str()), expected, "{scope} and {}", operation.id);
        }
    }
    let entry = |scope: &str| entries.iter().find(|entry| entry["scope"] == scope).unwrap();
    assert_eq!(entry("labs.admin.staff:write")["parent"], "labs.admin:write");
    assert_eq!(
        (&entry("labs.admin.staff")["held"], &entry("labs.admin.staff:write")["held"]),
        (&json!(true), &json!(false))
    );
    assert_eq!((&entry("marketplace")["parent"], &entry("marketplace")["staff"]), (&Value::Null, &json!(false)));
}

#[tokio::test]
async fn scope_tree_is_filtered_and_paged() {
    let harness = Harness::new().await;
    let staff = harness.staff("Staff manager", &["labs.admin.staff"]).await;
    let scopes = async |query: &[(&str, &str)]| {
        let call = harness.call("admin_scopes_list").token(&staff.token);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        let page = call.expect(200).await.json;
        let names = page["data"].as_array().unwrap().iter().map(|entry| entry["scope"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>(), page["page"]["next_cursor"].as_str().map(str::to_owned))
    };
    let (opening, _) = scopes(&[("operation_id", "admin_audit_records_list")]).await;
    assert_eq!(opening, ["labs.admin", "labs.admin:write", "labs.admin.audit", "labs.admin.audit:write"]);
    let (reviews, _) = scopes(&[("q", "reviews"), ("staff", "false")]).await;
    assert_eq!(reviews.len(), 4, "{reviews:?}");
    let (whole, _) = scopes(&[]).await;
    let (mut pages, mut cursor) = scopes(&[("limit", "30")]).await;
    while let Some(next) = cursor {
        let (page, after) = scopes(&[("limit", "30"), ("cursor", &next)]).await;
        pages.extend(page);
        cursor = after;
    }
    assert_eq!(pages, whole);
}

/// The scope rule as the specification states it.
fn grants(held: &str, needed: &str) -> bool {
    let (held_domain, held_write) = held.strip_suffix(":write").map_or((held, false), |domain| (domain, true));
    let (domain, write) = needed.strip_suffix(":write").map_or((needed, false), |domain| (domain, true));
    (held_write || !write) && (domain == held_domain || domain.starts_with(&format!("{held_domain}.")))
}
