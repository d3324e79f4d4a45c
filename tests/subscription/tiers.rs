//! Tests of the administration of tiers.

use serde_json::{Value, json};

use super::{Office, feature, tier};
use crate::harness::WAITING;

fn starter() -> Value {
    json!({
        "code": "STARTER", "name": "Starter", "description": "For a first product.",
        "price": { "amount_minor": 1900, "currency": "EUR" }, "billing_period": "MONTH",
        "burst_per_second": 10, "daily_requests": 20000, "self_service": true,
        "features": [{ "code": "apps", "value": 5 }, { "code": "media_megabytes", "unlimited": true },
                     { "code": "account_access", "value": true }, { "code": "subscription_access", "value": true }],
    })
}

async fn codes(office: &Office) -> Vec<String> {
    let list = office.harness.call("subscription_public_tiers_list").expect(200).await;
    list.json["data"].as_array().unwrap().iter().map(|tier| tier["code"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn tier_is_drafted_offered_and_retired_and_subscribers_keep_it() {
    let office = Office::new().await;
    let made = office.staff("subscription_tiers_create").json(&starter()).expect(201).await;
    let uuid = made.str("uuid").to_owned();
    assert_eq!((&made.json["state"], &made.json["position"]), (&json!("DRAFT"), &json!(4)));
    assert_eq!(made.header("location"), format!("/v1/subscription/internal/tiers/{uuid}"));
    let apps = feature(&made.json["features"], "apps");
    assert_eq!((&apps["value"], &apps["source"]), (&json!(5), &json!("TIER")));
    assert_eq!(feature(&made.json["features"], "media_megabytes")["unlimited"], true);
    assert_eq!(feature(&made.json["features"], "team_members")["source"], "DEFAULT");
    let again = office.staff("subscription_tiers_create").json(&starter()).expect(409).await;
    assert_eq!(again.json["errors"][0]["pointer"], "/code");

    // A draft is invisible and cannot be chosen.
    let public = |code: &str| office.harness.call("subscription_public_tiers_get").path("tier_code", code);
    public("STARTER").expect(404).await;
    assert_eq!(office.ask_for("STARTER").await.status, 422);
    let act = |operation: &str| office.staff(operation).path("tier_uuid", &uuid);
    let refused = act("subscription_tiers_retire").expect(409).await;
    assert_eq!((refused.code(), &refused.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["offer"])));

    assert_eq!(act("subscription_tiers_offer").expect(200).await.json["state"], "OFFERED");
    act("subscription_tiers_offer").expect(409).await;
    assert_eq!(public("STARTER").expect(200).await.json["limits"]["apps"], 5);
    assert_eq!(codes(&office).await, ["FREE", "GROWTH", "SCALE", "STARTER"]);
    let matrix = office.harness.call("subscription_public_features_list").query("limit", 100).expect(200).await;
    let row = feature(&matrix.json["data"], "apps")["tiers"].clone();
    let said: Vec<_> =
        row.as_array().unwrap().iter().map(|cell| (cell["tier_code"].clone(), cell["value"].clone())).collect();
    let expected = [("FREE", json!(3)), ("GROWTH", json!(20)), ("SCALE", Value::Null), ("STARTER", json!(5))];
    assert_eq!(said, expected.map(|(code, value)| (json!(code), value)));

    assert_eq!(office.ask_for("STARTER").await.json["state"], "APPLIED");
    assert_eq!(act("subscription_tiers_retire").expect(200).await.json["subscribers_count"], 1);
    public("STARTER").expect(404).await;
    assert_eq!(codes(&office).await, ["FREE", "GROWTH", "SCALE"]);
    assert_eq!(office.current().await["tier_code"], "STARTER");
    let subscribers = act("subscription_tiers_list_subscribers").query("include_total", true).expect(200).await;
    assert_eq!(subscribers.json["page"]["total"], 1);
    assert_eq!(subscribers.json["data"][0]["company_name"], "Nordsee Kassen");
    let drafts = office.staff("subscription_tiers_list").query("state", "RETIRED,DRAFT").expect(200).await;
    assert_eq!(drafts.json["data"][0]["code"], "STARTER");
    // Its billing period cannot change while subscriptions have current periods.
    let change = json!({ "billing_period": "YEAR" });
    assert_eq!(act("subscription_tiers_update").json(&change).expect(409).await.code(), "CONFLICT");
    let records =
        office.staff("admin_audit_records_list").query("operation", "subscription_tiers_retire").expect(200).await;
    let last = &records.json["data"][0];
    assert_eq!((&last["target"]["label"], &last["outcome"]), (&json!("STARTER"), &json!("SUCCEEDED")));
}

#[tokio::test]
async fn tier_without_scopes_to_leave_it_cannot_be_assigned() {
    let office = Office::new().await;
    let mut bare = starter();
    bare["features"] = json!([{ "code": "apps", "value": 5 }, { "code": "account_access", "value": true }]);
    let made = office.staff("subscription_tiers_create").json(&bare).expect(201).await;
    let act = |operation: &str| office.staff(operation).path("tier_uuid", made.str("uuid"));
    let refused = act("subscription_tiers_offer").expect(409).await;
    assert_eq!(refused.code(), "CONFLICT");
    assert!(refused.str("detail").contains("subscription:write"), "{}", refused.text());
    assert_eq!(act("subscription_tiers_get").expect(200).await.json["state"], "DRAFT");
    let put = async |body: &Value, status| {
        act("subscription_tiers_put_features").json(&json!({ "features": body["features"] })).expect(status).await
    };
    put(&starter(), 200).await;
    act("subscription_tiers_offer").expect(200).await;
    assert_eq!(put(&bare, 409).await.code(), "CONFLICT");
    let kept = act("subscription_tiers_get").expect(200).await;
    assert_eq!(feature(&kept.json["features"], "subscription_access")["value"], true);
    // Denying a scope that the default grants to all partners also counts.
    office.harness.sql("update feature set default_value = 'true' where feature_code = 'subscription_access'").await;
    put(&bare, 200).await;
    let default = office.staff("subscription_features_update").path("feature_code", "subscription_access");
    let refused = default.json(&json!({ "default_value": false })).expect(409).await;
    assert!(refused.code() == "CONFLICT" && refused.str("detail").contains("STARTER"), "{}", refused.text());
    let kept = act("subscription_tiers_get").expect(200).await;
    assert_eq!(feature(&kept.json["features"], "subscription_access")["value"], true);
}

#[tokio::test]
async fn last_fallback_tier_stays_despite_concurrent_retirement() {
    let office = Office::new().await;
    let free = tier(&office, "FREE").await;
    let act = |operation: &str, uuid: &str| office.staff(operation).path("tier_uuid", uuid);
    assert_eq!(act("subscription_tiers_retire", &free).expect(409).await.code(), "CONFLICT");
    for change in [json!({ "self_service": false }), json!({ "price": { "amount_minor": 1, "currency": "EUR" } })] {
        assert_eq!(act("subscription_tiers_update", &free).json(&change).expect(409).await.code(), "CONFLICT");
    }
    let mut second = starter();
    second["price"]["amount_minor"] = json!(0);
    second["billing_period"] = json!("NONE");
    let made = office.staff("subscription_tiers_create").json(&second).expect(201).await;
    let other = made.str("uuid").to_owned();
    act("subscription_tiers_offer", &other).expect(200).await;
    let (one, two) =
        tokio::join!(act("subscription_tiers_retire", &free).send(), act("subscription_tiers_retire", &other).send());
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.text(), two.text());
}

#[tokio::test]
async fn last_fallback_tier_stays_despite_concurrent_conditional_changes() {
    let office = Office::new().await;
    let mut second = starter();
    second["price"]["amount_minor"] = json!(0);
    second["billing_period"] = json!("NONE");
    let other = office.staff("subscription_tiers_create").json(&second).expect(201).await.str("uuid").to_owned();
    office.staff("subscription_tiers_offer").path("tier_uuid", &other).expect(200).await;
    let free = tier(&office, "FREE").await;
    // Both transactions have read their tier before either writes.
    let held = office.harness.hold("select from tier for update").await;
    let taken = async |uuid: &str| {
        let read = office.staff("subscription_tiers_get").path("tier_uuid", uuid).expect(200).await;
        let call = office.staff("subscription_tiers_update").path("tier_uuid", uuid);
        call.header("if-match", read.header("etag")).json(&json!({ "self_service": false })).send().await
    };
    let let_go = async {
        office.harness.until(WAITING, 2).await;
        held.commit().await;
    };
    let (one, two, ()) = tokio::join!(taken(&free), taken(&other), let_go);
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.text(), two.text());
}

