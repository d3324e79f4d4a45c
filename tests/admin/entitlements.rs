//! Tests of overrides: a value for one partner, until an optional end date.

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::subscription::{Office, feature};

async fn put(office: &Office, code: &str, body: Value) -> crate::harness::Answer {
    let mut body = body;
    body["reason"] = json!("Moves its second brand over.");
    if body.get("expires_at").is_none() {
        body["expires_at"] = json!(office.harness.clock.now().plus_seconds(3600).to_string());
    }
    office.about("admin_entitlements_put_override").path("feature_code", code).json(&body).send().await
}

/// Waits until the partner's users can, or can no longer, call the statistics operations on both replicas.
async fn reaches_statistics_soon(office: &Office, twin: &Harness, expected: bool) {
    for replica in [&office.harness, twin] {
        let holds = async || {
            let me = replica.call("system_me_get").token(&office.partner.token).expect(200).await;
            me.text().contains("statistics:write") == expected
        };
        replica.soon("the scope", holds).await;
    }
}

#[tokio::test]
async fn override_is_effective_on_every_replica_until_deleted() {
    let office = Office::new().await;
    let twin = office.harness.twin(&[]).await;
    let set = put(&office, "apps", json!({ "value": 1 })).await;
    assert_eq!(
        (set.status, &set.json["value"], &set.json["source"]),
        (200, &json!(1), &json!("OVERRIDE")),
        "{}",
        set.text()
    );
    assert_eq!(
        (&set.json["tier_value"]["value"], &set.json["override"]["set_by"]["name"]),
        (&json!(3), &json!("Olga Operator"))
    );
    let again = put(&office, "apps", json!({ "unlimited": true })).await;
    assert_eq!((&again.json["value"], &again.json["unlimited"]), (&Value::Null, &json!(true)));
    assert_eq!(put(&office, "statistics_access", json!({ "value": true })).await.status, 200);
    reaches_statistics_soon(&office, &twin, true).await;
    let all = office.about("admin_entitlements_get").expect(200).await.json;
    assert_eq!(
        (&all["tier_code"], &feature(&all["features"], "team_members")["override"]),
        (&json!("FREE"), &Value::Null)
    );
    assert_eq!(feature(&all["features"], "apps")["override"]["reason"], "Moves its second brand over.");
    let own = office.own("subscription_entitlements_get").expect(200).await.json;
    assert_eq!(feature(&own["features"], "apps")["source"], "OVERRIDE");
    // The override stays effective in every tier.
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let own = office.own("subscription_entitlements_get").expect(200).await.json;
    assert_eq!(feature(&own["features"], "apps")["unlimited"], true);
    assert_eq!(office.ask_for("FREE").await.status, 201);

    let delete = |code: &str| {
        let call = office.about("admin_entitlements_delete_override").path("feature_code", code);
        call.query("reason", "It has moved over.")
    };
    delete("statistics_access").expect(204).await;
    delete("statistics_access").expect(404).await;
    reaches_statistics_soon(&office, &twin, false).await;
    let events = office
        .own("subscription_current_list_events")
        .query("kind", "OVERRIDE_SET,OVERRIDE_REMOVED")
        .expect(200)
        .await
        .json;
    let events = events["data"].as_array().unwrap();
    assert_eq!(
        (events.len(), &events[0]["kind"], &events[0]["feature_code"]),
        (4, &json!("OVERRIDE_REMOVED"), &json!("statistics_access"))
    );
    assert_eq!(
        (&events[1]["reason"], &events[1]["actor"]["name"]),
        (&json!("Moves its second brand over."), &Value::Null)
    );
    let log = office
        .staff("admin_audit_records_list")
        .query("operation", "admin_entitlements_put_override")
        .expect(200)
        .await;
    let record = &log.json["data"][0];
    assert_eq!(
        (&record["target"]["label"], &record["changes"][0]["thing"]),
        (&json!("Nordsee Kassen"), &json!("entitlement_override"))
    );
}

#[tokio::test]
async fn deleting_override_requires_reason_that_partner_sees() {
    let office = Office::new().await;
    assert_eq!(put(&office, "statistics_access", json!({ "value": true })).await.status, 200);
    let delete = || office.about("admin_entitlements_delete_override").path("feature_code", "statistics_access");
    assert_eq!(delete().expect(422).await.json["errors"][0]["parameter"], "reason");
    delete().query("reason", "It has moved over.").expect(204).await;
    let recorded = "select count(*) from audit_log where operation = 'admin_entitlements_delete_override'
         and outcome = 'SUCCEEDED' and reason = 'It has moved over.'";
    assert_eq!(office.harness.number(recorded).await, 1);
    let account = office.own("partner_account_list_events").path("partner_uuid", office.partner.partner_uuid.unwrap());
    for list in [office.own("subscription_current_list_events"), account] {
        let events = list.query("kind", "OVERRIDE_SET,OVERRIDE_REMOVED").expect(200).await.json;
        let (removed, set) = (&events["data"][0], &events["data"][1]);
        assert_eq!((&removed["reason"], set["reason"].is_string()), (&json!("It has moved over."), true), "{events}");
        for event in [removed, set] {
            let detail = if event["detail"].is_object() { &event["detail"] } else { event };
            assert_eq!(detail["feature_code"], "statistics_access", "{event}");
        }
    }
}

#[tokio::test]
async fn override_expires_and_must_fit_its_feature() {
    let mut office = Office::new().await;
    for (code, body, place) in [
        ("apps", json!({ "value": true }), "/value"),
        ("apps", json!({}), "/value"),
        ("early_access", json!({ "value": 1 }), "/value"),
        ("early_access", json!({ "unlimited": true }), "/unlimited"),
        ("apps", json!({ "value": 1, "expires_at": "2020-01-01T00:00:00Z" }), "/expires_at"),
    ] {
        let refused = put(&office, code, body).await;
        assert_eq!((refused.status, &refused.json["errors"][0]["pointer"]), (422, &json!(place)), "{}", refused.text());
    }
    assert_eq!(put(&office, "no_such", json!({ "value": 1 })).await.status, 404);
    assert_eq!(put(&office, "statistics_access", json!({ "value": true })).await.status, 200);
    office
        .harness
        .soon("the scope", async || office.own("system_me_get").expect(200).await.text().contains("statistics:write"))
        .await;
    office.later(1).await;
    assert!(!office.own("system_me_get").expect(200).await.text().contains("statistics"));
    let all = office.about("admin_entitlements_get").expect(200).await.json;
    assert_eq!(feature(&all["features"], "statistics_access")["source"], "TIER");
    let delete = office.about("admin_entitlements_delete_override").path("feature_code", "statistics_access");
    delete.query("reason", "It has moved over.").expect(404).await;
}
