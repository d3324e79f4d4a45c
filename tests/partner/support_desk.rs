//! The desk: tickets of all partners, answered, settled and given to one another; and notes that never leave it.

use futures_util::future::join;
use serde_json::{Value, json};

use super::support_tickets::{on as of_partner, open, reply};
use super::team::{cast, colleague, noted, on as of_team};
use crate::house::people::Person;
use crate::house::{Answer, House};

/// What the desk notes for itself, and what must be nowhere else.
const NOTE: &str = "zanzibar-note: they owe us two bills";
const DESK: &str = "desk@labs.example";

async fn with_desk() -> (House, Person, Person) {
    let (house, owner) = cast().await;
    let jonas = house.staff("Jonas", &["labs.admin.support:write"]).await;
    (house, jonas, owner)
}

async fn post(house: &House, by: &Person, ticket: &str, kind: &str, text: &str) -> Answer {
    let call = house.call("partner_support_desk_post_message").path("ticket_uuid", ticket).token(&by.token);
    call.json(&json!({ "kind": kind, "body": text })).send().await
}

async fn answer(house: &House, by: &Person, ticket: &str) -> Answer {
    post(house, by, ticket, "ANSWER", "Its certificate ended yesterday.").await
}

async fn update(house: &House, by: &Person, ticket: &str, body: Value) -> Answer {
    house.call("partner_support_desk_update").path("ticket_uuid", ticket).token(&by.token).json(&body).send().await
}

async fn queue(house: &House, by: &Person, query: &[(&str, &str)]) -> Vec<Value> {
    let call = house.call("partner_support_desk_list").token(&by.token);
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
    call.expect(200).await.json["data"].as_array().unwrap().iter().map(|one| one["subject"].clone()).collect()
}

async fn mailed(house: &House, address: &str, words: &str) {
    let is_there = async || house.mails_now(address).iter().any(|mail| mail.contains(words));
    house.soon(words, is_there).await;
}

