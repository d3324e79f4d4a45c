//! Tests of team security: a second-factor policy from the next sign-in on, security events, and machine clients.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

async fn harness() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    (harness, person)
}

async fn put(harness: &Harness, person: &Person, required: bool, hours: Option<i32>) -> Answer {
    let body = json!({ "second_factor_required": required, "session_hours": hours });
    let call = harness.call("partner_security_put_policy").path("partner_uuid", person.partner_uuid.unwrap());
    call.token(&person.token).json(&body).send().await
}

async fn me(harness: &Harness, token: &str) -> Value {
    harness.call("system_me_get").token(token).expect(200).await.json
}

async fn events(harness: &Harness, person: &Person, query: &[(&str, &str)]) -> Vec<Value> {
    let call = harness.call("partner_security_list_events").path("partner_uuid", person.partner_uuid.unwrap());
    let call = query.iter().fold(call.token(&person.token), |call, (name, value)| call.query(name, value));
    call.expect(200).await.json["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn security_policy_takes_effect_at_next_sign_in() {
    let (harness, person) = harness().await;
    let partner = person.partner_uuid.unwrap();
    let before = harness.call("partner_security_get_policy").path("partner_uuid", partner).token(&person.token);
    assert_eq!(before.expect(200).await.json, json!({ "second_factor_required": false, "session_hours": null }));
    let put = put(&harness, &person, true, Some(12)).await;
    assert_eq!((put.status, &put.json), (200, &json!({ "second_factor_required": true, "session_hours": 12 })));
    // An existing session stays valid, even with a refreshed token.
    let refreshed = harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await;
    assert!(me(&harness, refreshed.str("access_token")).await["scopes"].as_array().unwrap().len() > 1);
    let next = harness.sign_in(&person.email).await;
    let shown = me(&harness, &next.token).await;
    assert_eq!(shown["scopes"], json!(["auth.account:write"]));
    let ends: jiff::Timestamp = shown["session_expires_at"].as_str().unwrap().parse().unwrap();
    let hours = ends.duration_since(harness.clock.now().0).as_mins() as f64 / 60.0;
    assert!((11.9..=12.0).contains(&hours), "{hours}");
    let secret = harness.call("auth_mfa_enrol_totp").token(&next.token).expect(201).await.str("secret").to_owned();
    let code = json!({ "code": harness.code(&secret) });
    harness.call("auth_mfa_confirm_totp").token(&next.token).json(&code).expect(200).await;
    let opened = async || me(&harness, &next.token).await["scopes"].as_array().unwrap().len() > 1;
    harness.soon("confirming a factor opens the rest", opened).await;
    assert_eq!(events(&harness, &next, &[("kind", "SECURITY_POLICY_CHANGED")]).await.len(), 1);
}

#[tokio::test]
async fn withdrawn_policy_does_not_affect_later_sessions() {
    let (harness, person) = harness().await;
    assert_eq!(put(&harness, &person, true, None).await.status, 200);
    assert_eq!(put(&harness, &person, false, None).await.status, 200);
    assert_eq!(put(&harness, &person, false, None).await.status, 200, "again is no change");
    let next = harness.sign_in(&person.email).await;
    assert!(me(&harness, &next.token).await["scopes"].as_array().unwrap().len() > 1);
    assert_eq!(events(&harness, &person, &[("kind", "SECURITY_POLICY_CHANGED")]).await.len(), 2);
    assert_eq!(put(&harness, &person, true, Some(0)).await.status, 422);
    assert_eq!(put(&harness, &person, true, Some(721)).await.status, 422);
}

#[tokio::test]
async fn stale_policy_update_and_foreign_partner_are_rejected() {
    let (harness, person) = harness().await;
    let partner = person.partner_uuid.unwrap();
    let read = harness
        .call("partner_security_get_policy")
        .path("partner_uuid", partner)
        .token(&person.token)
        .expect(200)
        .await;
    let etag = read.header("etag").to_owned();
    assert_eq!(put(&harness, &person, false, Some(8)).await.status, 200);
    let stale = harness.call("partner_security_put_policy").path("partner_uuid", partner).token(&person.token);
    let body = json!({ "second_factor_required": false, "session_hours": null });
    stale.header("if-match", &etag).json(&body).expect(412).await;
    let other = harness.partner("Elbkontor").await;
    for operation in
        ["partner_security_get_policy", "partner_security_list_events", "partner_security_list_machine_clients"]
    {
        for foreign in [partner, Uuid::from_u128(7)] {
            let answer = harness.call(operation).path("partner_uuid", foreign).token(&other.token).expect(403).await;
            assert_eq!(answer.code(), "PARTNER_MISMATCH", "{operation}");
        }
    }
}

#[tokio::test]
async fn security_events_contain_only_own_team() {
    let (harness, person) = harness().await;
    let other = harness.partner("Elbkontor").await;
    let program = harness.program("Menu sync", &["marketplace"], person.partner_uuid).await;
    let wrong = [("grant_type", "password"), ("username", &*program.client_id), ("password", "labs_cs_wrong")];
    harness.call("auth_tokens_issue").form(&wrong).expect(400).await;
    let secret = harness.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await.str("secret").to_owned();
    let code = json!({ "code": harness.code(&secret) });
    harness.call("auth_mfa_confirm_totp").token(&person.token).json(&code).expect(200).await;
    let all = events(&harness, &person, &[]).await;
    let kinds: Vec<&str> = all.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..2], ["SECOND_FACTOR_ENABLED", "TOKEN_REFUSED"]);
    assert!(kinds.contains(&"SIGN_IN") && kinds.contains(&"REGISTRATION"), "{kinds:?}");
    assert_eq!((&all[0]["person_name"], &all[1]["client_name"]), (&json!("Mara Vogel"), &json!("Menu sync")));
    assert_eq!(all[0]["address"], "127.0.0.1");
    let failed = events(&harness, &person, &[("outcome", "FAILED,REFUSED")]).await;
    assert_eq!(failed.len(), 1);
    let client = failed[0]["client_uuid"].as_str().unwrap().to_owned();
    assert_eq!(events(&harness, &person, &[("client_uuid", &client)]).await, failed);
    assert_eq!(events(&harness, &person, &[("person_uuid", &other.uuid.to_string())]).await, Vec::<Value>::new());
    let mut earliest = events(&harness, &person, &[("sort", "occurred_at")]).await;
    earliest.reverse();
    assert_eq!(earliest, all);
    assert!(events(&harness, &other, &[]).await.iter().all(|event| event["kind"] != "TOKEN_REFUSED"));
    assert_eq!(events(&harness, &person, &[("occurred_at_until", "2020-01-01T00:00:00Z")]).await, Vec::<Value>::new());
}

