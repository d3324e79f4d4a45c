//! Tests of support tickets as their partner sees them.

use serde_json::{Value, json};
use uuid::Uuid;

use super::team::{cast, colleague, noted};
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

pub(crate) async fn open(harness: &Harness, by: &Person, subject: &str) -> Answer {
    let body = json!({ "subject": subject, "body": "Since this morning.\nNothing changed here.", "topic": "API" });
    let call = harness.call("partner_support_tickets_open").path("partner_uuid", by.partner_uuid.unwrap());
    call.token(&by.token).json(&body).send().await
}

pub(super) async fn on(harness: &Harness, by: &Person, operation: &str, ticket: &str, body: Option<Value>) -> Answer {
    let call = harness.call(operation).path("partner_uuid", by.partner_uuid.unwrap()).path("ticket_uuid", ticket);
    let call = call.token(&by.token);
    match body {
        Some(body) => call.json(&body).send().await,
        None => call.send().await,
    }
}

pub(super) async fn reply(harness: &Harness, by: &Person, ticket: &str) -> Answer {
    on(harness, by, "partner_support_tickets_reply", ticket, Some(json!({ "body": "It does. Thank you!" }))).await
}

async fn list(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Vec<Value> {
    let call = harness.call("partner_support_tickets_list").path("partner_uuid", by.partner_uuid.unwrap());
    let call = query.iter().fold(call.token(&by.token), |call, (name, value)| call.query(name, value));
    call.expect(200).await.json["data"].as_array().unwrap().iter().map(|one| one["subject"].clone()).collect()
}

#[tokio::test]
async fn support_ticket_is_opened_read_replied_to_and_closed() {
    let (harness, owner) = cast().await;
    let vera = colleague(&harness, &owner, "Vera", "VIEWER").await;
    let opened = open(&harness, &owner, "  Webhooks are refused ").await;
    assert_eq!((opened.status, opened.str("subject"), opened.str("state")), (201, "Webhooks are refused", "OPEN"));
    let uuid = opened.str("uuid").to_owned();
    let here = format!("/v1/partner/{}/support-tickets/{uuid}", owner.partner_uuid.unwrap());
    assert_eq!(opened.header("location"), here);
    assert_eq!(opened.json["messages"][0]["body"], "Since this morning.\nNothing changed here.");
    assert_eq!((opened.str("priority"), &opened.json["messages"][0]["author_name"]), ("NORMAL", &json!("Mara Vogel")));
    let received =
        async || harness.mails_now(&owner.email).iter().any(|mail| mail.replace("=\r\n", "").contains(&here));
    harness.soon("whoever opens it is told that it came", received).await;
    let replied = reply(&harness, &owner, &uuid).await;
    assert_eq!((replied.status, &replied.json["messages_count"]), (201, &json!(2)));
    assert_eq!(replied.header("location"), here);
    assert_eq!(replied.str("state_changed_at"), opened.str("state_changed_at"), "open it was and open it is");
    let read = on(&harness, &vera, "partner_support_tickets_get", &uuid, None).await;
    assert_eq!(read.json["messages"], replied.json["messages"], "everybody of the company reads it");
    assert_eq!(reply(&harness, &vera, &uuid).await.str("required_scope"), "partner.support:write");
    let closed = on(&harness, &owner, "partner_support_tickets_close", &uuid, None).await;
    assert_eq!((closed.status, closed.str("state")), (200, "CLOSED"));
    for again in
        [reply(&harness, &owner, &uuid).await, on(&harness, &owner, "partner_support_tickets_close", &uuid, None).await]
    {
        assert_eq!((again.code(), &again.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!([])));
    }
    for kind in ["TICKET_OPENED", "TICKET_REPLIED", "TICKET_CLOSED"] {
        assert_eq!(noted(&harness, kind, uuid.parse().unwrap()).await, 1, "{kind}");
    }
}

#[tokio::test]
async fn support_tickets_can_be_filtered_by_each_parameter() {
    let (harness, owner) = cast().await;
    let app = harness.call("marketplace_apps_create").token(&owner.token).json(&json!({ "name": "Table Pilot" }));
    let app = app.expect(201).await;
    let body = json!({ "subject": "Never listed", "body": "Why?", "topic": "APP", "app_uuid": app.str("uuid") });
    let call = harness.call("partner_support_tickets_open").path("partner_uuid", owner.partner_uuid.unwrap());
    let about = call.token(&owner.token).json(&body).expect(201).await;
    assert_eq!((about.str("app_slug"), about.str("topic")), ("table-pilot", "APP"));
    let second = open(&harness, &owner, "Webhooks are refused").await;
    open(&harness, &owner, "Tokens end early").await;
    reply(&harness, &owner, second.str("uuid")).await;
    assert_eq!(list(&harness, &owner, &[]).await, ["Tokens end early", "Webhooks are refused", "Never listed"]);
    assert_eq!(list(&harness, &owner, &[("sort", "-last_message_at"), ("limit", "1")]).await, ["Webhooks are refused"]);
    assert_eq!(list(&harness, &owner, &[("sort", "created_at"), ("q", "E")]).await.len(), 3);
    assert_eq!(list(&harness, &owner, &[("q", "WEBHOOK")]).await, ["Webhooks are refused"]);
    assert_eq!(list(&harness, &owner, &[("app_uuid", app.str("uuid"))]).await, ["Never listed"]);
    assert_eq!(list(&harness, &owner, &[("topic", "API"), ("state", "CLOSED")]).await, Vec::<Value>::new());
    let page = harness.call("partner_support_tickets_list").path("partner_uuid", owner.partner_uuid.unwrap());
    let page = page.token(&owner.token).query("limit", 2).query("sort", "-last_message_at").expect(200).await;
    let cursor = page.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    let rest = list(&harness, &owner, &[("limit", "2"), ("sort", "-last_message_at"), ("cursor", &cursor)]).await;
    assert_eq!(rest, ["Never listed"]);
}

#[tokio::test]
async fn support_ticket_requires_own_app_and_text() {
    let (harness, owner) = cast().await;
    let other = harness.partner("Weser Software").await;
    let theirs = harness.call("marketplace_apps_create").token(&other.token).json(&json!({ "name": "Table Pilot" }));
    let theirs = theirs.expect(201).await.str("uuid").to_owned();
    let call = || {
        let call = harness.call("partner_support_tickets_open").path("partner_uuid", owner.partner_uuid.unwrap());
        call.token(&owner.token)
    };
    for foreign in [theirs, Uuid::from_u128(7).to_string()] {
        let body = json!({ "subject": "x", "body": " \u{A0} a", "topic": "APP", "app_uuid": foreign });
        let refused = call().json(&body).expect(422).await;
        let codes: Vec<&str> =
            refused.json["errors"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
        assert_eq!(codes, ["UNKNOWN_APP"], "another's and nobody's are told alike");
    }
    let control = call().json(&json!({ "subject": "x", "body": "a\u{7}b", "topic": "API" })).expect(422).await;
    assert_eq!(control.json["errors"][0]["code"], "CHARACTER");
    let lines = call().json(&json!({ "subject": "a\nb", "body": "x", "topic": "API" })).expect(422).await;
    assert_eq!(lines.json["errors"][0]["code"], "CHARACTER");
    call().json(&json!({ "subject": "  ", "body": "x", "topic": "API" })).expect(422).await;
    call().json(&json!({ "subject": "x", "body": "x".repeat(10_001), "topic": "API" })).expect(422).await;
    let uuid = open(&harness, &owner, "Webhooks are refused").await.str("uuid").to_owned();
    for operation in ["partner_support_tickets_get", "partner_support_tickets_close"] {
        assert_eq!(on(&harness, &other, operation, &uuid, None).await.status, 404, "{operation}");
        let intruder = Person { token: other.token.clone(), ..owner.clone() };
        assert_eq!(on(&harness, &intruder, operation, &uuid, None).await.code(), "PARTNER_MISMATCH", "{operation}");
    }
    assert_eq!(reply(&harness, &other, &uuid).await.status, 404);
    assert_eq!(list(&harness, &other, &[]).await, Vec::<Value>::new());
}

#[tokio::test]
async fn priority_support_raises_priority_and_open_tickets_are_limited() {
    let (harness, owner) = cast().await;
    let first = open(&harness, &owner, "Before").await;
    assert_eq!(first.str("priority"), "NORMAL");
    harness.sql("update subscription set tier_uuid = (select tier_uuid from tier where code = 'SCALE')").await;
    assert_eq!(open(&harness, &owner, "After").await.str("priority"), "HIGH");
    for number in 2..25 {
        assert_eq!(open(&harness, &owner, "More").await.status, 201, "{number}");
    }
    let full = open(&harness, &owner, "One too many").await;
    assert_eq!((full.status, full.code()), (409, "CONFLICT"));
    on(&harness, &owner, "partner_support_tickets_close", first.str("uuid"), None).await;
    let both = futures_util::future::join(open(&harness, &owner, "One"), open(&harness, &owner, "Two")).await;
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "of two who take the last place one gets it");
    harness.sql("update support_ticket set messages_count = 200").await;
    let last = harness.call("partner_support_tickets_list").path("partner_uuid", owner.partner_uuid.unwrap());
    let last = last.token(&owner.token).query("state", "OPEN").expect(200).await;
    let brimful = reply(&harness, &owner, last.json["data"][0]["uuid"].as_str().unwrap()).await;
    assert_eq!((brimful.status, brimful.code()), (409, "CONFLICT"));
}