#[tokio::test]
async fn changed_tier_is_effective_for_subscribers_on_every_replica() {
    let office = Office::new().await;
    let twin = office.harness.twin(&[]).await;
    let limit = async |harness: &crate::harness::Harness| {
        let me = harness.call("system_me_get").token(&office.partner.token).expect(200).await;
        me.header("x-ratelimit-limit").to_owned()
    };
    for replica in [&office.harness, &twin] {
        assert_eq!(limit(replica).await, "1000");
    }
    let uuid = tier(&office, "FREE").await;
    let change = json!({ "burst_per_second": 777, "description": null, "highlighted": true });
    let changed = office.staff("subscription_tiers_update").path("tier_uuid", &uuid).json(&change).expect(200).await;
    assert_eq!((&changed.json["description"], &changed.json["name"]), (&json!(""), &json!("Free")));
    for replica in [&office.harness, &twin] {
        replica.soon("the new budget", async || limit(replica).await == "777").await;
    }
    // A scope that the tier grants also takes effect within a second; the request replaces the whole set.
    let me = async || office.own("system_me_get").expect(200).await.json["scopes"].to_string();
    assert!(me().await.contains("engagement:write") && !me().await.contains("statistics"));
    let put = |features: Value| {
        let body = json!({ "features": features });
        office.staff("subscription_tiers_put_features").path("tier_uuid", &uuid).json(&body)
    };
    let all = json!([
        { "code": "apps", "value": 4 }, { "code": "account_access", "value": true },
        { "code": "subscription_access", "value": true }, { "code": "statistics_access", "value": true },
    ]);
    let after = put(all).expect(200).await;
    assert_eq!(feature(&after.json["features"], "apps")["value"], 4);
    assert_eq!(feature(&after.json["features"], "marketplace_access")["source"], "DEFAULT");
    office
        .harness
        .soon("the scopes", async || {
            let scopes = me().await;
            scopes.contains("statistics:write") && !scopes.contains("engagement")
        })
        .await;
    let wrong = json!([{ "code": "apps", "value": true }, { "code": "nothing", "value": 1 }, { "code": "early_access", "unlimited": true }]);
    let refused = put(wrong).expect(422).await;
    let places: Vec<_> =
        refused.json["errors"].as_array().unwrap().iter().map(|error| error["pointer"].as_str().unwrap()).collect();
    assert_eq!(places, ["/features/0/value", "/features/1/code", "/features/2/unlimited"]);
    assert_eq!(
        office
            .harness
            .number("select count(*) from tier_feature join tier using (tier_uuid) where code = 'FREE'")
            .await,
        4
    );
}

