//! Tests of the support staff's view: tickets of all partners, answers, resolution, assignment, and internal notes.

use futures_util::future::join;
use serde_json::{Value, json};

use super::support_tickets::{on as of_partner, open, reply};
use super::team::{cast, colleague, noted, on as of_team};
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

/// An internal note, which must not appear anywhere else.
const NOTE: &str = "zanzibar-note: they owe us two bills";
const DESK: &str = "desk@labs.example";

async fn with_desk() -> (Harness, Person, Person) {
    let (harness, owner) = cast().await;
    let jonas = harness.staff("Jonas", &["labs.admin.support:write"]).await;
    (harness, jonas, owner)
}

async fn post(harness: &Harness, by: &Person, ticket: &str, kind: &str, text: &str) -> Answer {
    let call = harness.call("partner_support_desk_post_message").path("ticket_uuid", ticket).token(&by.token);
    call.json(&json!({ "kind": kind, "body": text })).send().await
}

async fn answer(harness: &Harness, by: &Person, ticket: &str) -> Answer {
    post(harness, by, ticket, "ANSWER", "Its certificate ended yesterday.").await
}

async fn update(harness: &Harness, by: &Person, ticket: &str, body: Value) -> Answer {
    harness.call("partner_support_desk_update").path("ticket_uuid", ticket).token(&by.token).json(&body).send().await
}

