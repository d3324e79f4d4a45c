//! Tests of features: a definition takes effect in every tier at once.

use futures_util::future::join;
use serde_json::{Value, json};

use super::{Office, feature, tier};

async fn entitlement(office: &Office, code: &str) -> Value {
    let seen = office.own("subscription_entitlements_get").expect(200).await;
    feature(&seen.json["features"], code).clone()
}

#[tokio::test]
async fn feature_is_created_and_updated_with_its_default_everywhere() {
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
    // A limit without a counter is shown but not enforced.
    let usage = office.own("subscription_usage_get").expect(200).await;
    assert_eq!(feature(&usage.json["limits"], "history_days")["used"], Value::Null);
    office.staff("subscription_features_update").path("feature_code", "no_such").json(&json!({})).expect(404).await;
    let found =
        office.staff("subscription_features_list").query("q", "HISTORY").query("include_total", true).expect(200).await;
    assert_eq!((&found.json["page"]["total"], &found.json["data"][0]["code"]), (&json!(1), &json!("history_days")));
}

#[tokio::test]
async fn tier_responses_stay_within_contract_limits() {
    let office = Office::new().await;
    let flag = |code: &str, position: Option<i32>| {
        let mut body = json!({ "code": code, "kind": "FLAG", "name": "One more", "default_value": false });
        body["position"] = position.map_or(Value::Null, Value::from);
        body.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        office.staff("subscription_features_create").json(&body)
    };
    flag("last_of_all", Some(1_000_000)).expect(201).await;
    assert_eq!(flag("behind_it", None).expect(201).await.json["position"], 1_000_000);
    let fill = "insert into feature (feature_code, kind, name, description, default_value, position)
        select 'filler_' || number, 'FLAG', 'Filler', '', 'false', 500
        from generate_series(1, 199 - (select count(*) from feature)) as number";
    office.harness.sql(fill).await;
    let both = join(flag("one", None).send(), flag("two", None).send()).await;
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "{} {}", both.0.text(), both.1.text());

    // Limits at the maximum of a feature, and the tier in the last position.
    let free = tier(&office, "FREE").await;
    let put = office.staff("subscription_tiers_put_features").path("tier_uuid", &free);
    let largest = 999_999_999_999_i64;
    put.json(&json!({ "features": [
        { "code": "apps", "value": largest }, { "code": "team_members", "value": largest },
        { "code": "account_access", "value": true }, { "code": "subscription_access", "value": true },
    ] }))
    .expect(200)
    .await;
    let list = office.harness.call("subscription_public_tiers_list").expect(200).await;
    assert_eq!(list.json["data"][0]["limits"]["apps"], largest);
    let place = office.staff("subscription_tiers_update").path("tier_uuid", &free);
    place.json(&json!({ "position": 1_000_000 })).expect(200).await;
    let body = json!({ "code": "LATEST", "name": "Latest", "price": { "amount_minor": 0, "currency": "EUR" },
        "billing_period": "NONE", "burst_per_second": 1, "daily_requests": 1 });
    assert_eq!(office.staff("subscription_tiers_create").json(&body).expect(201).await.json["position"], 1_000_000);
}

#[tokio::test]
async fn feature_grants_one_partner_scope_and_no_staff_scope() {
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
    // Its default grants it to all within a second.
    assert!(!office.own("system_me_get").expect(200).await.text().contains("\"statistics\""));
    create("more_access", json!("statistics")).expect(201).await;
    office
        .harness
        .soon("the scope", async || office.own("system_me_get").expect(200).await.text().contains("\"statistics\""))
        .await;
}

/// Returns the four representations of a value.
fn forms(told: &Value) -> [Value; 4] {
    ["value", "limit", "enabled", "unlimited"].map(|name| told[name].clone())
}

#[tokio::test]
async fn value_has_typed_form_in_every_response() {
    let office = Office::new().await;
    let three = [json!(3), json!(3), Value::Null, json!(false)];
    let no_cap = [Value::Null, Value::Null, Value::Null, json!(true)];
    let granted = [json!(true), Value::Null, json!(true), json!(false)];
    let tiers = office.harness.call("subscription_public_tiers_list").expect(200).await;
    let worth = |tier: usize, code: &str| forms(feature(&tiers.json["data"][tier]["features"], code));
    assert_eq!(
        [worth(0, "apps"), worth(2, "apps"), worth(2, "early_access")],
        [&three, &no_cap, &granted].map(Clone::clone)
    );
    let matrix = office.harness.call("subscription_public_features_list").query("limit", 100).expect(200).await;
    assert_eq!(forms(&feature(&matrix.json["data"], "apps")["tiers"][0]), three);
    assert_eq!(forms(&entitlement(&office, "apps").await), three);
    let records = office.staff("subscription_tiers_list").expect(200).await;
    let free = records.json["data"].as_array().unwrap().iter().find(|tier| tier["code"] == "FREE").unwrap();
    assert_eq!(forms(feature(&free["features"], "apps")), three);
    let all = office.about("admin_entitlements_get").expect(200).await;
    assert_eq!(forms(&feature(&all.json["features"], "apps")["tier_value"]), three);
}

#[tokio::test]
async fn value_is_accepted_in_either_form_if_consistent() {
    let office = Office::new().await;
    let put = async |code: &str, said: Value| {
        let mut body =
            json!({ "reason": "Tries it.", "expires_at": office.harness.clock.now().plus_seconds(3600).to_string() });
        body.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        office.about("admin_entitlements_put_override").path("feature_code", code).json(&body).send().await
    };
    for said in [json!({ "limit": 5 }), json!({ "value": 5, "limit": 5, "enabled": null, "unlimited": false })] {
        let set = put("apps", said).await;
        assert_eq!(forms(&set.json), [json!(5), json!(5), Value::Null, json!(false)], "{}", set.text());
    }
    let set = put("statistics_access", json!({ "enabled": true })).await;
    assert_eq!(forms(&set.json), [json!(true), Value::Null, json!(true), json!(false)], "{}", set.text());
    for (code, said, place) in [
        ("apps", json!({ "value": 5, "limit": 6 }), "/limit"),
        ("apps", json!({ "limit": 6, "unlimited": true }), "/unlimited"),
        ("apps", json!({ "enabled": true }), "/enabled"),
        ("apps", json!({ "value": "many" }), "/value"),
        ("apps", json!({}), "/value"),
        ("statistics_access", json!({ "value": true, "enabled": false }), "/enabled"),
        ("statistics_access", json!({ "limit": 1 }), "/limit"),
    ] {
        let refused = put(code, said.clone()).await;
        assert_eq!((refused.status, &refused.json["errors"][0]["pointer"]), (422, &json!(place)), "{code} {said}");
    }

    let body = json!({ "code": "night_shift", "kind": "FLAG", "name": "Night shift", "default_enabled": true });
    let made = office.staff("subscription_features_create").json(&body).expect(201).await;
    assert_eq!((&made.json["default_value"], &made.json["default_enabled"]), (&json!(true), &json!(true)));
    let update =
        |body: Value| office.staff("subscription_features_update").path("feature_code", "night_shift").json(&body);
    let changed = update(json!({ "default_enabled": false })).expect(200).await;
    assert_eq!((&changed.json["default_value"], &changed.json["default_limit"]), (&json!(false), &Value::Null));
    let refused = update(json!({ "default_value": true, "default_enabled": false })).expect(422).await;
    assert_eq!(refused.json["errors"][0]["pointer"], "/default_enabled");
}
