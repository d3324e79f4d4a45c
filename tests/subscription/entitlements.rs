//! Tests of entitlements as a partner sees them: the same values that the service enforces.

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::harness::people::Person;

async fn see(harness: &Harness, who: &Person) -> Value {
    harness.call("subscription_entitlements_get").token(&who.token).expect(200).await.json
}

fn feature<'a>(entitlements: &'a Value, code: &str) -> &'a Value {
    let features = entitlements["features"].as_array().unwrap();
    features.iter().find(|feature| feature["code"] == code).unwrap()
}

/// Inserts an override of one partner's feature as the database owner.
async fn set(harness: &Harness, who: &Person, code: &str, value: &str, ends_in: &str) {
    harness
        .sql(&format!(
            "insert into entitlement_override (partner_uuid, feature_code, value, reason, expires_at)
             values ('{}', '{code}', '{value}', 'A test', labs_now() + interval '{ends_in}')",
            who.partner_uuid.unwrap()
        ))
        .await;
}

#[tokio::test]
async fn each_entitlement_states_its_source() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let partner = harness.partner("Nordsee Kassen").await;
    let neighbour = harness.partner("Belle Tablee").await;
    harness.sql("delete from tier_feature where feature_code = 'early_access'").await;
    set(&harness, &partner, "apps", "1", "1 day").await;
    set(&harness, &neighbour, "apps", "9", "1 day").await;
    let seen = see(&harness, &partner).await;
    assert_eq!((&seen["tier_code"], &seen["at"]), (&json!("FREE"), &Value::Null));
    assert_eq!(seen["partner_uuid"], partner.partner_uuid.unwrap().to_string());
    let apps = feature(&seen, "apps");
    assert_eq!((&apps["value"], &apps["source"], &apps["unit"]), (&json!(1), &json!("OVERRIDE"), &json!("apps")));
    assert!(apps["expires_at"].is_string());
    let team = feature(&seen, "team_members");
    assert_eq!((&team["value"], &team["source"], &team["expires_at"]), (&json!(3), &json!("TIER"), &Value::Null));
    assert_eq!(feature(&seen, "early_access")["source"], "DEFAULT");
    let statistics = feature(&seen, "statistics_access");
    assert_eq!((&statistics["value"], &statistics["scope"]), (&json!(false), &json!("statistics:write")));

    // The service enforces the same value.
    let create = |name: &str| {
        harness.call("marketplace_apps_create").token(&partner.token).json(&json!({ "name": name })).send()
    };
    assert_eq!(create("First").await.status, 201);
    let refused = create("Second").await;
    assert_eq!((refused.code(), &refused.json["limit"]), ("ENTITLEMENT_EXCEEDED", &json!(1)));
}

#[tokio::test]
async fn future_entitlements_are_reported_as_far_as_known() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let partner = harness.partner("Nordsee Kassen").await;
    set(&harness, &partner, "apps", "\"unlimited\"", "10 days").await;
    harness
        .sql(
            "update subscription set pending_at = labs_now() + interval '20 days',
                 pending_tier_uuid = (select tier_uuid from tier where code = 'GROWTH')",
        )
        .await;
    let at = async |days: i64| {
        let moment = harness.clock.now().plus_seconds(days * 86_400).to_string();
        harness.call("subscription_entitlements_get").token(&partner.token).query("at", moment).send().await
    };
    let now = see(&harness, &partner).await;
    assert_eq!((&feature(&now, "apps")["value"], &feature(&now, "apps")["unlimited"]), (&Value::Null, &json!(true)));
    let later = at(15).await.json;
    assert_eq!((&feature(&later, "apps")["value"], &feature(&later, "apps")["source"]), (&json!(3), &json!("TIER")));
    assert!(later["at"].is_string());
    let latest = at(25).await.json;
    assert_eq!((&latest["tier_code"], &feature(&latest, "apps")["value"]), (&json!("GROWTH"), &json!(20)));
    let past = at(-1).await;
    assert_eq!((past.status, &past.json["errors"][0]["parameter"]), (422, &json!("at")));

    // A cancelled period ends on the free tier.
    harness
        .sql(
            "update subscription set pending_at = null, pending_tier_uuid = null, state = 'CANCELLING',
                 tier_uuid = (select tier_uuid from tier where code = 'GROWTH'),
                 period_end = labs_now() + interval '20 days'",
        )
        .await;
    assert_eq!(at(15).await.json["tier_code"], "GROWTH");
    assert_eq!(at(25).await.json["tier_code"], "FREE");
    assert_eq!(see(&harness, &partner).await["tier_code"], "GROWTH");
}

#[tokio::test]
async fn unbound_client_has_no_entitlements() {
    let harness = Harness::new().await;
    let program = harness.program("Tool", &["subscription"], None).await;
    harness.call("subscription_entitlements_get").token(&program.token).expect(404).await;
}

#[tokio::test]
async fn user_scopes_are_intersection_of_role_and_tier() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let partner = harness.partner("Nordsee Kassen").await;
    let holds = async || {
        let me = harness.call("system_me_get").token(&partner.token).expect(200).await;
        me.json["scopes"].as_array().unwrap().contains(&json!("statistics:write"))
    };
    assert!(!holds().await, "an administrator's role gives it, the free tier does not");
    set(&harness, &partner, "statistics_access", "true", "1 day").await;
    harness.soon("the override is in force", holds).await;
}