#[tokio::test]
async fn a_ticket_goes_back_and_forth_until_it_is_settled() {
    let (house, jonas, owner) = with_desk().await;
    house.sql(&format!("insert into service_setting (key, value) values ('support_desk_email', '\"{DESK}\"')")).await;
    let uuid = open(&house, &owner, "Webhooks are refused").await.str("uuid").to_owned();
    mailed(&house, DESK, "new ticket").await;
    let answered = answer(&house, &jonas, &uuid).await;
    assert_eq!((answered.status, answered.str("state")), (201, "WAITING_ON_PARTNER"));
    assert_eq!(answered.header("location"), format!("/v1/support-desk/tickets/{uuid}"));
    assert_eq!((&answered.json["assignee"]["name"], &answered.json["waiting_since"]), (&json!("Jonas"), &Value::Null));
    mailed(&house, &owner.email, "answered").await;
    let seen = of_partner(&house, &owner, "partner_support_tickets_get", &uuid, None).await;
    let message = &seen.json["messages"][1];
    assert_eq!(
        (&message["side"], &message["author_uuid"], &message["author_name"]),
        (&json!("SUPPORT"), &Value::Null, &Value::Null)
    );
    assert!(!seen.text().contains("Jonas") && !seen.text().contains(&jonas.uuid.to_string()));
    assert_eq!(reply(&house, &owner, &uuid).await.str("state"), "OPEN");
    mailed(&house, &jonas.email, "new reply").await;
    let resolved = update(&house, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    assert_eq!((resolved.status, resolved.str("state")), (200, "RESOLVED"));
    mailed(&house, &owner.email, "resolved").await;
    assert_eq!(reply(&house, &owner, &uuid).await.str("state"), "OPEN", "a reply reopens a resolved one");
    update(&house, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    let again = update(&house, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    assert_eq!(again.status, 200, "settled so it is already");
    assert_eq!(answer(&house, &jonas, &uuid).await.str("state"), "WAITING_ON_PARTNER", "an answer asks again");
    let closed = update(&house, &jonas, &uuid, json!({ "state": "CLOSED" })).await;
    assert_eq!(closed.str("state"), "CLOSED");
    mailed(&house, &owner.email, "closed").await;
    assert_eq!(answer(&house, &jonas, &uuid).await.code(), "ILLEGAL_TRANSITION");
    assert_eq!(update(&house, &jonas, &uuid, json!({ "state": "RESOLVED" })).await.code(), "ILLEGAL_TRANSITION");
    assert_eq!(reply(&house, &owner, &uuid).await.code(), "ILLEGAL_TRANSITION");
    for (kind, times) in [("TICKET_ANSWERED", 2), ("TICKET_RESOLVED", 2), ("TICKET_CLOSED", 1)] {
        assert_eq!(noted(&house, kind, uuid.parse().unwrap()).await, times, "{kind}");
    }
    assert!(house.mails_now(DESK).iter().all(|mail| !mail.contains("new reply")), "whoever has it is told, not all");
}

#[tokio::test]
async fn what_the_desk_notes_for_itself_never_reaches_the_partner() {
    let (house, jonas, owner) = with_desk().await;
    let opened = open(&house, &owner, "Webhooks are refused").await;
    let uuid = opened.str("uuid").to_owned();
    let before = of_partner(&house, &owner, "partner_support_tickets_get", &uuid, None).await;
    let noted_down = post(&house, &jonas, &uuid, "NOTE", NOTE).await;
    assert_eq!((noted_down.status, noted_down.str("state")), (201, "OPEN"), "it changes no state");
    assert_eq!(
        (&noted_down.json["notes"][0]["body"], &noted_down.json["notes"][0]["author_name"]),
        (&json!(NOTE), &json!("Jonas"))
    );
    assert_eq!(noted_down.json["messages"].as_array().unwrap().len(), 1);
    let after = of_partner(&house, &owner, "partner_support_tickets_get", &uuid, None).await;
    assert_eq!(
        (after.header("etag"), &after.json),
        (before.header("etag"), &before.json),
        "not even that there is one"
    );
    update(&house, &jonas, &uuid, json!({ "assignee_uuid": jonas.uuid })).await;
    answer(&house, &jonas, &uuid).await;
    post(&house, &jonas, &uuid, "NOTE", NOTE).await;
    reply(&house, &owner, &uuid).await;
    update(&house, &jonas, &uuid, json!({ "state": "RESOLVED" })).await;
    mailed(&house, &owner.email, "resolved").await;
    mailed(&house, &jonas.email, "new reply").await;
    let partner = owner.partner_uuid.unwrap();
    let mut seen = vec![reply(&house, &owner, &uuid).await.text()];
    for operation in ["partner_support_tickets_list", "partner_security_list_events", "partner_account_list_events"] {
        seen.push(house.call(operation).path("partner_uuid", partner).token(&owner.token).expect(200).await.text());
    }
    seen.push(of_partner(&house, &owner, "partner_support_tickets_close", &uuid, None).await.text());
    post(&house, &jonas, &uuid, "NOTE", NOTE).await;
    seen.push(of_partner(&house, &owner, "partner_support_tickets_get", &uuid, None).await.text());
    for entry in std::fs::read_dir(&house.mail_folder).unwrap() {
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
    assert_eq!(house.number(elsewhere).await, 0);
    assert_eq!(house.number("select count(*) from support_note").await, 3, "a closed ticket takes notes too");
    let sources = ["support_tickets/store.rs", "support_tickets/types.rs", "support_tickets/resolvers.rs"];
    for source in sources {
        let path = format!("{}/schema/src/partner/{source}", env!("CARGO_MANIFEST_DIR"));
        assert!(!std::fs::read_to_string(path).unwrap().contains("support_note"), "{source} names the notes' table");
    }
}

#[tokio::test]
async fn the_queue_has_the_most_urgent_first_and_is_narrowed() {
    let (house, jonas, owner) = with_desk().await;
    let other = house.partner("Weser Software").await;
    for subject in ["First", "Second", "Third"] {
        open(&house, &owner, subject).await;
    }
    let theirs = open(&house, &other, "Theirs").await.str("uuid").to_owned();
    let urgent = update(&house, &jonas, &theirs, json!({ "priority": "URGENT", "assignee_uuid": jonas.uuid })).await;
    assert_eq!((urgent.str("priority"), &urgent.json["assignee"]["uuid"]), ("URGENT", &json!(jonas.uuid)));
    assert_eq!(queue(&house, &jonas, &[]).await, ["Theirs", "First", "Second", "Third"]);
    assert_eq!(
        queue(&house, &jonas, &[("sort", "created_at"), ("assigned", "false")]).await,
        ["First", "Second", "Third"]
    );
    assert_eq!(queue(&house, &jonas, &[("sort", "-created_at"), ("limit", "2")]).await, ["Theirs", "Third"]);
    assert_eq!(queue(&house, &jonas, &[("assignee_uuid", &jonas.uuid.to_string())]).await, ["Theirs"]);
    assert_eq!(queue(&house, &jonas, &[("priority", "NORMAL"), ("q", "NORDSEE")]).await.len(), 3);
    assert_eq!(queue(&house, &jonas, &[("partner_uuid", &other.partner_uuid.unwrap().to_string())]).await, ["Theirs"]);
    assert_eq!(queue(&house, &jonas, &[("created_at_until", "2020-01-01T00:00:00Z")]).await, Vec::<Value>::new());
    assert_eq!(queue(&house, &jonas, &[("state", "CLOSED"), ("topic", "API")]).await, Vec::<Value>::new());
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let call = house.call("partner_support_desk_list").token(&jonas.token).query("limit", 1);
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
async fn a_ticket_is_given_to_whoever_may_answer_it() {
    let (house, jonas, owner) = with_desk().await;
    let reader = house.staff("Reader", &["labs.admin.support"]).await;
    let chief = house.staff("Chief", &["labs.admin:write"]).await;
    let uuid = open(&house, &owner, "Webhooks are refused").await.str("uuid").to_owned();
    for nobody in [reader.uuid, owner.uuid] {
        let refused = update(&house, &jonas, &uuid, json!({ "assignee_uuid": nobody, "priority": "LOW" })).await;
        assert_eq!((refused.status, &refused.json["errors"][0]["pointer"]), (422, &json!("/assignee_uuid")));
    }
    let given = update(&house, &jonas, &uuid, json!({ "assignee_uuid": chief.uuid })).await;
    assert_eq!((&given.json["assignee"]["name"], given.str("priority")), (&json!("Chief"), "NORMAL"));
    mailed(&house, &chief.email, "assigned to you").await;
    answer(&house, &jonas, &uuid).await;
    let read = house.call("partner_support_desk_get").path("ticket_uuid", &uuid).token(&reader.token).expect(200).await;
    assert_eq!(read.json["assignee"]["name"], "Chief", "an answer takes it from nobody");
    assert_eq!(update(&house, &reader, &uuid, json!({})).await.code(), "SCOPE_MISSING");
    assert_eq!(update(&house, &jonas, &uuid, json!({ "assignee_uuid": null })).await.json["assignee"], Value::Null);
    let call = house.call("partner_support_desk_update").path("ticket_uuid", &uuid).token(&jonas.token);
    let stale = call.header("if-match", read.header("etag")).json(&json!({ "priority": "HIGH" }));
    stale.expect(412).await;
    let recorded = "select count(*) from audit_log where operation like 'partner_support_desk_%' and target_kind = 'SUPPORT_TICKET'
                       and outcome = 'SUCCEEDED' and target_label = 'Webhooks are refused' and partner_uuid is not null";
    assert_eq!(house.number(recorded).await, 4, "reads included");
    let changed = "select count(*) from audit_change where thing = 'support_ticket' and after ? 'assignee_uuid'";
    assert_eq!(house.number(changed).await, 2);
    let by_partner = house.call("partner_support_desk_list").token(&owner.token).expect(403).await;
    assert_eq!(by_partner.str("required_scope"), "labs.admin.support");
}

#[tokio::test]
async fn a_mail_finds_somebody_of_the_team_whoever_has_gone() {
    let (house, jonas, owner) = with_desk().await;
    let tomas = colleague(&house, &owner, "Tomas", "DEVELOPER").await;
    let uuid = open(&house, &tomas, "Webhooks are refused").await.str("uuid").to_owned();
    answer(&house, &jonas, &uuid).await;
    mailed(&house, &tomas.email, "answered").await;
    assert!(house.mails_now(&owner.email).iter().all(|mail| !mail.contains("answered")));
    of_team(&house, &owner, "partner_team_members_remove", tomas.uuid, None).await;
    answer(&house, &jonas, &uuid).await;
    mailed(&house, &owner.email, "answered").await;
    let shown = of_partner(&house, &owner, "partner_support_tickets_get", &uuid, None).await;
    assert_eq!(shown.str("opened_by_name"), "Tomas", "what they wrote stays theirs");
    let program = house.program("Monitor", &["partner.support:write"], owner.partner_uuid).await;
    let by = Person { token: program.token, ..owner.clone() };
    let opened = open(&house, &by, "The monitor rang").await;
    assert_eq!((opened.status, opened.str("opened_by_name")), (201, "Monitor"));
    mailed(&house, &owner.email, "The monitor rang: received").await;
}

#[tokio::test]
async fn nothing_is_written_about_a_partner_that_was_erased() {
    let (house, jonas, owner) = with_desk().await;
    let uuid = open(&house, &owner, "Webhooks are refused").await.str("uuid").to_owned();
    house.sql("update partner set state = 'ERASED'").await;
    for kind in ["ANSWER", "NOTE"] {
        let refused = post(&house, &jonas, &uuid, kind, "It was Mara Vogel's.").await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{kind}");
    }
}

#[tokio::test]
async fn a_resolved_ticket_is_opened_again_where_there_is_room() {
    let (house, jonas, owner) = with_desk().await;
    let settled = open(&house, &owner, "Settled").await.str("uuid").to_owned();
    update(&house, &jonas, &settled, json!({ "state": "RESOLVED" })).await;
    let mut last = String::new();
    for _ in 0..24 {
        last = open(&house, &owner, "More").await.str("uuid").to_owned();
    }
    let both = join(reply(&house, &owner, &settled), open(&house, &owner, "The last place")).await;
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "of two who take the last place one gets it");
    if both.0.status == 201 {
        update(&house, &jonas, &settled, json!({ "state": "RESOLVED" })).await;
        assert_eq!(open(&house, &owner, "The last place").await.status, 201);
    }
    let full = reply(&house, &owner, &settled).await;
    assert_eq!((full.status, full.code()), (409, "CONFLICT"));
    assert_eq!(reply(&house, &owner, &last).await.status, 201, "one that is open has its place");
    of_partner(&house, &owner, "partner_support_tickets_close", &last, None).await;
    let again = reply(&house, &owner, &settled).await;
    assert_eq!((again.status, again.str("state")), (201, "OPEN"));
}
