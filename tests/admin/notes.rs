//! Tests of staff notes about a partner.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::Person;
use crate::harness::{Call, Harness};

async fn cast() -> (Harness, Person, Person, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let author = harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    let other = harness.staff("Rosa Lund", &["labs.admin.partners:write"]).await;
    let owner = harness.partner("Nordsee Kassen").await;
    (harness, author, other, owner)
}

fn on<'h>(harness: &'h Harness, by: &Person, operation: &str, partner: Uuid) -> Call<'h> {
    harness.call(operation).path("partner_uuid", partner).token(&by.token)
}

#[tokio::test]
async fn note_is_visible_to_staff_and_changed_by_its_author() {
    let (harness, author, other, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let body = json!({ "body": "  Wants SCALE from January.\r\nQuote sent. " });
    let made = on(&harness, &author, "admin_notes_create", partner).json(&body).expect(201).await;
    assert_eq!(made.str("body"), "Wants SCALE from January.\nQuote sent.");
    assert_eq!(made.json["author"], json!({ "uuid": author.uuid.to_string(), "name": "Jonas Okafor" }));
    on(&harness, &other, "admin_notes_create", partner).json(&json!({ "body": "Pays late." })).expect(201).await;
    let list = async |query: &[(&str, &str)]| -> Vec<Value> {
        let call = on(&harness, &other, "admin_notes_list", partner);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        call.expect(200).await.json["data"].as_array().unwrap().iter().map(|note| note["body"].clone()).collect()
    };
    assert_eq!(list(&[]).await, ["Pays late.", "Wants SCALE from January.\nQuote sent."]);
    assert_eq!(list(&[("q", "scale")]).await.len(), 1);
    assert_eq!(list(&[("author_uuid", &other.uuid.to_string())]).await, ["Pays late."]);
    let note = made.str("uuid");
    let edit = |by: &Person| on(&harness, by, "admin_notes_update", partner).path("note_uuid", note);
    let refused = edit(&other).json(&json!({ "body": "Never mind." })).expect(409).await;
    assert_eq!(refused.code(), "CONFLICT");
    let changed = edit(&author).json(&json!({ "body": "From February." })).expect(200).await;
    assert_eq!(changed.str("body"), "From February.");
    let remove = |by: &Person| on(&harness, by, "admin_notes_delete", partner).path("note_uuid", note);
    remove(&other).expect(409).await;
    remove(&author).expect(204).await;
    remove(&author).expect(404).await;
    let kept =
        "select count(*) from audit_change where thing = 'partner_note' and before ->> 'body' like 'Wants SCALE%'";
    assert_eq!(harness.number(kept).await, 1, "what it said before stays in the record");
}

#[tokio::test]
async fn note_is_hidden_from_partner_and_bound_to_its_partner() {
    let (harness, author, _, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let made =
        on(&harness, &author, "admin_notes_create", partner).json(&json!({ "body": "Difficult." })).expect(201).await;
    let elsewhere = harness.partner("Elbkontor").await.partner_uuid.unwrap();
    let call = on(&harness, &author, "admin_notes_update", elsewhere).path("note_uuid", made.str("uuid"));
    call.json(&json!({ "body": "Moved." })).expect(404).await;
    on(&harness, &author, "admin_notes_list", Uuid::from_u128(7)).expect(404).await;
    let history = harness.call("partner_account_list_events").path("partner_uuid", partner).token(&owner.token);
    let history = history.expect(200).await.text();
    assert!(!history.contains("Difficult") && !history.contains("admin_notes"), "{history}");
    on(&harness, &author, "admin_notes_create", partner).json(&json!({ "body": " " })).expect(422).await;
}