#[tokio::test]
async fn security_events_are_paged_without_gaps() {
    let (harness, person) = harness().await;
    for _ in 0..4 {
        harness.sign_in(&person.email).await;
    }
    let all = events(&harness, &person, &[("limit", "100")]).await;
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let call = harness.call("partner_security_list_events").path("partner_uuid", person.partner_uuid.unwrap());
        let call = call.token(&person.token).query("limit", 2);
        let page = match &cursor {
            Some(cursor) => call.query("cursor", cursor),
            None => call,
        };
        let page = page.expect(200).await.json;
        seen.extend(page["data"].as_array().unwrap().clone());
        match page["page"]["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, all);
}

#[tokio::test]
async fn team_sees_its_machine_clients_without_secrets() {
    let (harness, person) = harness().await;
    let other = harness.partner("Elbkontor").await;
    let program = harness.program("Menu sync", &["marketplace:write", "partner"], person.partner_uuid).await;
    harness.program("Theirs", &["marketplace"], other.partner_uuid).await;
    harness.program("Storefront", &["storefront"], None).await;
    let list = async |state: &str| {
        let call =
            harness.call("partner_security_list_machine_clients").path("partner_uuid", person.partner_uuid.unwrap());
        call.token(&person.token).query("state", state).expect(200).await
    };
    let shown = list("ACTIVE").await;
    let clients = shown.json["data"].as_array().unwrap();
    assert_eq!(clients.len(), 1);
    assert_eq!((&clients[0]["name"], &clients[0]["client_id"]), (&json!("Menu sync"), &json!(program.client_id)));
    assert_eq!(clients[0]["allowed_scopes"], json!(["marketplace:write", "partner"]));
    assert!(clients[0]["last_used_at"].is_string());
    assert!(!shown.text().contains("labs_cs_"), "not even how a secret begins");
    assert_eq!(list("DISABLED").await.json["data"], json!([]));
}

#[tokio::test]
async fn partner_readers_see_security_events_but_few_set_policy() {
    let (harness, person) = harness().await;
    let partner = person.partner_uuid.unwrap();
    harness
        .sql(&format!(
            "insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, role, state, password_hash)
             select labs_uuid(), kind, partner_uuid, 'dev@n.example', 'dev@n.example', 'Dev', 'DEVELOPER', 'ACTIVE', password_hash
               from person where person_uuid = '{}'",
            person.uuid
        ))
        .await;
    let body = json!({ "email": "dev@n.example", "password": PASSWORD });
    let developer = harness.call("auth_sessions_create").json(&body).expect(200).await.str("access_token").to_owned();
    let events = harness.call("partner_security_list_events").path("partner_uuid", partner).token(&developer);
    assert_eq!(events.expect(200).await.status, 200, "`partner` reads everything of the company");
    let body = json!({ "second_factor_required": true, "session_hours": null });
    let refused =
        harness.call("partner_security_put_policy").path("partner_uuid", partner).token(&developer).json(&body);
    assert_eq!(refused.expect(403).await.str("required_scope"), "partner.security:write");
}
