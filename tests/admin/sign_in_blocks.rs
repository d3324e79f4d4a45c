//! Tests of sign-in blocks for operators: list and lift.

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::harness::people::{PASSWORD, Person};

async fn list(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Vec<Value> {
    let call = harness.call("admin_sign_in_blocks_list").token(&by.token);
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
    call.expect(200).await.json["data"].as_array().unwrap().clone()
}

async fn sign_in(harness: &Harness, email: &str, password: &str) -> u16 {
    let body = json!({ "email": email, "password": password });
    harness.call("auth_sessions_create").json(&body).send().await.status
}

/// Fails to sign in until the account is blocked, and extends every block so that it lasts for the test.
async fn hold_back(harness: &Harness, email: &str) {
    for _ in 0..7 {
        sign_in(harness, email, "a wrong password of some length").await;
    }
    let held =
        "update sign_in_failure set held_until = labs_now() + interval '10 minutes' where held_until is not null";
    harness.sql(held).await;
}

async fn lift(harness: &Harness, by: &Person, block: &Value) -> u16 {
    let call = harness.call("admin_sign_in_blocks_lift").path("block_uuid", block["uuid"].as_str().unwrap());
    call.token(&by.token).send().await.status
}

#[tokio::test]
async fn blocked_account_is_listed_and_unblocked_on_every_replica() {
    let harness = Harness::new().await;
    let guard = harness.staff("Guard", &["labs.admin.security:write"]).await;
    let person = harness.partner("Nordsee Kassen").await;
    assert_eq!(list(&harness, &guard, &[]).await, Vec::<Value>::new());
    hold_back(&harness, &person.email).await;
    let blocks = list(&harness, &guard, &[]).await;
    let [block] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!((&block["kind"], &block["network"]), (&json!("ACCOUNT"), &json!("127.0.0.1/32")));
    assert_eq!((&block["email"], &block["person_name"]), (&json!(person.email), &json!("Mara Vogel")));
    assert_eq!((&block["company_name"], block["failures"].as_i64().unwrap() > 5), (&json!("Nordsee Kassen"), true));
    let replica = harness.twin(&[]).await;
    assert_eq!(sign_in(&replica, &person.email, PASSWORD).await, 429);
    assert_eq!((lift(&harness, &guard, block).await, lift(&harness, &guard, block).await), (204, 404));
    assert_eq!(sign_in(&replica, &person.email, PASSWORD).await, 200);
    assert_eq!(list(&harness, &guard, &[]).await, Vec::<Value>::new());
    let recorded = "select count(*) from audit_log join audit_change using (record_uuid)
                     where operation = 'admin_sign_in_blocks_lift' and outcome = 'SUCCEEDED' and thing = 'sign_in_failure'
                       and action = 'DELETE' and audit_log.partner_uuid is not null and target_kind = 'SIGN_IN_BLOCK'";
    assert_eq!(harness.number(recorded).await, 1);
    let noted = "select count(*) from security_event where kind = 'SIGN_IN_BLOCK_LIFTED' and address is null";
    assert_eq!(harness.number(noted).await, 1);
}

#[tokio::test]
async fn sign_in_blocks_are_filtered_and_disappear_when_they_end() {
    let harness = Harness::new().await;
    let guard = harness.staff("Guard", &["labs.admin.security:write"]).await;
    let mara = harness.partner("Nordsee Kassen").await;
    hold_back(&harness, &mara.email).await;
    hold_back(&harness, "nobody@nowhere.example").await;
    harness
        .sql(&format!(
            "insert into sign_in_failure (subject, failures, last_failed_at, held_until)
             select subject, 7, labs_now(), labs_now() + interval '1 minute'
               from unnest(array['network:2001:db8:0:1::/64', 'second_factor:{0}', 'second_factor:{0}@192.0.2.9']) as subject",
            mara.uuid
        ))
        .await;
    let count = async |query: &[(&str, &str)]| list(&harness, &guard, query).await.len();
    let (person, partner) = (mara.uuid.to_string(), mara.partner_uuid.unwrap().to_string());
    assert_eq!(count(&[]).await, 5);
    assert_eq!(count(&[("person_uuid", &person)]).await, 3);
    assert_eq!(count(&[("partner_uuid", &partner), ("kind", "SECOND_FACTOR")]).await, 2);
    assert_eq!(count(&[("network", "192.0.2.0/24")]).await, 1);
    assert_eq!(count(&[("network", "2001:db8:0:1::7,127.0.0.1")]).await, 3);
    let nobody = list(&harness, &guard, &[("q", "NOWHERE")]).await;
    assert_eq!((nobody.len(), &nobody[0]["person_uuid"]), (1, &Value::Null), "an address that nobody has");
    let page =
        harness.call("admin_sign_in_blocks_list").token(&guard.token).query("limit", 2).query("include_total", true);
    let page = page.query("sort", "last_failed_at").expect(200).await.json;
    assert_eq!((&page["page"]["total"], &page["data"][0]["email"]), (&json!(5), &json!(mara.email)));
    harness.advance(61).await;
    assert_eq!(count(&[]).await, 2, "the shorter ones have ended");
    let network = harness.call("admin_sign_in_blocks_list").token(&guard.token).query("network", "nonsense");
    assert_eq!(network.send().await.status, 422);
}
