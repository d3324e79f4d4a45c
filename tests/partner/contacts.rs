//! Tests of a partner's contacts.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

async fn harness() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    (harness, person)
}

fn at<'h>(harness: &'h Harness, person: &Person, operation: &str) -> Call<'h> {
    harness.call(operation).path("partner_uuid", person.partner_uuid.unwrap()).token(&person.token)
}

async fn add(harness: &Harness, person: &Person, kind: &str, email: &str) -> Answer {
    let body = json!({ "kind": kind, "name": "Somebody", "email": email, "phone": "+49 4841 555 12" });
    at(harness, person, "partner_contacts_create").json(&body).send().await
}

async fn change(harness: &Harness, person: &Person, contact: &str, body: Value) -> Answer {
    at(harness, person, "partner_contacts_update").path("contact_uuid", contact).json(&body).send().await
}

async fn remove(harness: &Harness, person: &Person, contact: &str) -> Answer {
    at(harness, person, "partner_contacts_delete").path("contact_uuid", contact).send().await
}

#[tokio::test]
async fn contacts_are_added_changed_and_removed_without_names_in_history() {
    let (harness, person) = harness().await;
    assert_eq!(at(&harness, &person, "partner_contacts_list").expect(200).await.json["data"], json!([]));
    let billing = add(&harness, &person, "BILLING", "rechnung@nordsee.example").await;
    assert_eq!((billing.status, billing.str("kind")), (201, "BILLING"), "{}", billing.text());
    let technical = add(&harness, &person, "TECHNICAL", "Rechnung@nordsee.example").await;
    assert_eq!(technical.status, 201, "the same address for another matter");
    let taken = add(&harness, &person, "BILLING", "RECHNUNG@nordsee.example").await;
    assert_eq!((taken.status, taken.code()), (409, "CONFLICT"));
    let changed = change(&harness, &person, technical.str("uuid"), json!({ "name": "Desk", "phone": null })).await;
    assert_eq!((changed.str("name"), &changed.json["phone"]), ("Desk", &json!(null)));
    let clash = change(&harness, &person, technical.str("uuid"), json!({ "kind": "BILLING" })).await;
    assert_eq!((clash.status, clash.code()), (409, "CONFLICT"));
    let only = at(&harness, &person, "partner_contacts_list").query("kind", "TECHNICAL").expect(200).await;
    assert_eq!(only.json["data"], json!([changed.json]));
    assert_eq!(remove(&harness, &person, billing.str("uuid")).await.status, 204);
    assert_eq!(remove(&harness, &person, billing.str("uuid")).await.status, 404);
    let told = at(&harness, &person, "partner_account_list_events").query("group", "ACCOUNT").expect(200).await;
    let kinds: Vec<&Value> = told.json["data"].as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["CONTACT_REMOVED", "CONTACT_CHANGED", "CONTACT_ADDED", "CONTACT_ADDED", "REGISTERED"]);
    assert!(!told.text().contains("nordsee.example") && !told.text().contains("Somebody"));
    assert_eq!(add(&harness, &person, "BILLING", "nobody").await.status, 422);
}

#[tokio::test]
async fn last_security_contact_cannot_be_removed() {
    let (harness, person) = harness().await;
    let first = add(&harness, &person, "SECURITY", "one@nordsee.example").await;
    let last = remove(&harness, &person, first.str("uuid")).await;
    assert_eq!((last.status, last.code()), (409, "CONFLICT"));
    let moved = change(&harness, &person, first.str("uuid"), json!({ "kind": "TECHNICAL" })).await;
    assert_eq!(moved.status, 409, "nor by making it something else");
    let second = add(&harness, &person, "SECURITY", "two@nordsee.example").await;
    // If two callers delete one of the last two contacts at once, one of them is rejected.
    let (one, two) =
        tokio::join!(remove(&harness, &person, first.str("uuid")), remove(&harness, &person, second.str("uuid")));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409]);
}

#[tokio::test]
async fn at_most_ten_contacts_per_kind() {
    let (harness, person) = harness().await;
    for number in 0..10 {
        assert_eq!(add(&harness, &person, "BILLING", &format!("b{number}@nordsee.example")).await.status, 201);
    }
    assert_eq!(add(&harness, &person, "BILLING", "b10@nordsee.example").await.code(), "CONFLICT");
    assert_eq!(add(&harness, &person, "TECHNICAL", "b10@nordsee.example").await.status, 201);
}

#[tokio::test]
async fn contacts_belong_to_their_partner_and_are_read_by_staff() {
    let (harness, person) = harness().await;
    let contact = add(&harness, &person, "SECURITY", "one@nordsee.example").await;
    let other = harness.partner("Elbkontor").await;
    assert_eq!(remove(&harness, &other, contact.str("uuid")).await.status, 404, "under one's own path");
    let foreign = harness.call("partner_contacts_list").path("partner_uuid", person.partner_uuid.unwrap());
    assert_eq!(foreign.token(&other.token).expect(403).await.code(), "PARTNER_MISMATCH");
    let staff = harness.staff("Jonas Okafor", &["labs.admin.partners"]).await;
    let list = |partner: Uuid| harness.call("admin_partners_list_contacts").path("partner_uuid", partner);
    let read = list(person.partner_uuid.unwrap()).query("include_total", true).token(&staff.token).expect(200).await;
    assert_eq!((&read.json["data"][0], &read.json["page"]["total"]), (&contact.json, &json!(1)));
    list(Uuid::from_u128(7)).token(&staff.token).expect(404).await;
}
