//! Tests of the caller's own account.

use serde_json::{Value, json};

use super::{faults, swift};
use crate::harness::Harness;
use crate::harness::people::PASSWORD;

#[tokio::test]
async fn partner_user_and_staff_member_read_their_account() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let account = harness.call("auth_account_get").token(&person.token).expect(200).await;
    assert_eq!(account.str("uuid"), person.uuid.to_string());
    assert_eq!((account.str("principal_type"), account.str("role")), ("PARTNER_USER", "ADMINISTRATOR"));
    assert_eq!(account.str("email"), person.email);
    assert_eq!(account.json["staff_roles"], json!([]));
    assert!(account.json["last_sign_in_at"].is_string());
    let staff = harness.staff("Otto Operator", &["labs.admin.overview"]).await;
    let account = harness.call("auth_account_get").token(&staff.token).expect(200).await;
    assert_eq!((account.str("principal_type"), &account.json["role"]), ("STAFF_USER", &Value::Null));
    assert_eq!(account.json["staff_roles"], json!(["T_OTTO_OPERATOR"]));
    assert_eq!(account.json["second_factors"].as_array().unwrap().len(), 1);
    assert_eq!(account.json["recovery_codes_left"], 10);
}

#[tokio::test]
async fn unchanged_account_returns_304() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let first = harness.call("auth_account_get").token(&person.token).expect(200).await;
    let tag = first.header("etag").to_owned();
    harness.call("auth_account_get").token(&person.token).header("if-none-match", &tag).expect(304).await;
}

#[tokio::test]
async fn user_updates_only_own_editable_fields() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let change = |body: Value| harness.call("auth_account_update").token(&person.token).json(&body);
    let body = json!({ "name": "  Mara Vogel-Hansen ", "locale": "de-AT", "time_zone": "America/Argentina/Ushuaia" });
    let account = change(body).expect(200).await;
    assert_eq!((account.str("name"), account.str("locale")), ("Mara Vogel-Hansen", "de-AT"));
    assert_eq!(account.str("time_zone"), "America/Argentina/Ushuaia");
    let tag = account.header("etag").to_owned();
    let same = change(json!({})).header("if-match", &tag).expect(200).await;
    assert_eq!(same.bytes, account.bytes);
    assert_eq!(change(json!({ "locale": "en" })).header("if-match", "\"old\"").expect(412).await.status, 412);
    for zone in ["Europe/Atlantis", "Foo/Bar"] {
        let answer = change(json!({ "time_zone": zone })).expect(422).await;
        assert_eq!(faults(&answer), [("/time_zone", "UNKNOWN_TIME_ZONE")], "{zone}");
    }
    for body in [
        json!({ "time_zone": "EST5EDT,M3" }),
        json!({ "time_zone": "Mars" }),
        json!({ "name": null }),
        json!({ "email": "a@b.example" }),
    ] {
        change(body).expect(422).await;
    }
    for zone in ["UTC", "GMT", "EST5EDT", "Etc/GMT+5", "America/Port-au-Prince", "Europe/Vienna"] {
        assert_eq!(change(json!({ "time_zone": zone })).expect(200).await.str("time_zone"), zone);
    }
    assert_eq!(change(json!({ "time_zone": "europe/vienna" })).expect(200).await.str("time_zone"), "Europe/Vienna");
    assert_eq!(faults(&change(json!({ "name": "a\nb" })).expect(422).await), [("/name", "CHARACTER")]);
}

#[tokio::test]
async fn user_sees_only_own_security_events() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let stranger = harness.partner("Weser Software").await;
    let wrong = json!({ "email": person.email, "password": "wrong wrong wrong" });
    harness.call("auth_sessions_create").json(&wrong).expect(401).await;
    let body = json!({ "password": PASSWORD });
    harness.call("auth_sessions_reauthenticate").token(&person.token).json(&body).expect(200).await;
    let list = || harness.call("auth_account_list_security_events").token(&person.token);
    let all = list().expect(200).await;
    let kinds: Vec<&str> = all.json["data"].as_array().unwrap().iter().map(|e| e["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["REAUTHENTICATION", "SIGN_IN", "SIGN_IN", "EMAIL_VERIFIED", "REGISTRATION"]);
    let failed = list().query("outcome", "FAILED").expect(200).await;
    assert_eq!(failed.json["data"].as_array().unwrap().len(), 1, "a failed try stands in the owner's ledger");
    assert_eq!(failed.json["data"][0]["kind"], "SIGN_IN");
    let some = list().query("kind", "SIGN_IN,REGISTRATION").query("limit", 2).expect(200).await;
    let cursor = some.json["page"]["next_cursor"].as_str().unwrap();
    let rest = list().query("kind", "SIGN_IN,REGISTRATION").query("cursor", cursor).expect(200).await;
    assert_eq!(rest.json["data"].as_array().unwrap().len(), 1);
    let later = all.json["data"][0]["occurred_at"].as_str().unwrap();
    let before = list().query("occurred_at_until", later).expect(200).await;
    assert_eq!(before.json["data"].as_array().unwrap().len(), 4);
    let theirs = harness.call("auth_account_list_security_events").token(&stranger.token).expect(200).await;
    assert_eq!(theirs.json["data"].as_array().unwrap().len(), 3);
}
