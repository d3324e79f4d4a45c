//! Tests of the warning before a daily budget is spent.

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::partner::team::{cast, colleague};

/// Number of warnings that were sent to an address.
fn warnings(harness: &Harness, address: &str) -> usize {
    harness.mails_now(address).iter().filter(|mail| mail.contains("80 % of today's requests")).count()
}

async fn queued(harness: &Harness) -> i64 {
    harness.number("select count(*) from mail_message where kind = 'QUOTA'").await
}

#[tokio::test]
async fn administrators_and_developers_are_warned_once_a_day() {
    let (harness, owner) = cast().await;
    let partner_uuid = owner.partner_uuid.unwrap();
    let developer = colleague(&harness, &owner, "Dora", "DEVELOPER").await;
    let quiet = colleague(&harness, &owner, "Quirin", "DEVELOPER").await;
    let viewer = colleague(&harness, &owner, "Vera", "VIEWER").await;
    let update = harness.call("auth_account_update").token(&quiet.token).json(&json!({ "quota_mail": false }));
    assert_eq!(update.expect(200).await.json["quota_mail"], false);
    let usage =
        async || harness.call("subscription_usage_get").token(&owner.token).expect(200).await.json["requests"].clone();
    let budget = usage().await["daily_limit"].as_i64().unwrap();
    assert_eq!((&usage().await["warning_at"], &usage().await["warned_at"]), (&json!(budget * 4 / 5), &Value::Null));
    let spend = async |granted: i64| {
        let of = format!("where account = 'partner:{partner_uuid}'");
        harness.sql(&format!("update daily_budget set granted = {granted} {of}")).await;
        harness.run_job("QUOTA_WARNINGS").await;
    };
    spend(budget * 4 / 5 - 1).await;
    assert_eq!(queued(&harness).await, 0);
    spend(budget * 4 / 5).await;
    assert_eq!(queued(&harness).await, 2);
    assert!(usage().await["warned_at"].is_string());
    for person in [&owner, &developer] {
        harness.soon("the warning comes", async || warnings(&harness, &person.email) == 1).await;
    }
    spend(budget).await;
    assert_eq!(queued(&harness).await, 2, "once a day");
    assert_eq!([&quiet, &viewer].map(|person| warnings(&harness, &person.email)), [0, 0]);
    harness.advance(86_400).await;
    let owner = harness.sign_in(&owner.email).await;
    harness.call("subscription_usage_get").token(&owner.token).expect(200).await;
    spend(budget).await;
    assert_eq!(queued(&harness).await, 4, "the next day again");
}

#[tokio::test]
async fn staff_cannot_ask_for_warnings() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let update =
        |wanted: bool| harness.call("auth_account_update").token(&chief.token).json(&json!({ "quota_mail": wanted }));
    let refused = update(true).expect(422).await;
    assert_eq!(refused.json["errors"][0]["pointer"], "/quota_mail");
    assert_eq!(update(false).expect(200).await.json["quota_mail"], false);
}