async fn queue(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Vec<Value> {
    let call = harness.call("partner_support_desk_list").token(&by.token);
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
    call.expect(200).await.json["data"].as_array().unwrap().iter().map(|one| one["subject"].clone()).collect()
}

async fn mailed(harness: &Harness, address: &str, words: &str) {
    let is_there = async || harness.mails_now(address).iter().any(|mail| mail.contains(words));
    harness.soon(words, is_there).await;
}

#[tokio::test]
async fn support_ticket_is_answered_and_replied_to_until_settled() {
    let (harness, jonas, owner) = with_desk().await;
    harness.sql(&format!("insert into service_setting (key, value) values ('support_desk_email', '\"{DESK}\"')")).await;
    let uuid = open(&harness, &owner, "Webhooks are refused").await.str("uuid").to_owned();
    mailed(&harness, DESK, "new ticket").await;
    let answered = answer(&harness, &jonas, &uuid).await;
    assert_eq!((answered.status, answered.str("state")), (201, "WAITING_ON_PARTNER"));
    assert_eq!(answered.header("location"), format!("/v1/support-desk/tickets/{uuid}"));
    assert_eq!((&answered.json["assignee"]["name"], &answered.json["waiting_since"]), (&json!("Jonas"), &Value::Null));
    mailed(&harness, &owner.email, "answered").await;
    let seen = of_partner(&harness, &owner, "partner_support_tickets_get", &uuid, None).await;
    let message = &seen.json["messages"][1];
    assert_eq!(
        (&message["side"], &message["author_uuid"], &message["author_name"]),
        (&json!("SUPPORT"), &Value::Null, &Value::Null)
    );
    assert!(!seen.text().contains("Jonas") && !seen.text().contains(&jonas.uuid.to_string()));
    assert_eq!(reply(&harness, &owner, &uuid).await.str("state"), "OPEN");
    mailed(&harness, &jonas.email, "new reply").await;
    let resolved = update(&harness, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    assert_eq!((resolved.status, resolved.str("state")), (200, "RESOLVED"));
    mailed(&harness, &owner.email, "resolved").await;
    assert_eq!(reply(&harness, &owner, &uuid).await.str("state"), "OPEN", "a reply reopens a resolved one");
    update(&harness, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    let again = update(&harness, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    assert_eq!(again.status, 200, "settled so it is already");
    assert_eq!(answer(&harness, &jonas, &uuid).await.str("state"), "WAITING_ON_PARTNER", "an answer asks again");
    let closed = update(&harness, &jonas, &uuid, json!({ "state": "CLOSED" })).await;
    assert_eq!(closed.str("state"), "CLOSED");
    mailed(&harness, &owner.email, "closed").await;
    assert_eq!(answer(&harness, &jonas, &uuid).await.code(), "ILLEGAL_TRANSITION");
    assert_eq!(update(&harness, &jonas, &uuid, json!({ "state": "RESOLVED" })).await.code(), "ILLEGAL_TRANSITION");
    assert_eq!(reply(&harness, &owner, &uuid).await.code(), "ILLEGAL_TRANSITION");
    for (kind, times) in [("TICKET_ANSWERED", 2), ("TICKET_RESOLVED", 2), ("TICKET_CLOSED", 1)] {
        assert_eq!(noted(&harness, kind, uuid.parse().unwrap()).await, times, "{kind}");
    }
    assert!(harness.mails_now(DESK).iter().all(|mail| !mail.contains("new reply")), "whoever has it is told, not all");
}

#[tokio::test]
async fn internal_notes_never_reach_partner() {
    let (harness, jonas, owner) = with_desk().await;
    let opened = open(&harness, &owner, "Webhooks are refused").await;
    let uuid = opened.str("uuid").to_owned();
    let before = of_partner(&harness, &owner, "partner_support_tickets_get", &uuid, None).await;
    let noted_down = post(&harness, &jonas, &uuid, "NOTE", NOTE).await;
    assert_eq!((noted_down.status, noted_down.str("state")), (201, "OPEN"), "it changes no state");
    assert_eq!(
        (&noted_down.json["notes"][0]["body"], &noted_down.json["notes"][0]["author_name"]),
        (&json!(NOTE), &json!("Jonas"))
    );
    assert_eq!(noted_down.json["messages"].as_array().unwrap().len(), 1);
    let after = of_partner(&harness, &owner, "partner_support_tickets_get", &uuid, None).await;
    assert_eq!(
        (after.header("etag"), &after.json),
        (before.header("etag"), &before.json),
        "not even that there is one"
    );
    update(&harness, &jonas, &uuid, json!({ "assignee_uuid": jonas.uuid })).await;
    answer(&harness, &jonas, &uuid).await;
    post(&harness, &jonas, &uuid, "NOTE", NOTE).await;
    reply(&harness, &owner, &uuid).await;
    update(&harness, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    mailed(&harness, &owner.email, "resolved").await;
    mailed(&harness, &jonas.email, "new reply").await;
    let partner = owner.partner_uuid.unwrap();
    let mut seen = vec![reply(&harness, &owner, &uuid).await.text()];
    for operation in ["partner_support_tickets_list", "partner_security_list_events", "partner_account_list_events"] {
        seen.push(harness.call(operation).path("partner_uuid", partner).token(&owner.token).expect(200).await.text());
    }
    seen.push(of_partner(&harness, &owner, "partner_support_tickets_close", &uuid, None).await.text());
    post(&harness, &jonas, &uuid, "NOTE", NOTE).await;
    seen.push(of_partner(&harness, &owner, "partner_support_tickets_get", &uuid, None).await.text());
    for entry in std::fs::read_dir(&harness.mail_folder).unwrap() {
        seen.push(std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    assert!(seen.len() > 8, "{}", seen.len());
    for text in &seen {
        let tells =
            ["zanzibar", "\"notes\"", "partner_support_desk_post_message"].iter().any(|word| text.contains(word));
        assert!(!tells, "{text}");
    }
    let elsewhere = "select (select count(*) from partner_event as e where to_jsonb(e)::text like '%zanzibar%')
        + (select count(*) from security_event as e where to_jsonb(e)::text like '%zanzibar%')
        + (select count(*) from support_message as m where m.body like '%zanzibar%')
        + (select count(*) from mail_message as m where m.subject like '%zanzibar%')
        + (select count(*) from partner_event where kind like '%NOTE%')";
    assert_eq!(harness.number(elsewhere).await, 0);
    assert_eq!(harness.number("select count(*) from support_note").await, 3, "a closed ticket takes notes too");
    let sources = ["support_tickets/store.rs", "support_tickets/types.rs", "support_tickets/resolvers.rs"];
    for source in sources {
        let path = format!("{}/schema/identity/src/partner/{source}", env!("CARGO_MANIFEST_DIR"));
        assert!(!std::fs::read_to_string(path).unwrap().contains("support_note"), "{source} names the notes' table");
    }
}

#[tokio::test]
async fn queue_lists_most_urgent_support_tickets_first_and_is_filtered() {
    let (harness, jonas, owner) = with_desk().await;
    let other = harness.partner("Weser Software").await;
    for subject in ["First", "Second", "Third"] {
        open(&harness, &owner, subject).await;
    }
    let theirs = open(&harness, &other, "Theirs").await.str("uuid").to_owned();
    let urgent = update(&harness, &jonas, &theirs, json!({ "priority": "URGENT", "assignee_uuid": jonas.uuid })).await;
    assert_eq!((urgent.str("priority"), &urgent.json["assignee"]["uuid"]), ("URGENT", &json!(jonas.uuid)));
    assert_eq!(queue(&harness, &jonas, &[]).await, ["Theirs", "First", "Second", "Third"]);
    assert_eq!(
        queue(&harness, &jonas, &[("sort", "created_at"), ("assigned", "false")]).await,
        ["First", "Second", "Third"]
    );
    assert_eq!(queue(&harness, &jonas, &[("sort", "-created_at"), ("limit", "2")]).await, ["Theirs", "Third"]);
    assert_eq!(queue(&harness, &jonas, &[("assignee_uuid", &jonas.uuid.to_string())]).await, ["Theirs"]);
    assert_eq!(queue(&harness, &jonas, &[("priority", "NORMAL"), ("q", "NORDSEE")]).await.len(), 3);
    assert_eq!(
        queue(&harness, &jonas, &[("partner_uuid", &other.partner_uuid.unwrap().to_string())]).await,
        ["Theirs"]
    );
    assert_eq!(queue(&harness, &jonas, &[("created_at_until", "2020-01-01T00:00:00Z")]).await, Vec::<Value>::new());
    assert_eq!(queue(&harness, &jonas, &[("state", "CLOSED"), ("topic", "API")]).await, Vec::<Value>::new());
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let call = harness.call("partner_support_desk_list").token(&jonas.token).query("limit", 1);
        let call = call.query("include_total", true);
        let page = match &cursor {
            Some(cursor) => call.query("cursor", cursor),
            None => call,
        };
        let page = page.expect(200).await.json;
        assert_eq!(page["page"]["total"], 4);
        seen.push(page["data"][0]["subject"].clone());
        match page["page"]["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, ["Theirs", "First", "Second", "Third"], "without a gap");
}

#[tokio::test]
async fn support_ticket_is_assigned_only_to_staff_who_may_answer() {
    let (harness, jonas, owner) = with_desk().await;
    let reader = harness.staff("Reader", &["labs.admin.support"]).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let uuid = open(&harness, &owner, "Webhooks are refused").await.str("uuid").to_owned();
    for nobody in [reader.uuid, owner.uuid] {
        let refused = update(&harness, &jonas, &uuid, json!({ "assignee_uuid": nobody, "priority": "LOW" })).await;
        assert_eq!((refused.status, &refused.json["errors"][0]["pointer"]), (422, &json!("/assignee_uuid")));
    }
    let given = update(&harness, &jonas, &uuid, json!({ "assignee_uuid": chief.uuid })).await;
    assert_eq!((&given.json["assignee"]["name"], given.str("priority")), (&json!("Chief"), "NORMAL"));
    mailed(&harness, &chief.email, "assigned to you").await;
    answer(&harness, &jonas, &uuid).await;
    let read =
        harness.call("partner_support_desk_get").path("ticket_uuid", &uuid).token(&reader.token).expect(200).await;
    assert_eq!(read.json["assignee"]["name"], "Chief", "an answer takes it from nobody");
    assert_eq!(update(&harness, &reader, &uuid, json!({})).await.code(), "SCOPE_MISSING");
    assert_eq!(update(&harness, &jonas, &uuid, json!({ "assignee_uuid": null })).await.json["assignee"], Value::Null);
    let call = harness.call("partner_support_desk_update").path("ticket_uuid", &uuid).token(&jonas.token);
    let stale = call.header("if-match", read.header("etag")).json(&json!({ "priority": "HIGH" }));
    stale.expect(412).await;
    let recorded = "select count(*) from audit_log where operation like 'partner_support_desk_%' and target_kind = 'SUPPORT_TICKET'
                       and outcome = 'SUCCEEDED' and target_label = 'Webhooks are refused' and partner_uuid is not null";
    assert_eq!(harness.number(recorded).await, 4, "reads included");
    let changed = "select count(*) from audit_change where thing = 'support_ticket' and after ? 'assignee_uuid'";
    assert_eq!(harness.number(changed).await, 2);
    let by_partner = harness.call("partner_support_desk_list").token(&owner.token).expect(403).await;
    assert_eq!(by_partner.str("required_scope"), "labs.admin.support");
}

#[tokio::test]
async fn answer_mail_reaches_remaining_team_member() {
    let (harness, jonas, owner) = with_desk().await;
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    let uuid = open(&harness, &tomas, "Webhooks are refused").await.str("uuid").to_owned();
    answer(&harness, &jonas, &uuid).await;
    mailed(&harness, &tomas.email, "answered").await;
    assert!(harness.mails_now(&owner.email).iter().all(|mail| !mail.contains("answered")));
    of_team(&harness, &owner, "partner_team_members_remove", tomas.uuid, None).await;
    answer(&harness, &jonas, &uuid).await;
    mailed(&harness, &owner.email, "answered").await;
    let shown = of_partner(&harness, &owner, "partner_support_tickets_get", &uuid, None).await;
    assert_eq!(shown.str("opened_by_name"), "Tomas", "what they wrote stays theirs");
    let program = harness.program("Monitor", &["partner.support:write"], owner.partner_uuid).await;
    let by = Person { token: program.token, ..owner.clone() };
    let opened = open(&harness, &by, "The monitor rang").await;
    assert_eq!((opened.status, opened.str("opened_by_name")), (201, "Monitor"));
    mailed(&harness, &owner.email, "The monitor rang: received").await;
}

#[tokio::test]
async fn erased_partner_receives_no_messages() {
    let (harness, jonas, owner) = with_desk().await;
    let uuid = open(&harness, &owner, "Webhooks are refused").await.str("uuid").to_owned();
    harness.sql("update partner set state = 'ERASED'").await;
    for kind in ["ANSWER", "NOTE"] {
        let refused = post(&harness, &jonas, &uuid, kind, "It was Mara Vogel's.").await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{kind}");
    }
}

#[tokio::test]
async fn resolved_support_ticket_is_reopened_if_quota_allows() {
    let (harness, jonas, owner) = with_desk().await;
    let settled = open(&harness, &owner, "Settled").await.str("uuid").to_owned();
    update(&harness, &jonas, &settled, json!({ "state": "RESOLVED" })).await;
    let mut last = String::new();
    for _ in 0..24 {
        last = open(&harness, &owner, "More").await.str("uuid").to_owned();
    }
    let both = join(reply(&harness, &owner, &settled), open(&harness, &owner, "The last place")).await;
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "of two who take the last place one gets it");
    if both.0.status == 201 {
        update(&harness, &jonas, &settled, json!({ "state": "RESOLVED" })).await;
        assert_eq!(open(&harness, &owner, "The last place").await.status, 201);
    }
    let full = reply(&harness, &owner, &settled).await;
    assert_eq!((full.status, full.code()), (409, "CONFLICT"));
    assert_eq!(reply(&harness, &owner, &last).await.status, 201, "one that is open has its place");
    of_partner(&harness, &owner, "partner_support_tickets_close", &last, None).await;
    let again = reply(&harness, &owner, &settled).await;
    assert_eq!((again.status, again.str("state")), (201, "OPEN"));
}