#[tokio::test]
async fn simulation_reports_gains_and_losses_without_effect() {
    let office = Office::new().await;
    let other = office.harness.partner("Belle Tablee").await;
    for name in ["First", "Second"] {
        office.own("marketplace_apps_create").json(&json!({ "name": name })).expect(201).await;
    }
    office.harness.sql(&format!(
        "insert into entitlement_override (partner_uuid, feature_code, value, reason) values ('{}', 'apps', '9', 'A test')",
        other.partner_uuid.unwrap()
    )).await;
    let before = office.harness.number("select sum(hashtext(tier_feature::text)) from tier_feature").await;
    let uuid = tier(&office, "FREE").await;
    let scopes = [
        "account_access",
        "partner_access",
        "subscription_access",
        "marketplace_access",
        "storefront_access",
        "publication_access",
        "engagement_access",
    ];
    let mut features: Vec<Value> = scopes.iter().map(|code| json!({ "code": code, "value": true })).collect();
    features.extend([
        json!({ "code": "apps", "value": 1 }),
        json!({ "code": "team_members", "value": 3 }),
        json!({ "code": "media_megabytes", "unlimited": true }),
    ]);
    let body = json!({ "features": features, "daily_requests": 9000, "burst_per_second": 1000 });
    let seen = office.staff("subscription_tiers_simulate").path("tier_uuid", &uuid).json(&body).expect(200).await.json;
    let said: Vec<_> = seen["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["code"].as_str().unwrap(), f["effect"].as_str().unwrap()))
        .collect();
    assert_eq!(said, [("apps", "LOSS"), ("media_megabytes", "GAIN")]);
    let apps = feature(&seen["features"], "apps");
    assert_eq!((&apps["partners_affected"], &apps["partners_overridden"]), (&json!(1), &json!(1)));
    assert_eq!(feature(&seen["features"], "media_megabytes")["partners_affected"], 2);
    assert_eq!((&seen["burst_per_second"], &seen["daily_requests"]["effect"]), (&Value::Null, &json!("GAIN")));
    let partners = seen["partners"].as_array().unwrap();
    let own = partners.iter().find(|partner| partner["company_name"] == "Nordsee Kassen").unwrap();
    assert_eq!((&own["gained"], &own["lost"]), (&json!(["media_megabytes"]), &json!(["apps"])));
    assert_eq!(own["over_limit"], json!([{ "code": "apps", "limit": 1, "used": 2 }]));
    let kept = partners.iter().find(|partner| partner["company_name"] == "Belle Tablee").unwrap();
    assert_eq!((&kept["lost"], &kept["over_limit"]), (&json!([]), &json!([])));
    assert_eq!((&seen["subscribers_count"], &seen["has_more_partners"]), (&json!(2), &json!(false)));
    assert_eq!(office.harness.number("select sum(hashtext(tier_feature::text)) from tier_feature").await, before);
    let nothing =
        office.staff("subscription_tiers_simulate").path("tier_uuid", &uuid).json(&json!({})).expect(200).await.json;
    assert_eq!((&nothing["features"], &nothing["partners"]), (&json!([]), &json!([])));
}
