//! Tests of the list of refused requests: causes, request ids, and what is not counted.

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::harness::people::Person;

/// A service and a partner with budgets that the test does not spend.
async fn setup() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 100000, daily_requests = 100000").await;
    let partner = harness.partner("Nordsee Kassen").await;
    (harness, partner)
}

#[tokio::test]
async fn support_sees_why_partner_was_refused() {
    let (harness, partner) = setup().await;
    let role = "select array_to_string(scopes, ' ') from staff_role where role_code = 'SUPPORT'";
    let scopes: String = sqlx::query_scalar(role).fetch_one(&mut harness.owner().await).await.unwrap();
    let support = harness.staff("Sina Support", &scopes.split(' ').collect::<Vec<_>>()).await;
    let till = harness.program("till", &["marketplace.apps"], partner.partner_uuid).await;
    let mut ids = Vec::new();
    for number in 0..7 {
        let call = harness.call("marketplace_apps_create").token(&till.token).json(&json!({ "name": "Till" }));
        let refused = call.header("x-request-id", &format!("till-{number}")).expect(403).await;
        ids.insert(0, refused.header("x-request-id").to_owned());
    }
    let team = harness.call("partner_team_members_list").path("partner_uuid", partner.partner_uuid.unwrap());
    team.token(&till.token).expect(403).await;
    // The service refuses a vote of a machine client. A row about it would tell who voted when.
    let vote = harness.call("engagement_votes_cast").path("request_uuid", partner.uuid).token(&till.token);
    assert_eq!(vote.send().await.status, 403);
    harness.engine.services().usage.flush(harness.engine.pool()).await.unwrap();
    assert_eq!(harness.number("select count(*) from rate_limit_refusal").await, 2);

    let list = || harness.call("admin_rate_limits_list_refusals").token(&support.token);
    let found = list().query("required_scope", "marketplace.apps:write").expect(200).await;
    let row = &found.json["data"][0];
    assert_eq!((&row["code"], &row["refusals"]), (&json!("SCOPE_MISSING"), &json!(7)));
    assert_eq!((&row["account"]["name"], &row["budget"]), (&json!("Nordsee Kassen"), &Value::Null));
    assert_eq!((&row["operation"], &row["request_ids"]), (&json!("marketplace_apps_create"), &json!(ids[..5])));
    for (name, value, expected) in
        [("code", "SCOPE_MISSING", 2), ("code", "RATE_LIMITED", 0), ("required_scope", "partner.team", 1)]
    {
        let found = list().query(name, value).expect(200).await;
        assert_eq!(found.json["data"].as_array().unwrap().len(), expected, "{name}={value}");
    }
    let query = "{ admin_partners_list { data { refusals { operation code required_scope request_ids } } } }";
    let request = harness.http().post(format!("{}/playground/graphql", harness.base_url)).bearer_auth(&support.token);
    let request = request.header("content-type", "application/json").body(json!({ "query": query }).to_string());
    let told: Value = request.send().await.unwrap().json().await.unwrap();
    let refusals = &told["data"]["admin_partners_list"]["data"][0]["refusals"];
    assert_eq!(refusals.as_array().map(Vec::len), Some(2), "{told}");
}

#[tokio::test]
async fn refusals_by_tier_limit_and_suspension_are_counted() {
    let (harness, partner) = setup().await;
    harness.sql("update tier_feature set value = '0' where feature_code = 'apps'").await;
    let create = || harness.call("marketplace_apps_create").token(&partner.token).json(&json!({ "name": "Till" }));
    let refused = create().expect(409).await;
    assert_eq!(refused.code(), "ENTITLEMENT_EXCEEDED");
    harness.sql("update partner set state = 'SUSPENDED'").await;
    harness.soon("the suspension applies", async || create().send().await.status == 403).await;
    harness.engine.services().usage.flush(harness.engine.pool()).await.unwrap();
    let operator = harness.staff("Olga Operator", &["labs.admin.limits"]).await;
    let found = harness.call("admin_rate_limits_list_refusals").token(&operator.token);
    let found = found
        .query("operation", "marketplace_apps_create")
        .query("account_uuid", partner.partner_uuid.unwrap())
        .expect(200)
        .await;
    let mut codes: Vec<&str> =
        found.json["data"].as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["ENTITLEMENT_EXCEEDED", "PARTNER_SUSPENDED"]);
}
