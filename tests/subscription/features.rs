//! Stories of features: what is defined holds in every tier at once.

use serde_json::{Value, json};

use super::{Office, feature};

async fn entitlement(office: &Office, code: &str) -> Value {
    let seen = office.own("subscription_entitlements_get").expect(200).await;
    feature(&seen.json["features"], code).clone()
}

#[tokio::test]
async fn a_feature_is_defined_changed_and_worth_its_default_everywhere() {
    let office = Office::new().await;
    let create = |body: Value| office.staff("subscription_features_create").json(&body);
    let body = json!({
        "code": "history_days", "kind": "LIMIT", "name": "Days of history", "unit": "days", "default_value": 7,
    });
    let made = create(body.clone()).expect(201).await;
    assert_eq!((&made.json["default_value"], &made.json["position"]), (&json!(7), &json!(180)));
    assert_eq!(create(body).expect(409).await.json["errors"][0]["pointer"], "/code");
    let seen = entitlement(&office, "history_days").await;
    assert_eq!((&seen["value"], &seen["source"]), (&json!(7), &json!("DEFAULT")));

    let update =
        |body: Value| office.staff("subscription_features_update").path("feature_code", "history_days").json(&body);
    let changed = update(json!({ "default_value": null, "default_unlimited": true, "unit": null })).expect(200).await;
    assert_eq!((&changed.json["default_unlimited"], &changed.json["unit"]), (&json!(true), &Value::Null));
    assert_eq!(changed.json["name"], "Days of history");
    assert_eq!(entitlement(&office, "history_days").await["unlimited"], true);
    let refused = update(json!({ "default_value": false })).expect(422).await;
    assert_eq!(refused.json["errors"][0]["pointer"], "/default_value");
    // What nobody counts is told, and guards nothing.
    let usage = office.own("subscription_usage_get").expect(200).await;
    assert_eq!(feature(&usage.json["limits"], "history_days")["used"], Value::Null);
    office.staff("subscription_features_update").path("feature_code", "no_such").json(&json!({})).expect(404).await;
    let found =
        office.staff("subscription_features_list").query("q", "HISTORY").query("include_total", true).expect(200).await;
    assert_eq!((&found.json["page"]["total"], &found.json["data"][0]["code"]), (&json!(1), &json!("history_days")));
}

#[tokio::test]
async fn a_feature_opens_a_scope_of_partners_once_and_none_of_the_staffs() {
    let office = Office::new().await;
    let create = |code: &str, scope: Value| {
        let body = json!({ "code": code, "kind": "SCOPE", "name": "A scope", "scope": scope, "default_value": true });
        office.staff("subscription_features_create").json(&body)
    };
    for (scope, code) in [
        (json!("labs.admin"), "SCOPE_OF_STAFF"),
        (json!("labs.admin.tiers:write"), "SCOPE_OF_STAFF"),
        (json!("coffee"), "UNKNOWN_SCOPE"),
        (Value::Null, "REQUIRED"),
    ] {
        let refused = create("more_access", scope).expect(422).await;
        let error = &refused.json["errors"][0];
        assert_eq!((&error["pointer"], &error["code"]), (&json!("/scope"), &json!(code)));
    }
    let taken = create("more_access", json!("statistics:write")).expect(409).await;
    assert_eq!(taken.json["errors"][0]["pointer"], "/scope");
    // Its default opens it for everybody within a second.
    assert!(!office.own("system_me_get").expect(200).await.text().contains("\"statistics\""));
    create("more_access", json!("statistics")).expect(201).await;
    office
        .house
        .soon("the scope", async || office.own("system_me_get").expect(200).await.text().contains("\"statistics\""))
        .await;
}
