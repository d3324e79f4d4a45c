//! Tests of a partner's account as its team uses it: company data, events, and closure.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

const DAY: i64 = 86_400;

async fn harness() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    (harness, person)
}

fn at<'h>(harness: &'h Harness, person: &Person, operation: &str) -> Call<'h> {
    harness.call(operation).path("partner_uuid", person.partner_uuid.unwrap()).token(&person.token)
}

async fn update(harness: &Harness, person: &Person, body: Value) -> Answer {
    at(harness, person, "partner_account_update").json(&body).send().await
}

async fn events(harness: &Harness, person: &Person, query: &[(&str, &str)]) -> Vec<Value> {
    let call = at(harness, person, "partner_account_list_events");
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
    call.expect(200).await.json["data"].as_array().unwrap().clone()
}

fn faults(answer: &Answer) -> Vec<(&str, &str)> {
    let errors = answer.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    errors.iter().map(|error| (error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn partner_data_are_merged_and_validated_by_country() {
    let (harness, person) = harness().await;
    let full = json!({
        "legal_form": "GmbH", "registration_number": "HRB 1234, Flensburg", "vat_id": "DE123456789",
        "address": { "street": "Kai 1", "postal_code": "25813", "city": "Husum" },
        "billing_address": { "recipient": "Buchhaltung", "street": "Postfach 7", "city": "Husum" },
        "billing_email": "rechnung@nordsee.example", "website": "https://nordsee.example",
    });
    let answer = update(&harness, &person, full).await;
    assert_eq!((answer.status, &answer.json["vat_id"]), (200, &json!("DE123456789")), "{}", answer.text());
    assert_eq!(answer.json["billing_address"]["recipient"], "Buchhaltung");
    let merged = update(&harness, &person, json!({ "address": { "street": null }, "billing_address": null })).await;
    assert_eq!((&merged.json["address"]["street"], &merged.json["address"]["city"]), (&json!(null), &json!("Husum")));
    assert_eq!(
        (&merged.json["billing_address"], &merged.json["billing_email"]),
        (&json!(null), &answer.json["billing_email"])
    );
    let moved = update(&harness, &person, json!({ "country": "AT" })).await;
    assert_eq!((moved.status, faults(&moved)), (422, vec![("/vat_id", "COUNTRY_MISMATCH")]));
    let both = update(&harness, &person, json!({ "country": "GR", "vat_id": "EL123456789" })).await;
    assert_eq!((both.status, both.str("country")), (200, "GR"));
    let wrong =
        update(&harness, &person, json!({ "country": "XX", "billing_email": "a@b", "vat_id": "EL12345678" })).await;
    let expected = [("/country", "UNKNOWN_COUNTRY"), ("/billing_email", "FORMAT"), ("/vat_id", "COUNTRY_MISMATCH")];
    assert_eq!(faults(&wrong), expected, "everything at once");
    assert_eq!(update(&harness, &person, json!({ "company_name": "  x " })).await.status, 422);
    assert_eq!(at(&harness, &person, "partner_account_get").expect(200).await.json, both.json, "as it was answered");
}

#[tokio::test]
async fn history_lists_changed_fields_without_values() {
    let (harness, person) = harness().await;
    update(&harness, &person, json!({ "legal_form": "GmbH", "vat_id": "DE123456789" })).await;
    update(&harness, &person, json!({ "legal_form": "GmbH" })).await;
    let changed = events(&harness, &person, &[("kind", "COMPANY_UPDATED")]).await;
    assert_eq!(changed.len(), 1, "the same again is no change");
    assert_eq!(changed[0]["detail"], json!({ "fields": ["legal_form", "vat_id"] }));
    let actor = json!({ "kind": "PARTNER_USER", "uuid": person.uuid.to_string(), "name": "Mara Vogel" });
    assert_eq!((&changed[0]["actor"], &changed[0]["group"]), (&actor, &json!("ACCOUNT")));
    let started = events(&harness, &person, &[("group", "SUBSCRIPTION")]).await;
    assert_eq!((&started[0]["kind"], &started[0]["detail"]["to_tier_code"]), (&json!("STARTED"), &json!("FREE")));
}

#[tokio::test]
async fn staff_access_is_visible_without_staff_names() {
    let (harness, person) = harness().await;
    let partner = person.partner_uuid.unwrap();
    let staff = harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    let by = |operation: &str| harness.call(operation).path("partner_uuid", partner).token(&staff.token);
    by("admin_partners_get").expect(200).await;
    let body = json!({ "legal_form": "KG", "reason": "They sent the register's extract." });
    by("admin_partners_update").json(&body).expect(200).await;
    by("admin_notes_create").json(&json!({ "body": "Pays late." })).expect(201).await;
    by("admin_partners_put_labels").json(&json!({ "labels": ["at-risk"] })).expect(200).await;
    let seen = events(&harness, &person, &[("actor_kind", "STAFF_USER")]).await;
    let told: Vec<(&Value, &Value, &Value)> =
        seen.iter().map(|event| (&event["kind"], &event["operation"], &event["reason"])).collect();
    let expected = [
        (&json!("COMPANY_UPDATED"), &json!(null), &json!("They sent the register's extract.")),
        (&json!("STAFF_ACCESS"), &json!("admin_partners_get"), &json!(null)),
    ];
    assert_eq!(told, expected, "a change once, notes and labels not at all");
    assert!(seen.iter().all(|event| event["actor"] == json!({ "kind": "STAFF_USER", "uuid": null, "name": null })));
    let text = at(&harness, &person, "partner_account_list_events").expect(200).await.text();
    assert!(!text.contains("Okafor") && !text.contains(&staff.uuid.to_string()) && !text.contains("Pays late"));
    assert_eq!(events(&harness, &person, &[("group", "STAFF")]).await.len(), 1);
}

#[tokio::test]
async fn history_is_paged_without_gaps_and_bound_to_its_partner() {
    let (harness, person) = harness().await;
    for form in ["GmbH", "KG", "OHG", "AG"] {
        update(&harness, &person, json!({ "legal_form": form })).await;
    }
    let all = events(&harness, &person, &[("limit", "100")]).await;
    assert_eq!(all.len(), 6, "four changes, the beginning of the subscription and of the account");
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let call = at(&harness, &person, "partner_account_list_events").query("limit", 2);
        let call = cursor.iter().fold(call, |call, cursor| call.query("cursor", cursor));
        let page = call.expect(200).await.json;
        seen.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["page"]["next_cursor"].as_str() else { break };
        cursor = Some(next.to_owned());
    }
    assert_eq!(seen, all);
    let other = harness.partner("Elbkontor").await;
    assert_eq!(events(&harness, &other, &[]).await.len(), 2, "its own beginning alone");
    for operation in ["partner_account_get", "partner_account_list_events", "partner_account_cancel_closure"] {
        let foreign = harness.call(operation).path("partner_uuid", person.partner_uuid.unwrap()).token(&other.token);
        assert_eq!(foreign.expect(403).await.code(), "PARTNER_MISMATCH", "{operation}");
    }
}

#[tokio::test]
async fn stale_account_update_is_rejected() {
    let (harness, person) = harness().await;
    let read = at(&harness, &person, "partner_account_get").expect(200).await;
    let etag = read.header("etag").to_owned();
    let body = json!({ "legal_form": "GmbH" });
    at(&harness, &person, "partner_account_update").header("if-match", &etag).json(&body).expect(200).await;
    let stale = at(&harness, &person, "partner_account_update").header("if-match", &etag).json(&body);
    stale.expect(412).await;
}

#[tokio::test]
async fn account_closure_waits_and_can_be_cancelled() {
    let (harness, person) = harness().await;
    let asked = at(&harness, &person, "partner_account_request_closure").json(&json!({ "reason": "We move on." }));
    let asked = asked.expect(200).await;
    let closes_at: jiff::Timestamp = asked.str("closes_at").parse().unwrap();
    let days = closes_at.duration_since(harness.clock.now().0).as_hours() as f64 / 24.0;
    assert!((13.9..=14.0).contains(&days) && asked.str("state") == "CLOSING", "{days}");
    harness.until("select count(*) from mail_message where kind = 'PARTNER_CLOSING' and state = 'SENT'", 1).await;
    let again = at(&harness, &person, "partner_account_request_closure").expect(409).await;
    assert_eq!(again.json["allowed_actions"], json!(["suspend", "cancel-closure", "close"]));
    harness.sign_in(&person.email).await;
    assert_eq!(update(&harness, &person, json!({ "legal_form": "GmbH" })).await.status, 200, "everything goes on");
    let kept = at(&harness, &person, "partner_account_cancel_closure").expect(200).await;
    assert_eq!((kept.str("state"), &kept.json["closes_at"]), ("ACTIVE", &json!(null)));
    assert_eq!(at(&harness, &person, "partner_account_cancel_closure").expect(409).await.code(), "ILLEGAL_TRANSITION");
    harness.advance(15 * DAY).await;
    let person = harness.sign_in(&person.email).await;
    let told: Vec<Value> = events(&harness, &person, &[]).await.iter().map(|event| event["kind"].clone()).collect();
    assert_eq!(told[..3], ["CLOSURE_CANCELLED", "COMPANY_UPDATED", "CLOSURE_REQUESTED"]);
    let reason = events(&harness, &person, &[("kind", "CLOSURE_REQUESTED")]).await;
    assert_eq!(reason[0]["reason"], "We move on.");
}

#[tokio::test]
async fn due_closure_ends_all_access_of_partner() {
    let (harness, person) = harness().await;
    harness.sql("update service_setting set value = '3' where key = 'partner.closing_days'").await;
    let program = harness.program("Menu sync", &["marketplace"], person.partner_uuid).await;
    at(&harness, &person, "partner_account_request_closure").expect(200).await;
    harness.advance(3 * DAY - 60).await;
    let person = harness.sign_in(&person.email).await;
    let token = harness.token_of(&program.client_id, &program.secret, None).await;
    harness.advance(120).await;
    let is_out = async || harness.call("system_me_get").token(&person.token).send().await.status == 403;
    harness.until("select count(*) from partner where state = 'CLOSED'", 1).await;
    let ended =
        async || harness.call("system_me_get").token(&person.token).send().await.status == 401 || is_out().await;
    harness.soon("the session ends", ended).await;
    let shut = async || harness.call("system_me_get").token(&token).send().await.status != 200;
    harness.soon("the program is shut out", shut).await;
    let body = json!({ "email": person.email, "password": crate::harness::people::PASSWORD });
    let refused = harness.call("auth_sessions_create").json(&body).expect(403).await;
    assert_eq!(refused.code(), "PARTNER_SUSPENDED");
    let ended = "select count(*) from session where end_reason = 'PARTNER_CLOSED'";
    assert_eq!(harness.number(ended).await, 2, "both that were open");
    let by_itself = "select count(*) from partner_event where kind = 'CLOSED' and actor_kind = 'SYSTEM'";
    assert_eq!(harness.number(by_itself).await, 1, "once, by the service itself");
    harness.until("select count(*) from mail_message where kind = 'PARTNER_CLOSING' and state = 'SENT'", 2).await;
}

#[tokio::test]
async fn closing_an_account_requires_reauthentication() {
    let (harness, person) = harness().await;
    harness.advance(601).await;
    let refreshed = harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await;
    let person = Person { token: refreshed.str("access_token").to_owned(), ..person };
    let refused = at(&harness, &person, "partner_account_request_closure").expect(403).await;
    assert_eq!(refused.code(), "REAUTHENTICATION_REQUIRED");
    let proof = json!({ "password": crate::harness::people::PASSWORD });
    harness.call("auth_sessions_reauthenticate").token(&person.token).json(&proof).expect(200).await;
    at(&harness, &person, "partner_account_request_closure").expect(200).await;
    let program = harness.program("Keeper", &["partner:write"], person.partner_uuid).await;
    let partner = person.partner_uuid.unwrap();
    let call = |operation: &str| harness.call(operation).path("partner_uuid", partner).token(&program.token);
    call("partner_account_cancel_closure").expect(200).await;
    let refused = call("partner_account_request_closure").expect(403).await;
    assert_eq!(refused.code(), "REAUTHENTICATION_REQUIRED", "a program ends nothing");
}
