//! Tests of the search over the security events of all users and machine clients.

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::harness::people::{PASSWORD, Person};

async fn list(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Value {
    let call = harness.call("admin_security_events_list").token(&by.token);
    query.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await.json
}

/// Returns the kinds of the matching events, in order.
async fn kinds(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Vec<String> {
    let found = list(harness, by, query).await;
    found["data"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
}

async fn fail(harness: &Harness, email: &str) {
    let body = json!({ "email": email, "password": "a wrong password of some length" });
    harness.call("auth_sessions_create").json(&body).expect(401).await;
}

#[tokio::test]
async fn security_events_include_users_clients_and_unknown_addresses() {
    let harness = Harness::new().await;
    let guard = harness.staff("Guard", &["labs.admin.security"]).await;
    let mara = harness.partner("Nordsee Kassen").await;
    let ada = harness.partner("Weser Software").await;
    fail(&harness, &mara.email).await;
    fail(&harness, "nobody@nowhere.example").await;
    let program = harness.program("till", &["marketplace"], ada.partner_uuid).await;
    let form = [("grant_type", "password"), ("username", program.client_id.as_str()), ("password", "labs_cs_wrong")];
    assert_ne!(harness.call("auth_tokens_issue").form(&form).send().await.status, 200);

    let person = mara.uuid.to_string();
    let of_mara = list(&harness, &guard, &[("person_uuid", &person), ("outcome", "FAILED")]).await;
    let event = &of_mara["data"][0];
    assert_eq!((&event["kind"], &event["person_name"]), (&json!("SIGN_IN"), &json!("Mara Vogel")));
    assert_eq!((&event["company_name"], &event["address"]), (&json!("Nordsee Kassen"), &json!("127.0.0.1")));
    let both = format!("{},{}", mara.uuid, ada.uuid);
    assert_eq!(kinds(&harness, &guard, &[("person_uuid", &both), ("kind", "REGISTRATION")]).await.len(), 2);
    let failed = list(&harness, &guard, &[("kind", "SIGN_IN"), ("outcome", "FAILED"), ("include_total", "true")]).await;
    assert_eq!(failed["page"]["total"], 2);
    assert_eq!(failed["data"][0]["person_uuid"], Value::Null, "an address of nobody names nobody");
    let refused = list(&harness, &guard, &[("kind", "TOKEN_REFUSED")]).await;
    let client = refused["data"][0]["client_uuid"].as_str().unwrap().to_owned();
    assert_eq!(refused["data"][0]["client_name"], "till");
    assert_eq!(kinds(&harness, &guard, &[("client_uuid", &client)]).await, ["TOKEN_REFUSED"]);
    let partner = ada.partner_uuid.unwrap().to_string();
    let of_ada = kinds(&harness, &guard, &[("partner_uuid", &partner), ("sort", "occurred_at")]).await;
    assert_eq!(of_ada, ["REGISTRATION", "EMAIL_VERIFIED", "SIGN_IN", "TOKEN_REFUSED"]);
    let session =
        list(&harness, &guard, &[("person_uuid", &person), ("kind", "SIGN_IN"), ("outcome", "SUCCEEDED")]).await;
    let session = session["data"][0]["session_uuid"].as_str().unwrap().to_owned();
    assert_eq!(kinds(&harness, &guard, &[("session_uuid", &session)]).await, ["SIGN_IN"]);
}

#[tokio::test]
async fn security_events_are_filtered_by_network_and_time_and_paged() {
    let harness = Harness::new().await;
    let guard = harness.staff("Guard", &["labs.admin.security"]).await;
    let mara = harness.partner("Nordsee Kassen").await;
    harness.sql("update security_event set address = '198.51.100.7' where kind = 'REGISTRATION'").await;
    for network in ["198.51.100.7", "198.51.100.0/24", "2001:db8::/32,198.51.100.0/25"] {
        assert_eq!(kinds(&harness, &guard, &[("address", network)]).await, ["REGISTRATION"], "{network}");
    }
    assert_eq!(kinds(&harness, &guard, &[("address", "203.0.113.0/24")]).await, Vec::<String>::new());
    let odd = harness.call("admin_security_events_list").token(&guard.token).query("address", "1.2.3.0/99");
    let odd = odd.expect(422).await;
    assert_eq!(odd.json["errors"][0]["parameter"], "address");
    assert_eq!(kinds(&harness, &guard, &[("occurred_at_until", "2020-01-01T00:00:00Z")]).await, Vec::<String>::new());
    assert!(!kinds(&harness, &guard, &[("occurred_at_from", "2020-01-01T00:00:00Z")]).await.is_empty());

    let whole = kinds(&harness, &guard, &[("sort", "occurred_at")]).await;
    let mut read = Vec::new();
    let mut cursor = None;
    loop {
        let call = harness.call("admin_security_events_list").token(&guard.token).query("limit", 2);
        let call = call.query("sort", "occurred_at");
        let page = match &cursor {
            Some(cursor) => call.query("cursor", cursor),
            None => call,
        };
        let page = page.expect(200).await.json;
        let data = page["data"].as_array().unwrap().iter();
        read.extend(data.map(|event| event["kind"].as_str().unwrap().to_owned()));
        let Some(next) = page["page"]["next_cursor"].as_str() else { break };
        cursor = Some(next.to_owned());
    }
    assert_eq!(read, whole);
    let latest = kinds(&harness, &guard, &[]).await;
    assert_eq!(latest.into_iter().rev().collect::<Vec<_>>(), whole);
    let other = harness.call("admin_security_events_list").token(&guard.token).query("cursor", cursor.unwrap());
    assert_eq!(other.expect(400).await.code(), "INVALID_CURSOR");
    let body = json!({ "email": mara.email, "password": PASSWORD });
    harness.call("auth_sessions_create").json(&body).expect(200).await;
    assert_eq!(kinds(&harness, &guard, &[("limit", "1")]).await, ["SIGN_IN"]);
}

#[tokio::test]
async fn staff_lists_filtered_by_one_partner_appear_in_its_history() {
    let harness = Harness::new().await;
    let (one, two) = (harness.partner("Nordsee Kassen").await, harness.partner("Elbkontor").await);
    let staff = harness.staff("Chief", &["labs.admin"]).await;
    let of = |person: &Person| person.partner_uuid.unwrap().to_string();
    for list in
        ["partner_support_desk_list", "admin_users_list", "admin_security_events_list", "admin_mail_messages_list"]
    {
        let narrowed = |partners: &str| harness.call(list).token(&staff.token).query("partner_uuid", partners);
        narrowed(&of(&one)).expect(200).await;
        narrowed(&format!("{},{}", of(&one), of(&two))).expect(200).await;
        for (person, times) in [(&one, 1), (&two, 0)] {
            let told = harness.call("partner_account_list_events").path("partner_uuid", person.partner_uuid.unwrap());
            let told = told.token(&person.token).query("group", "STAFF").expect(200).await;
            let seen = told.json["data"].as_array().unwrap().iter().filter(|event| event["operation"] == list).count();
            assert_eq!(seen, times, "{list}");
        }
        let recorded = format!("select count(*) from audit_log where operation = '{list}' and outcome = 'SUCCEEDED'");
        assert_eq!(harness.number(&recorded).await, 2, "{list}");
        let about = format!("{recorded} and target_kind = 'PARTNER' and target_uuid = '{}'", of(&one));
        assert_eq!(harness.number(&about).await, 1, "{list}: of several it is about none");
    }
}
